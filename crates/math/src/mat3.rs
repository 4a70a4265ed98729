//! 3×3 matrices, row major.

use crate::Vec3;
use bytemuck::{Pod, Zeroable};
use core::ops::{Add, Mul, Sub};
use serde::{Deserialize, Serialize};

/// Row-major 3×3 matrix; as a rotation its columns are the child's axes in parent coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Mat3 {
    /// First row.
    pub r0: Vec3,
    /// Second row.
    pub r1: Vec3,
    /// Third row.
    pub r2: Vec3,
}

impl Default for Mat3 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Mat3 {
    /// The identity.
    pub const IDENTITY: Mat3 = Mat3 { r0: Vec3::X, r1: Vec3::Y, r2: Vec3::Z };
    /// Zero.
    pub const ZERO: Mat3 = Mat3 { r0: Vec3::ZERO, r1: Vec3::ZERO, r2: Vec3::ZERO };

    /// From rows.
    #[inline]
    pub const fn new(r0: Vec3, r1: Vec3, r2: Vec3) -> Self {
        Self { r0, r1, r2 }
    }
    /// From columns.
    #[inline]
    pub fn from_cols(c0: Vec3, c1: Vec3, c2: Vec3) -> Self {
        Self::new(Vec3::new(c0.x, c1.x, c2.x), Vec3::new(c0.y, c1.y, c2.y), Vec3::new(c0.z, c1.z, c2.z))
    }
    /// A diagonal matrix.
    #[inline]
    pub fn diag(d: Vec3) -> Self {
        Self::new(Vec3::new(d.x, 0.0, 0.0), Vec3::new(0.0, d.y, 0.0), Vec3::new(0.0, 0.0, d.z))
    }
    /// Cross-product matrix: `skew(a) b = a × b`.
    #[inline]
    pub fn skew(a: Vec3) -> Self {
        Self::new(Vec3::new(0.0, -a.z, a.y), Vec3::new(a.z, 0.0, -a.x), Vec3::new(-a.y, a.x, 0.0))
    }
    /// A column.
    #[inline]
    pub fn col(&self, i: usize) -> Vec3 {
        Vec3::new(self.r0[i], self.r1[i], self.r2[i])
    }
    /// The transpose.
    #[inline]
    pub fn transpose(&self) -> Self {
        Self::from_cols(self.r0, self.r1, self.r2)
    }
    /// `Mᵀ v`.
    #[inline]
    pub fn tmul(&self, v: Vec3) -> Vec3 {
        self.r0 * v.x + self.r1 * v.y + self.r2 * v.z
    }
    /// The determinant.
    #[inline]
    pub fn det(&self) -> f64 {
        self.r0.dot(self.r1.cross(self.r2))
    }
}

impl Mul<Vec3> for Mat3 {
    type Output = Vec3;
    #[inline]
    fn mul(self, v: Vec3) -> Vec3 {
        Vec3::new(self.r0.dot(v), self.r1.dot(v), self.r2.dot(v))
    }
}
impl Mul for Mat3 {
    type Output = Mat3;
    #[inline]
    fn mul(self, b: Mat3) -> Mat3 {
        let row = |a: Vec3| b.r0 * a.x + b.r1 * a.y + b.r2 * a.z;
        Mat3::new(row(self.r0), row(self.r1), row(self.r2))
    }
}
impl Mul<f64> for Mat3 {
    type Output = Mat3;
    #[inline]
    fn mul(self, s: f64) -> Mat3 {
        Mat3::new(self.r0 * s, self.r1 * s, self.r2 * s)
    }
}
impl Add for Mat3 {
    type Output = Mat3;
    #[inline]
    fn add(self, b: Mat3) -> Mat3 {
        Mat3::new(self.r0 + b.r0, self.r1 + b.r1, self.r2 + b.r2)
    }
}
impl Sub for Mat3 {
    type Output = Mat3;
    #[inline]
    fn sub(self, b: Mat3) -> Mat3 {
        Mat3::new(self.r0 - b.r0, self.r1 - b.r1, self.r2 - b.r2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quat, real};

    #[test]
    fn quaternion_of_a_rotation_matrix_gives_it_back() {
        for k in 0..300 {
            let t = f64::from(k);
            let axis = Vec3::new(real::sin(t), real::cos(1.7 * t), real::sin(2.3 * t)).normalize();
            // Around half a turn the trace is small, and each of the four branches is taken.
            let q = Quat::from_axis_angle(axis, real::PI * (1.0 - 0.002 * t));
            let (m, back) = (q.to_mat3(), q.to_mat3().to_quat().to_mat3());
            let error = (m - back).r0.length() + (m - back).r1.length() + (m - back).r2.length();
            assert!(error < 1e-13, "{q:?}: {error:e}");
        }
    }

    #[test]
    fn products_agree() {
        let a = Mat3::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 2.0), Vec3::new(0.0, 4.0, -2.0));
        let b = Mat3::from_cols(Vec3::new(0.5, 1.0, -1.0), Vec3::new(2.0, 0.0, 1.0), Vec3::new(1.0, 1.0, 3.0));
        let v = Vec3::new(1.0, -2.0, 0.5);
        assert_eq!((a * b) * v, a * (b * v));
        assert_eq!(a.tmul(v), a.transpose() * v);
        assert_eq!((a * b).det(), a.det() * b.det());
        assert_eq!(Mat3::skew(v) * b.r1, v.cross(b.r1));
        assert_eq!(b.col(1), Vec3::new(2.0, 0.0, 1.0));
    }
}
