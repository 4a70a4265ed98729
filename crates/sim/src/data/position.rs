//! Results that depend on q only.

use crate::model::Model;
use saltus_math::{Mat3, Motion, Quat, SpatialInertia, Vec3};

/// Results of the position stage. Spatial quantities are expressed in the tree's c-frame: world
/// axes, origin at the centre of mass of the tree (`com[root]`).
#[derive(Clone, Debug, Default)]
pub struct Position {
    // By `kinematics::forward`.
    /// Origins of body frames · nbody.
    pub p_WB: Vec<Vec3>,
    /// Orientations of body frames as quaternions · nbody.
    pub quat_WB: Vec<Quat>,
    /// Orientations of body frames as matrices · nbody.
    pub R_WB: Vec<Mat3>,
    /// Origins of inertial frames (centres of mass) · nbody.
    pub p_WI: Vec<Vec3>,
    /// Orientations of inertial frames as quaternions · nbody.
    pub quat_WI: Vec<Quat>,
    /// Orientations of inertial frames as matrices · nbody.
    pub R_WI: Vec<Mat3>,
    /// Joint anchors · njoint.
    pub p_WJ: Vec<Vec3>,
    /// Joint axes · njoint.
    pub axis_W: Vec<Vec3>,
    /// Origins of geom frames · ngeom.
    pub p_WG: Vec<Vec3>,
    /// Orientations of geom frames as quaternions · ngeom.
    pub quat_WG: Vec<Quat>,
    /// Orientations of geom frames as matrices · ngeom.
    pub R_WG: Vec<Mat3>,
    /// Origins of site frames · nsite.
    pub p_WS: Vec<Vec3>,
    /// Orientations of site frames as quaternions · nsite.
    pub quat_WS: Vec<Quat>,
    /// Orientations of site frames as matrices · nsite.
    pub R_WS: Vec<Mat3>,
    /// Origins of camera frames · ncamera · by `kinematics::view`.
    pub p_WC: Vec<Vec3>,
    /// Orientations of camera frames · ncamera · by `kinematics::view`.
    pub R_WC: Vec<Mat3>,
    /// Positions of lights · nlight · by `kinematics::view`.
    pub light_pos: Vec<Vec3>,
    /// Directions of lights · nlight · by `kinematics::view`.
    pub light_dir: Vec<Vec3>,

    // By `kinematics::com`.
    /// Centre of mass of each subtree · nbody.
    pub com: Vec<Vec3>,
    /// Motion axis of each dof · nv.
    pub S: Vec<Motion>,
    /// Body inertias · nbody.
    pub I: Vec<SpatialInertia>,

    // By `tendon`.
    /// Tendon lengths · ntendon.
    pub tendon_length: Vec<f64>,
    /// Jacobian rows of tendons · pattern `tendons.jac`.
    pub tendon_jac: Vec<f64>,
    /// Index of the first path point of each spatial tendon in `wrap_point`, and number of points ·
    /// ntendon.
    pub tendon_points: Vec<[i32; 2]>,
    /// Geom of each path point; −1 for sites, −2 for pulleys · two per wrap.
    pub wrap_object: Vec<i32>,
    /// Path points of spatial tendons · two per wrap.
    pub wrap_point: Vec<Vec3>,

    // By `actuation::transmission`.
    /// Actuator lengths · nactuator.
    pub actuator_length: Vec<f64>,
    /// Rows of moment arms of actuators · pattern `actuators.moment`.
    pub actuator_moment: Vec<f64>,

    // By `dynamics::crb`.
    /// Composite inertias of subtrees · nbody.
    pub I_composite: Vec<SpatialInertia>,
}

impl Position {
    pub(super) fn new(model: &Model) -> Self {
        let (nbody, njoint, ngeom, nsite) = (model.nbody(), model.njoint(), model.ngeom(), model.nsite());
        let (ncamera, nlight, nwrap) = (model.ncamera(), model.nlight(), model.wraps.kind.len());
        let nv = model.size.nv;
        Self {
            p_WB: vec![Vec3::ZERO; nbody],
            quat_WB: vec![Quat::IDENTITY; nbody],
            R_WB: vec![Mat3::IDENTITY; nbody],
            p_WI: vec![Vec3::ZERO; nbody],
            quat_WI: vec![Quat::IDENTITY; nbody],
            R_WI: vec![Mat3::IDENTITY; nbody],
            p_WJ: vec![Vec3::ZERO; njoint],
            axis_W: vec![Vec3::ZERO; njoint],
            p_WG: vec![Vec3::ZERO; ngeom],
            quat_WG: vec![Quat::IDENTITY; ngeom],
            R_WG: vec![Mat3::IDENTITY; ngeom],
            p_WS: vec![Vec3::ZERO; nsite],
            quat_WS: vec![Quat::IDENTITY; nsite],
            R_WS: vec![Mat3::IDENTITY; nsite],
            p_WC: vec![Vec3::ZERO; ncamera],
            R_WC: vec![Mat3::IDENTITY; ncamera],
            light_pos: vec![Vec3::ZERO; nlight],
            light_dir: vec![Vec3::ZERO; nlight],
            com: vec![Vec3::ZERO; nbody],
            S: vec![Motion::ZERO; nv],
            I: vec![SpatialInertia::ZERO; nbody],
            tendon_length: vec![0.0; model.ntendon()],
            tendon_jac: vec![0.0; model.tendons.jac_col.len()],
            tendon_points: vec![[0; 2]; model.ntendon()],
            wrap_object: vec![0; 2 * nwrap],
            wrap_point: vec![Vec3::ZERO; 2 * nwrap],
            actuator_length: vec![0.0; model.nactuator()],
            actuator_moment: vec![0.0; model.actuators.moment_col.len()],
            I_composite: vec![SpatialInertia::ZERO; nbody],
        }
    }
}
