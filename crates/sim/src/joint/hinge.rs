//! Hinge: rotation about an axis fixed in parent and child.

use super::Pose;
use saltus_math::{Motion, Quat, Vec3};

#[inline]
pub fn moved(pose: Pose, angle: f64, local_axis: Vec3, local_anchor: Vec3, anchor: Vec3) -> Pose {
    pose.turned(Quat::from_axis_angle(local_axis, angle), local_anchor, anchor)
}

/// Motion axis; `r` from the joint anchor to the origin of the c-frame.
#[inline]
pub fn axis(axis_W: Vec3, r: Vec3) -> Motion {
    Motion::new(axis_W, axis_W.cross(r))
}
