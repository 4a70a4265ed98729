//! Unit quaternions, w first.

use crate::{MIN_VAL, Mat3, Vec3, real};
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

/// Quaternion `w + x i + y j + z k`, stored in that order. As a rotation it maps child to parent
/// coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Quat {
    /// Real part.
    pub w: f64,
    /// Coefficient of i.
    pub x: f64,
    /// Coefficient of j.
    pub y: f64,
    /// Coefficient of k.
    pub z: f64,
}

impl Default for Quat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Quat {
    /// The identity rotation.
    pub const IDENTITY: Quat = Quat { w: 1.0, x: 0.0, y: 0.0, z: 0.0 };

    /// Creates a quaternion from its components.
    #[inline]
    pub const fn new(w: f64, x: f64, y: f64, z: f64) -> Self {
        Self { w, x, y, z }
    }
    /// Creates a quaternion from the first four numbers of a slice, w first.
    #[inline]
    pub fn from_slice(s: &[f64]) -> Self {
        Self::new(s[0], s[1], s[2], s[3])
    }
    /// The components, w first.
    #[inline]
    pub fn to_array(self) -> [f64; 4] {
        [self.w, self.x, self.y, self.z]
    }
    /// The imaginary part.
    #[inline]
    pub fn vec(self) -> Vec3 {
        Vec3::new(self.x, self.y, self.z)
    }

    /// Rotation by `angle` about the unit vector `axis`.
    #[inline]
    pub fn from_axis_angle(axis: Vec3, angle: f64) -> Self {
        if angle == 0.0 {
            return Self::IDENTITY;
        }
        let (s, c) = real::sin_cos(0.5 * angle);
        Self::new(c, axis.x * s, axis.y * s, axis.z * s)
    }

    /// The norm.
    #[inline]
    pub fn norm(self) -> f64 {
        (self.w * self.w + self.x * self.x + self.y * self.y + self.z * self.z).sqrt()
    }

    /// Unit quaternion in the same direction; the identity if the norm is below [`MIN_VAL`].
    /// Quaternions already of unit length to 1e-15 are returned unchanged, bit for bit.
    #[inline]
    pub fn normalized(self) -> Self {
        let n = self.norm();
        if n < MIN_VAL {
            Self::IDENTITY
        } else if (n - 1.0).abs() > MIN_VAL {
            self.scaled(1.0 / n)
        } else {
            self
        }
    }

    /// [`normalized`](Self::normalized) for the inner loop: a norm that is off by round-off is
    /// corrected to first order, 1/√s ≈ (3 − s)/2 for s = |q|² near 1, exact to round-off for |s −
    /// 1| < 1e-8; no root, no division, and no branch that cannot be predicted.
    #[inline]
    pub fn renormalized(self) -> Self {
        let s = self.w * self.w + self.x * self.x + self.y * self.y + self.z * self.z;
        if (s - 1.0).abs() < 1e-8 { self.scaled(0.5 * (3.0 - s)) } else { self.normalized() }
    }

    #[inline]
    fn scaled(self, s: f64) -> Self {
        Self::new(self.w * s, self.x * s, self.y * s, self.z * s)
    }

    /// The inverse rotation.
    #[inline]
    pub fn conj(self) -> Self {
        Self::new(self.w, -self.x, -self.y, -self.z)
    }

    /// R(q) v = v + 2 w (u × v) + 2 u × (u × v), u the vector part.
    #[inline]
    pub fn rotate(self, v: Vec3) -> Vec3 {
        let u = self.vec();
        let t = 2.0 * u.cross(v);
        v + self.w * t + u.cross(t)
    }

    /// Rotation matrix of a unit quaternion.
    #[inline]
    pub fn to_mat3(self) -> Mat3 {
        let Quat { w, x, y, z } = self;
        let (ww, xx, yy, zz) = (w * w, x * x, y * y, z * z);
        let (wx, wy, wz, xy, xz, yz) = (w * x, w * y, w * z, x * y, x * z, y * z);
        Mat3::new(
            Vec3::new(ww + xx - yy - zz, 2.0 * (xy - wz), 2.0 * (xz + wy)),
            Vec3::new(2.0 * (xy + wz), ww - xx + yy - zz, 2.0 * (yz - wx)),
            Vec3::new(2.0 * (xz - wy), 2.0 * (yz + wx), ww - xx - yy + zz),
        )
    }

    /// Shortest rotation that carries the z axis to direction `v` (v ≠ 0; v ∥ −z turns about x).
    pub fn from_z_to(v: Vec3) -> Self {
        let (v, _) = crate::normalize(v);
        let c = Vec3::Z.cross(v);
        let s = c.length();
        let axis = if s < 1e-10 { Vec3::X } else { c / s };
        Self::from_axis_angle(axis, real::atan2(s, v.z))
    }

