//! Rigid transformations and comparison of frames.

use crate::model::kinds::SameFrame;
use saltus_math::{Mat3, Quat, Vec3};

/// Coordinates or quaternion components closer than this count as equal.
pub(super) const FRAME_EPS: f64 = 1e-6;

/// A frame relative to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    pub pos: Vec3,
    pub quat: Quat,
}

impl Pose {
    pub const IDENTITY: Pose = Pose { pos: Vec3::ZERO, quat: Quat::IDENTITY };

    pub fn new(pos: Vec3, quat: Quat) -> Self {
        Self { pos, quat }
    }
    /// Composition: the frame `child`, given relative to this frame, relative to this frame's
    /// parent.
    pub fn then(&self, child: Pose) -> Pose {
        Pose::new(self.pos + self.quat.rotate(child.pos), (self.quat * child.quat).normalized())
    }
    pub fn inverse(&self) -> Pose {
        let quat = self.quat.conj();
        Pose::new(-quat.rotate(self.pos), quat)
    }
}

pub(super) fn same_pos(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().max_element() < FRAME_EPS
}

/// Equality of quaternions: q and −q are different here.
pub(super) fn same_quat(a: Quat, b: Quat) -> bool {
    let (a, b) = (a.to_array(), b.to_array());
    a.iter().zip(&b).all(|(a, b)| (a - b).abs() < FRAME_EPS)
}

/// Relation of a frame fixed to a body to the body frame and the inertial frame.
pub(super) fn same_frame(frame: Pose, inertial: Pose) -> SameFrame {
    let body_rot = same_quat(frame.quat, Quat::IDENTITY);
    let inertial_rot = same_quat(frame.quat, inertial.quat);
    if body_rot && same_pos(frame.pos, Vec3::ZERO) {
        SameFrame::Body
    } else if body_rot {
        SameFrame::BodyRotation
    } else if inertial_rot && same_pos(frame.pos, inertial.pos) {
        SameFrame::Inertia
    } else if inertial_rot {
        SameFrame::InertiaRotation
    } else {
        SameFrame::Own
    }
}

/// Symmetric matrix from Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
pub(super) fn symmetric(s: [f64; 6]) -> Mat3 {
    Mat3::new(Vec3::new(s[0], s[3], s[4]), Vec3::new(s[3], s[1], s[5]), Vec3::new(s[4], s[5], s[2]))
}
