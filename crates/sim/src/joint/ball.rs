//! Ball joint: a rotation. Three dofs: angular velocity in the child's axes.

use super::Pose;
use saltus_math::{Mat3, Motion, Quat, Vec3};

#[inline]
pub fn moved(pose: Pose, q: &[f64], local_anchor: Vec3, anchor: Vec3) -> Pose {
    pose.turned(Quat::from_slice(q).renormalized(), local_anchor, anchor)
}

/// Motion axes; `r` from the joint anchor to the origin of the c-frame.
#[inline]
pub fn axes(R_WB: &Mat3, r: Vec3, S: &mut [Motion]) {
    for k in 0..3 {
        let axis = R_WB.col(k);
        S[k] = Motion::new(axis, axis.cross(r));
    }
}

/// q ← q ⊕ h v.
pub fn integrate(q: &mut [f64], v: &[f64], h: f64) {
    let next = Quat::from_slice(q).integrate(Vec3::from_slice(v), h);
    q.copy_from_slice(&next.to_array());
}

/// v with q₁ ⊕ h v = q₂.
pub fn difference(q1: &[f64], q2: &[f64], h: f64, v: &mut [f64]) {
    let turn = Quat::from_slice(q1).conj() * Quat::from_slice(q2);
    (turn.log() / h).write_to_slice(v);
}