    /// Rotation vector (axis × angle) with angle in (−π, π].
    #[inline]
    pub fn log(self) -> Vec3 {
        let (axis, s) = crate::normalize(self.vec());
        let mut angle = 2.0 * real::atan2(s, self.w);
        if angle > real::PI {
            angle -= 2.0 * real::PI;
        }
        axis * angle
    }

    /// q ∘ exp(ω h): rotation by the body-frame angular velocity `omega` for time `h`, normalized.
    #[inline]
    pub fn integrate(self, omega: Vec3, h: f64) -> Self {
        let (axis, speed) = crate::normalize(omega);
        (self * Self::from_axis_angle(axis, h * speed)).renormalized()
    }
}

impl core::ops::Mul for Quat {
    type Output = Quat;
    #[inline]
    fn mul(self, b: Quat) -> Quat {
        let a = self;
        Quat::new(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )
    }
}

impl Mat3 {
    /// Quaternion of a rotation matrix, by the largest of the four candidates (no cancellation).
    pub fn to_quat(&self) -> Quat {
        let (m00, m11, m22) = (self.r0.x, self.r1.y, self.r2.z);
        let q = if m00 + m11 + m22 > 0.0 {
            let w = 0.5 * (1.0 + m00 + m11 + m22).sqrt();
            let s = 0.25 / w;
            Quat::new(w, s * (self.r2.y - self.r1.z), s * (self.r0.z - self.r2.x), s * (self.r1.x - self.r0.y))
        } else if m00 > m11 && m00 > m22 {
            let x = 0.5 * (1.0 + m00 - m11 - m22).sqrt();
            let s = 0.25 / x;
            Quat::new(s * (self.r2.y - self.r1.z), x, s * (self.r1.x + self.r0.y), s * (self.r0.z + self.r2.x))
        } else if m11 > m22 {
            let y = 0.5 * (1.0 - m00 + m11 - m22).sqrt();
            let s = 0.25 / y;
            Quat::new(s * (self.r0.z - self.r2.x), s * (self.r1.x + self.r0.y), y, s * (self.r2.y + self.r1.z))
        } else {
            let z = 0.5 * (1.0 - m00 - m11 + m22).sqrt();
            let s = 0.25 / z;
            Quat::new(s * (self.r1.x - self.r0.y), s * (self.r0.z + self.r2.x), s * (self.r2.y + self.r1.z), z)
        };
        q.normalized()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Vec3, b: Vec3) {
        assert!((a - b).length() < 1e-14 * (1.0 + b.length()), "{a} should be {b}");
    }
    fn samples() -> impl Iterator<Item = (Quat, Vec3)> {
        (0..200).map(|k| {
            let t = f64::from(k);
            let axis = Vec3::new(real::sin(t), real::cos(1.3 * t), real::sin(2.1 * t + 1.0)).normalize();
            let angle = 3.1 * real::sin(0.7 * t);
            (Quat::from_axis_angle(axis, angle), axis * angle)
        })
    }

    #[test]
    fn rotation_matrix_and_quaternion_turn_vectors_alike() {
        let v = Vec3::new(0.3, -1.2, 0.7);
        for (q, _) in samples() {
            close(q.to_mat3() * v, q.rotate(v));
            close(q.conj().rotate(q.rotate(v)), v);
        }
    }

    #[test]
    fn product_composes_rotations() {
        let v = Vec3::new(0.3, -1.2, 0.7);
        for ((a, _), (b, _)) in samples().zip(samples().skip(7)) {
            close((a * b).rotate(v), a.rotate(b.rotate(v)));
            close((a * b).to_mat3() * v, a.to_mat3() * (b.to_mat3() * v));
        }
    }

    #[test]
    fn log_undoes_axis_angle_and_integrate() {
        for (q, rotation) in samples() {
            close(q.log(), rotation);
            close(Quat::new(-q.w, -q.x, -q.y, -q.z).log(), rotation);
            let start = Quat::from_axis_angle(Vec3::X, 1.0);
            close((start.conj() * start.integrate(rotation, 0.5)).log(), rotation * 0.5);
        }
        close(Quat::IDENTITY.log(), Vec3::ZERO);
    }

    #[test]
    fn normalization_has_a_direction_for_every_input() {
        assert_eq!(Quat::new(0.0, 0.0, 0.0, 0.0).normalized(), Quat::IDENTITY);
        assert!((Quat::new(3.0, -4.0, 12.0, 84.0).normalized().norm() - 1.0).abs() < 1e-15);
        let unit = Quat::new(0.6, 0.8, 0.0, 0.0);
        assert_eq!(unit.normalized(), unit);
    }

    #[test]
    fn z_axis_is_carried_to_the_direction() {
        for v in [Vec3::X, Vec3::Z, -Vec3::Z, Vec3::new(1.0, -2.0, 0.5), Vec3::new(1e-12, 0.0, -1.0)] {
            assert!((Quat::from_z_to(v).rotate(Vec3::Z) - v.normalize()).length() < 1e-11, "{v}");
        }
    }
}
