//! Joint kinds. Each file has the same functions: how the joint moves its body, the motion axes of
//! its dofs, and how its coordinates are integrated and compared.

pub mod ball;
pub mod free;
pub mod hinge;
pub mod slide;

use saltus_math::{Quat, Vec3};

/// A body frame on its way through the body's joints.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    pub p: Vec3,
    pub quat: Quat,
}

impl Pose {
    /// Turns the frame by `turn` (in its own axes) about a point fixed in it.
    #[inline]
    fn turned(self, turn: Quat, local_anchor: Vec3, anchor: Vec3) -> Pose {
        let quat = self.quat * turn;
        let p = if local_anchor == Vec3::ZERO { self.p } else { anchor - quat.rotate(local_anchor) };
        Pose { p, quat }
    }
}
