//! Settings of the compiler itself.

use saltus_math::Vec3;
use serde::{Deserialize, Serialize};

/// When a body's inertia is inferred from its geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum InertiaFromGeom {
    /// Only those that are given.
    Never,
    /// Also where they are given.
    Always,
    /// Where no inertia is given.
    #[default]
    Auto,
}

/// Settings that change what [`compile`](crate::compile) makes of a spec.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompilerSpec {
    /// Infer `limited` from the presence of a range; otherwise a range without `limited` is an error.
    pub auto_limits: bool,
    /// Lower bounds on the mass and the principal moments of moving bodies.
    pub bound_mass: f64,
    /// Least moment of inertia of bodies that move, kg m².
    pub bound_inertia: f64,
    /// Rescale all masses to this total; ignored unless positive.
    pub set_total_mass: f64,
    /// Repair inertias that violate A + B ≥ C by making them isotropic instead of refusing them.
    pub balance_inertia: bool,
    /// Take given inertias as they are, indefinite or breaking A + B ≥ C, and bodies without mass anywhere, as long as the
    /// inertia matrix of the whole model is positive definite in its reference pose.
    pub inertia_as_given: bool,
    /// Fit primitives to a mesh's bounding box instead of its inertia box.
    pub fit_aabb: bool,
    /// Whether bodies without joints are fused with their parents.
    pub fuse_static: bool,
    /// Whether geoms that do not collide are left out.
    pub discard_visual: bool,
    /// Whether inertias come from geoms.
    pub inertia_from_geom: InertiaFromGeom,
    /// Geom groups that contribute to inferred inertia.
    pub inertia_group_range: [i32; 2],
    /// Whether free bodies get the frame of their inertia.
    pub align_free: bool,
    /// How ranges of lengths of actuators are found.
    pub length_range: LengthRangeSpec,
}

impl CompilerSpec {
    /// Name of the custom text by which an MJCF file sets `inertia_as_given`, and its word.
    pub const INERTIA_TEXT: (&'static str, &'static str) = ("saltus_inertia", "as_given");
}

impl Default for CompilerSpec {
    fn default() -> Self {
        Self {
            auto_limits: true,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            set_total_mass: -1.0,
            balance_inertia: false,
            inertia_as_given: false,
            fit_aabb: false,
            fuse_static: false,
            discard_visual: false,
            inertia_from_geom: InertiaFromGeom::Auto,
            inertia_group_range: [0, 5],
            align_free: false,
            length_range: LengthRangeSpec::default(),
        }
    }
}

/// Which actuators get their length range computed by simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LengthRangeMode {
    /// For none.
    None,
    /// For muscles.
    #[default]
    Muscle,
    /// For muscles and actuators of the user.
    MuscleUser,
    /// For all.
    All,
}

/// Computation of actuator length ranges at compile time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LengthRangeSpec {
    /// For which actuators.
    pub mode: LengthRangeMode,
    /// Whether ranges that are given are kept.
    pub use_existing: bool,
    /// Whether limits of joints and tendons give the range.
    pub use_limit: bool,
    /// Acceleration that the force aims at.
    pub accel: f64,
    /// Largest force, N; 0 for none.
    pub max_force: f64,
    /// Time constant of the damping, s.
    pub time_const: f64,
    /// Step of the simulation, s.
    pub time_step: f64,
    /// Length of the simulation, s.
    pub total_time: f64,
    /// Time at the end in which the length is observed, s.
    pub interval: f64,
    /// Share of the range by which the length may still change.
    pub tol_range: f64,
}

impl Default for LengthRangeSpec {
    fn default() -> Self {
        Self {
            mode: LengthRangeMode::Muscle,
            use_existing: true,
            use_limit: false,
            accel: 20.0,
            max_force: 0.0,
            time_const: 1.0,
            time_step: 0.01,
            total_time: 10.0,
            interval: 2.0,
            tol_range: 0.05,
        }
    }
}

/// Sizes of user data; −1 takes the largest that any element gives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizeSpec {
    /// Numbers of the user in the state.
    pub user_data: usize,
    /// Numbers of the user of each body; −1: as many as the longest list.
    pub user_body: i32,
    /// As `user_body`, of joints.
    pub user_joint: i32,
    /// As `user_body`, of geoms.
    pub user_geom: i32,
    /// As `user_body`, of sites.
    pub user_site: i32,
    /// As `user_body`, of cameras.
    pub user_camera: i32,
    /// As `user_body`, of tendons.
    pub user_tendon: i32,
    /// As `user_body`, of actuators.
    pub user_actuator: i32,
    /// As `user_body`, of sensors.
    pub user_sensor: i32,
    /// Keyframes to reserve.
    pub keys: usize,
}

impl Default for SizeSpec {
    fn default() -> Self {
        Self {
            user_data: 0,
            user_body: -1,
            user_joint: -1,
            user_geom: -1,
            user_site: -1,
            user_camera: -1,
            user_tendon: -1,
            user_actuator: -1,
            user_sensor: -1,
            keys: 0,
        }
    }
}

/// Model statistics given by the user instead of computed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StatisticSpec {
    /// Mean diagonal of M.
    pub mean_inertia: Option<f64>,
    /// Mean mass of bodies, kg.
    pub mean_mass: Option<f64>,
    /// Mean size of geoms, m.
    pub mean_size: Option<f64>,
    /// Size of the model, m.
    pub extent: Option<f64>,
    /// Centre of the model.
    pub center: Option<Vec3>,
}
