//! Free joint: position and orientation in the world. Six dofs: linear velocity in world axes,
//! angular in body axes.

use super::{Pose, ball};
use saltus_math::{Mat3, Motion, Quat, Vec3};

/// Pose from seven coordinates. The quaternion need not be normalized.
#[inline]
pub fn pose(q: &[f64]) -> Pose {
    Pose { p: Vec3::from_slice(q), quat: Quat::from_slice(&q[3..7]).renormalized() }
}

/// Motion axes; `r` from the joint anchor to the origin of the c-frame.
#[inline]
pub fn axes(R_WB: &Mat3, r: Vec3, S: &mut [Motion]) {
    for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        S[k] = Motion::new(Vec3::ZERO, axis);
    }
    ball::axes(R_WB, r, &mut S[3..6]);
}

/// q ← q ⊕ h v.
pub fn integrate(q: &mut [f64], v: &[f64], h: f64) {
    for k in 0..3 {
        q[k] += h * v[k];
    }
    ball::integrate(&mut q[3..7], &v[3..6], h);
}

/// v with q₁ ⊕ h v = q₂.
pub fn difference(q1: &[f64], q2: &[f64], h: f64, v: &mut [f64]) {
    for k in 0..3 {
        v[k] = (q2[k] - q1[k]) / h;
    }
    ball::difference(&q1[3..7], &q2[3..7], h, &mut v[3..6]);
}
