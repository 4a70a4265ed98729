//! Principal axes of a symmetric 3×3 matrix by Jacobi rotations, accumulated as a quaternion so
//! that the result is a proper rotation by construction [GolubVanLoan2013, §8.5].

use core::f64::consts::FRAC_1_SQRT_2;
use saltus_math::{Mat3, Quat, Vec3};

/// The matrix counts as diagonal if the norm of the off-diagonal part is below this fraction of the
/// diagonal's: for exact numbers, and for numbers from single-precision vertices.
pub(super) const EXACT: f64 = 1e-16;
pub(super) const SINGLE: f64 = 1e-7;
/// Eigenvalues are not reordered if they differ by less than this fraction of the largest, or than
/// the fraction above.
const ORDER_EPS: f64 = 1e-12;
const MAX_ROTATIONS: usize = 100;

/// Eigenvalues in descending order, and the rotation whose columns are the eigenvectors: A = R
/// diag(λ) Rᵀ.
///
/// Each step eliminates the largest off-diagonal entry; the accumulated rotation is therefore
/// small, and a matrix that is diagonal and ordered keeps the identity.
pub(super) fn principal_axes(a: &Mat3, eps: f64) -> (Vec3, Quat) {
    let mut quat = Quat::IDENTITY;
    let mut diagonal = Vec3::ZERO;
    for _ in 0..MAX_ROTATIONS {
        let r = quat.to_mat3();
        let d = r.transpose() * *a * r;
        diagonal = Vec3::new(d.r0.x, d.r1.y, d.r2.z);
        let (xy, xz, yz) = (d.r0.y.abs(), d.r0.z.abs(), d.r1.z.abs());
        // Plane of the largest entry, and the axis of rotation.
        let (i, j, axis, off) = if xy > xz && xy > yz {
            (0, 1, Vec3::Z, d.r0.y)
        } else if xz > yz {
            (0, 2, -Vec3::Y, d.r0.z)
        } else {
            (1, 2, Vec3::X, d.r1.z)
        };
        let off_norm = (2.0 * (xy * xy + xz * xz + yz * yz)).sqrt();
        if off_norm <= eps * diagonal.length() || off == 0.0 || !off_norm.is_finite() {
            break;
        }
        // tan θ is the smaller root of t² + 2 τ t − 1 = 0, which rotates by at most 45°.
        let tau = (diagonal[j] - diagonal[i]) / (2.0 * off);
        let t = if tau >= 0.0 { 1.0 } else { -1.0 } / (tau.abs() + (1.0 + tau * tau).sqrt());
        let c = 1.0 / (1.0 + t * t).sqrt();
        // Half-angle formulas; the rotation is by −θ about the axis.
        let c_half = (0.5 * (1.0 + c)).sqrt();
        let s_half = -t * c / (2.0 * c_half);
        let v = axis * s_half;
        quat = (quat * Quat::new(c_half, v.x, v.y, v.z).normalized()).normalized();
    }
    // Sorts by quarter turns, which swap two axes.
    for k in [0, 1, 0] {
        if diagonal[k] + eps.max(ORDER_EPS) * diagonal.abs().max_element() < diagonal[k + 1] {
            let (a, b) = (diagonal[k], diagonal[k + 1]);
            diagonal[k] = b;
            diagonal[k + 1] = a;
            let axis = [Vec3::Z, Vec3::X][k] * FRAC_1_SQRT_2;
            quat = (quat * Quat::new(FRAC_1_SQRT_2, axis.x, axis.y, axis.z)).normalized();
        }
    }
    (diagonal, quat)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::pose::symmetric;

    #[test]
    fn axes_rebuild_the_matrix() {
        let a = symmetric([1.0, 4.0, 2.0, 0.3, -0.7, 0.2]);
        let (d, q) = principal_axes(&a, EXACT);
        let r = q.to_mat3();
        let b = r * Mat3::diag(d) * r.transpose();
        for k in 0..3 {
            assert!((a.col(k) - b.col(k)).length() < 1e-14);
        }
        assert!(d.x >= d.y && d.y >= d.z);
    }

    #[test]
    fn almost_equal_moments_of_single_precision_keep_their_order() {
        // MuJoCo reorders boxes of 1 × (1 + δ) × 2 from a difference of 1e-7 on.
        let ordered = |difference: f64| principal_axes(&Mat3::diag(Vec3::new(1.0 - difference, 1.0, 0.4)), SINGLE).0;
        assert_eq!(ordered(9e-8).y, 1.0);
        assert_eq!(ordered(1.4e-7).x, 1.0);
    }

    #[test]
    fn axes_are_those_of_the_reference() {
        let (d, q) = principal_axes(&symmetric([2.0, 4.0, 3.0, 0.3, -0.7, 0.2]), EXACT);
        let expected = [0.6129793464912453, 0.4197481739606769, 0.3098554761359758, 0.5933442298871665];
        for (a, b) in q.to_array().iter().zip(expected) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        assert!((d - Vec3::new(4.055499010662076, 3.3579374477559765, 1.5865635415819617)).length() < 1e-13);
    }
}
