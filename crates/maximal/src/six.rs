//! Six numbers in eight lanes: angular x y z, linear x y z, 0 0. The inner loops of sweeps work on
//! whole lanes.

use crate::four::{Quad, Twist};
use saltus_math::Vec3;

/// A velocity (ω, v) or an impulse (moment, linear) of a link about its centre of mass, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Six(pub [f64; 8]);

impl Six {
    pub const ZERO: Six = Six([0.0; 8]);

    #[inline]
    pub fn new(ang: Vec3, lin: Vec3) -> Self {
        Self([ang.x, ang.y, ang.z, lin.x, lin.y, lin.z, 0.0, 0.0])
    }
    #[inline]
    pub fn from_array(a: &[f64; 6]) -> Self {
        Self([a[0], a[1], a[2], a[3], a[4], a[5], 0.0, 0.0])
    }
    #[inline]
    pub fn to_array(self) -> [f64; 6] {
        let [a, b, c, d, e, f, _, _] = self.0;
        [a, b, c, d, e, f]
    }
    #[inline]
    pub fn ang(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }
    #[inline]
    pub fn lin(&self) -> Vec3 {
        Vec3::new(self.0[3], self.0[4], self.0[5])
    }
    /// With the linear part in a quad of its own, as sweeps have it.
    #[inline]
    pub fn to_twist(self) -> Twist {
        let [a, b, c, d, e, f, _, _] = self.0;
        [Quad([a, b, c, 0.0]), Quad([d, e, f, 0.0])]
    }
    #[inline]
    pub fn from_twist([ang, lin]: Twist) -> Self {
        let ([a, b, c, _], [d, e, f, _]) = (ang.0, lin.0);
        Self([a, b, c, d, e, f, 0.0, 0.0])
    }
    #[inline]
    pub fn dot(&self, b: &Six) -> f64 {
        let mut sum = [0.0; 4];
        for k in 0..4 {
            sum[k] = self.0[k] * b.0[k] + self.0[k + 4] * b.0[k + 4];
        }
        (sum[0] + sum[1]) + (sum[2] + sum[3])
    }
    /// self += s b.
    #[inline(always)]
    pub fn add_scaled(&mut self, s: f64, b: &Six) {
        for k in 0..8 {
            self.0[k] += s * b.0[k];
        }
    }
}
