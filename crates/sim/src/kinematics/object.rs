//! Frames, velocities and accelerations of objects with a pose.

use crate::data::Data;
use crate::model::{Model, kinds::ObjectKind};
use saltus_math::{Mat3, Motion, Quat, Vec3};

/// A frame fixed in a body.
#[derive(Clone, Copy, Debug)]
pub struct ObjectFrame {
    /// The body that the frame moves with.
    pub body: usize,
    /// Position in the world.
    pub p: Vec3,
    /// Orientation in the world.
    pub R: Mat3,
    /// Orientation relative to the body, for exact quaternions.
    pub quat: Quat,
}

/// Axes in which a velocity or acceleration is expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Axes of the world.
    World,
    /// Axes of the object.
    Local,
}

/// The frame of an object: body (inertial frame), xbody (body frame), geom, site or camera; `None`
/// for other kinds and ids out of range.
pub fn object_frame(model: &Model, data: &Data, kind: ObjectKind, id: usize) -> Option<ObjectFrame> {
    let x = &data.position;
    let (body, p, R, quat) = match kind {
        ObjectKind::Body if id < model.nbody() => (id, x.p_WI[id], x.R_WI[id], x.quat_WI[id]),
        ObjectKind::XBody if id < model.nbody() => (id, x.p_WB[id], x.R_WB[id], x.quat_WB[id]),
        ObjectKind::Geom if id < model.ngeom() => (model.geoms.body[id].idx(), x.p_WG[id], x.R_WG[id], x.quat_WG[id]),
        ObjectKind::Site if id < model.nsite() => (model.sites.body[id].idx(), x.p_WS[id], x.R_WS[id], x.quat_WS[id]),
        ObjectKind::Camera if id < model.ncamera() => {
            let b = model.cameras.body[id].idx();
            (b, x.p_WC[id], x.R_WC[id], x.quat_WB[b] * model.cameras.quat[id])
        }
        _ => return None,
    };
    Some(ObjectFrame { body, p, R, quat })
}

/// Velocity of an object's frame, at its origin. Needs the body velocities.
pub fn calc_object_velocity(model: &Model, data: &Data, object: &ObjectFrame, axes: Frame) -> Motion {
    let r = object.p - data.position.com[model.bodies.root[object.body].idx()];
    in_axes(data.velocity.V[object.body].shifted(r), object, axes)
}

/// Acceleration of an object's frame, at its origin, with gravity as an upward acceleration (as an
/// accelerometer measures it). Needs [`post_constraint`](crate::dynamics::update_post_constraint).
pub fn calc_object_acceleration(model: &Model, data: &Data, object: &ObjectFrame, axes: Frame) -> Motion {
    let r = object.p - data.position.com[model.bodies.root[object.body].idx()];
    let V = data.velocity.V[object.body].shifted(r);
    let mut A = data.acceleration.A[object.body].shifted(r);
    // From spatial to conventional acceleration.
    A.lin += V.ang.cross(V.lin);
    in_axes(A, object, axes)
}

fn in_axes(m: Motion, object: &ObjectFrame, axes: Frame) -> Motion {
    match axes {
        Frame::World => m,
        Frame::Local => Motion::new(object.R.tmul(m.ang), object.R.tmul(m.lin)),
    }
}
