//! Access to results by id.

use super::input::v_range;
use crate::data::Data;
use crate::data::Stale;
use crate::ids::{ActuatorId, BodyId, CameraId, GeomId, JointId, SensorId, SiteId, TendonId};
use crate::model::Model;
use crate::stage::Stage;
use saltus_math::{Mat3, Motion, Quat, Vec3};

/// Position and orientation of a frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the origin in the world.
    pub p: Vec3,
    /// Rotation matrix; its columns are the axes in the world.
    pub R: Mat3,
    /// The orientation as a quaternion, w first.
    pub quat: Quat,
}

impl Pose {
    /// Transforms a point from this frame to the world.
    pub fn to_world(&self, point: Vec3) -> Vec3 {
        self.p + self.R * point
    }
    /// Transforms a point from the world to this frame.
    pub fn to_local(&self, point: Vec3) -> Vec3 {
        self.R.tmul(point - self.p)
    }
}

/// Results, which belong to the current state after `forward`.
impl Data {
    /// The output of a sensor.
    pub fn sensor(&self, model: &Model, sensor: SensorId) -> Result<&[f64], Stale> {
        let (table, k) = (&model.sensors, sensor.idx());
        self.require(table.stage[k])?;
        let start = table.start[k] as usize;
        Ok(&self.sensor[start..start + table.dim[k] as usize])
    }

    /// Pose of a body.
    pub fn body_pose(&self, _: &Model, body: BodyId) -> Result<Pose, Stale> {
        self.require(Stage::Position)?;
        let (x, k) = (&self.position, body.idx());
        Ok(Pose { p: x.p_WB[k], R: x.R_WB[k], quat: x.quat_WB[k] })
    }

    /// Pose of a geom.
    pub fn geom_pose(&self, _: &Model, geom: GeomId) -> Result<Pose, Stale> {
        self.require(Stage::Position)?;
        let (x, k) = (&self.position, geom.idx());
        Ok(Pose { p: x.p_WG[k], R: x.R_WG[k], quat: x.quat_WG[k] })
    }

    /// Pose of a site.
    pub fn site_pose(&self, _: &Model, site: SiteId) -> Result<Pose, Stale> {
        self.require(Stage::Position)?;
        let (x, k) = (&self.position, site.idx());
        Ok(Pose { p: x.p_WS[k], R: x.R_WS[k], quat: x.quat_WS[k] })
    }

    /// Pose of a camera, which looks along its negative z axis.
    pub fn camera_pose(&self, _: &Model, camera: CameraId) -> Result<Pose, Stale> {
        self.require(Stage::Position)?;
        let (p, R) = (self.position.p_WC[camera.idx()], self.position.R_WC[camera.idx()]);
        Ok(Pose { p, R, quat: R.to_quat() })
    }

    /// Centre of mass of the subtree of a body.
    pub fn center_of_mass(&self, _: &Model, body: BodyId) -> Result<Vec3, Stale> {
        self.require(Stage::Position)?;
        Ok(self.position.com[body.idx()])
    }

    /// Angular velocity of a body and linear velocity of its origin, in world axes.
    pub fn body_velocity(&self, model: &Model, body: BodyId) -> Result<Motion, Stale> {
        self.require(Stage::Velocity)?;
        Ok(self.velocity_at(model, body, self.position.p_WB[body.idx()]))
    }

    /// Angular velocity of a site and linear velocity of its origin, in world axes.
    pub fn site_velocity(&self, model: &Model, site: SiteId) -> Result<Motion, Stale> {
        self.require(Stage::Velocity)?;
        let body = model.sites.body[site.idx()];
        Ok(self.velocity_at(model, body, self.position.p_WS[site.idx()]))
    }

    /// Velocity of a body at a point in the world.
    fn velocity_at(&self, model: &Model, body: BodyId, point: Vec3) -> Motion {
        let origin = self.position.com[model.bodies.root[body.idx()].idx()];
        self.velocity.V[body.idx()].shifted(point - origin)
    }

    /// Accelerations of a joint including all constraint forces, with the layout of
    /// [`Data::joint_v`].
    pub fn joint_a(&self, model: &Model, joint: JointId) -> Result<&[f64], Stale> {
        self.require(Stage::Acceleration)?;
        Ok(&self.acceleration.a[v_range(model, joint)])
    }

    /// Length of an actuator's transmission: for a joint, its coordinate times the gear.
    pub fn actuator_length(&self, _: &Model, actuator: ActuatorId) -> Result<f64, Stale> {
        self.require(Stage::Position)?;
        Ok(self.position.actuator_length[actuator.idx()])
    }

    /// Time derivative of an actuator's length.
    pub fn actuator_velocity(&self, _: &Model, actuator: ActuatorId) -> Result<f64, Stale> {
        self.require(Stage::Velocity)?;
        Ok(self.velocity.actuator_velocity[actuator.idx()])
    }

    /// Force of an actuator along its length.
    pub fn actuator_force(&self, _: &Model, actuator: ActuatorId) -> Result<f64, Stale> {
        self.require(Stage::Acceleration)?;
        Ok(self.acceleration.actuator_force[actuator.idx()])
    }

    /// Length of a tendon.
    pub fn tendon_length(&self, _: &Model, tendon: TendonId) -> Result<f64, Stale> {
        self.require(Stage::Position)?;
        Ok(self.position.tendon_length[tendon.idx()])
    }

    /// Time derivative of a tendon's length.
    pub fn tendon_velocity(&self, _: &Model, tendon: TendonId) -> Result<f64, Stale> {
        self.require(Stage::Velocity)?;
        Ok(self.velocity.tendon_velocity[tendon.idx()])
    }
}
