//! Slide: translation along an axis fixed in parent and child.

use super::Pose;
use saltus_math::{Motion, Vec3};

#[inline]
pub fn moved(pose: Pose, distance: f64, axis_W: Vec3) -> Pose {
    Pose { p: pose.p + axis_W * distance, ..pose }
}

#[inline]
pub fn axis(axis_W: Vec3) -> Motion {
    Motion::new(Vec3::ZERO, axis_W)
}
