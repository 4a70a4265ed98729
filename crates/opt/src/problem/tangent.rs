//! Differences on the configuration manifold and their derivatives.
//!
//! v = (q₂ ⊖ q₁)/h, with changes δ₁, δ₂ in the tangent spaces of q₁ and q₂ (q ← q ⊕ δ). For dofs of
//! vector spaces ∂v/∂δ₂ = 1/h = −∂v/∂δ₁. For a rotation r = log(q₁⁻¹ q₂) in the axes of the child,
//!   ∂r/∂δ₂ = J_r⁻¹(r),   ∂r/∂δ₁ = −J_r⁻ᵀ(r),   J_r⁻¹ = 1 + ½ `[r]` + γ `[r]`²,            (1)
//!   γ = 1/θ² − (1 + cos θ)/(2 θ sin θ) = (1 − ½ θ cot ½θ)/θ²,   θ = |r|.

use saltus_math::{Mat3, Quat, Vec3, real};
use saltus_sim::Model;
use saltus_sim::model::kinds::JointKind;

/// Where rotations sit among coordinates and dofs of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rotations {
    /// First coordinate of the quaternion and first dof of each.
    pub at: Vec<(usize, usize)>,
    /// For each dof its rotation and its place in it.
    pub of_dof: Vec<Option<(usize, usize)>>,
}

impl Rotations {
    /// The rotations of a model.
    pub fn new(model: &Model) -> Self {
        let mut found = Self { at: Vec::new(), of_dof: vec![None; model.size.nv] };
        for j in 0..model.njoint() {
            let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
            let at = match model.joints.kind[j] {
                JointKind::Free => (i + 3, d + 3),
                JointKind::Ball => (i, d),
                JointKind::Slide | JointKind::Hinge => continue,
            };
            for k in 0..3 {
                found.of_dof[at.1 + k] = Some((found.at.len(), k));
            }
            found.at.push(at);
        }
        found
    }
}

/// J_r⁻¹(r) of (1).
pub(crate) fn log_jacobian(r: Vec3) -> Mat3 {
    let theta2 = r.length_squared();
    let gamma = if theta2 < 1e-6 {
        1.0 / 12.0 + theta2 / 720.0
    } else {
        let half = 0.5 * theta2.sqrt();
        (1.0 - half * real::cos(half) / real::sin(half)) / theta2
    };
    let mut out = [[0.0; 3]; 3];
    let cross = [[0.0, -r.z, r.y], [r.z, 0.0, -r.x], [-r.y, r.x, 0.0]];
    let outer = [r.x, r.y, r.z];
    for i in 0..3 {
        for j in 0..3 {
            let own = if i == j { 1.0 } else { 0.0 };
            // [r]² = r rᵀ − |r|² 1
            out[i][j] = own + 0.5 * cross[i][j] + gamma * (outer[i] * outer[j] - own * theta2);
        }
    }
    Mat3::new(Vec3::from(out[0]), Vec3::from(out[1]), Vec3::from(out[2]))
}

/// Rotation from one configuration to another, as a vector.
pub(crate) fn turn(rotation: (usize, usize), q1: &[f64], q2: &[f64]) -> Vec3 {
    let i = rotation.0;
    (Quat::from_slice(&q1[i..i + 4]).conj() * Quat::from_slice(&q2[i..i + 4])).log()
}

/// J_r⁻¹ of the rotations between two configurations, one for each; rows of ∂(q₂ ⊖ q₁)/∂δ₂,
/// transposed and negative of ∂(q₂ ⊖ q₁)/∂δ₁.
pub(crate) fn update_log_jacobians(rotations: &Rotations, q1: &[f64], q2: &[f64], out: &mut Vec<Mat3>) {
    out.clear();
    out.extend(rotations.at.iter().map(|&at| log_jacobian(turn(at, q1, q2))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_jacobian_is_the_derivative_of_the_logarithm() {
        for r in [Vec3::new(0.3, -0.2, 0.5), Vec3::new(1e-5, 2e-5, -1e-5), Vec3::new(1.5, 1.0, -2.0), Vec3::ZERO] {
            let (q, eps) = (Quat::IDENTITY.integrate(r, 1.0), 1e-6);
            let jacobian = log_jacobian(r);
            for k in 0..3 {
                let mut e = [0.0; 3];
                e[k] = eps;
                let e = Vec3::from(e);
                let after = (q.integrate(e, 1.0).log() - q.integrate(-e, 1.0).log()) / (2.0 * eps);
                assert!((after - jacobian.col(k)).length() < 1e-8, "{r} {k}: {after} {}", jacobian.col(k));
                // The first argument: log(exp(−δ) q).
                let back = |e: Vec3| (Quat::IDENTITY.integrate(-e, 1.0) * q).log();
                let before = (back(e) - back(-e)) / (2.0 * eps);
                assert!((before + jacobian.transpose().col(k)).length() < 1e-8, "{r} {k}");
            }
        }
    }
}
