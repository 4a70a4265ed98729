//! Arithmetic on the configuration manifold.

use crate::joint::{ball, free};
use crate::model::{Model, kinds::JointKind};
use saltus_math::Quat;

/// q ← q ⊕ h v.
pub fn integrate(model: &Model, q: &mut [f64], v: &[f64], h: f64) {
    for j in 0..model.njoint() {
        let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        match model.joints.kind[j] {
            JointKind::Free => free::integrate(&mut q[i..i + 7], &v[d..d + 6], h),
            JointKind::Ball => ball::integrate(&mut q[i..i + 4], &v[d..d + 3], h),
            JointKind::Slide | JointKind::Hinge => q[i] += h * v[d],
        }
    }
}

/// v with q₁ ⊕ h v = q₂.
pub fn difference(model: &Model, q1: &[f64], q2: &[f64], h: f64, v: &mut [f64]) {
    for j in 0..model.njoint() {
        let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        match model.joints.kind[j] {
            JointKind::Free => free::difference(&q1[i..i + 7], &q2[i..i + 7], h, &mut v[d..d + 6]),
            JointKind::Ball => ball::difference(&q1[i..i + 4], &q2[i..i + 4], h, &mut v[d..d + 3]),
            JointKind::Slide | JointKind::Hinge => v[d] = (q2[i] - q1[i]) / h,
        }
    }
}

/// Normalizes the quaternions in q.
pub fn normalize(model: &Model, q: &mut [f64]) {
    for j in 0..model.njoint() {
        let i = model.joints.q_start[j] as usize;
        let quat = match model.joints.kind[j] {
            JointKind::Free => &mut q[i + 3..i + 7],
            JointKind::Ball => &mut q[i..i + 4],
            JointKind::Slide | JointKind::Hinge => continue,
        };
        let unit = Quat::from_slice(quat).normalized();
        quat.copy_from_slice(&unit.to_array());
    }
}
