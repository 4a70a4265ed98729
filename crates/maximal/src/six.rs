//! Six numbers in eight lanes: angular x y z 0, linear x y z 0. The inner loop of sweeps works on whole lanes.

use saltus_math::Vec3;

/// A velocity (ω, v) or an impulse (moment, linear) of a link about its centre of mass, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Six {
    ang: [f64; 4],
    lin: [f64; 4],
}

impl Six {
    pub const ZERO: Six = Six { ang: [0.0; 4], lin: [0.0; 4] };

    #[inline]
    pub fn new(ang: Vec3, lin: Vec3) -> Self {
        Self { ang: [ang.x, ang.y, ang.z, 0.0], lin: [lin.x, lin.y, lin.z, 0.0] }
    }
    #[inline]
    pub fn from_array(a: &[f64; 6]) -> Self {
        Self { ang: [a[0], a[1], a[2], 0.0], lin: [a[3], a[4], a[5], 0.0] }
    }
    #[inline]
    pub fn to_array(self) -> [f64; 6] {
        [self.ang[0], self.ang[1], self.ang[2], self.lin[0], self.lin[1], self.lin[2]]
    }
    #[inline]
    pub fn ang(&self) -> Vec3 {
        Vec3::new(self.ang[0], self.ang[1], self.ang[2])
    }
    #[inline]
    pub fn lin(&self) -> Vec3 {
        Vec3::new(self.lin[0], self.lin[1], self.lin[2])
    }
    /// Lane by lane products, not yet summed: self · b + sum.
    #[inline(always)]
    pub fn lanes(&self, b: &Six, sum: &mut [f64; 4]) {
        for k in 0..4 {
            sum[k] += self.ang[k] * b.ang[k] + self.lin[k] * b.lin[k];
        }
    }
    #[inline]
    pub fn dot(&self, b: &Six) -> f64 {
        let mut sum = [0.0; 4];
        self.lanes(b, &mut sum);
        (sum[0] + sum[1]) + (sum[2] + sum[3])
    }
    /// self += s b.
    #[inline(always)]
    pub fn add_scaled(&mut self, s: f64, b: &Six) {
        for k in 0..4 {
            self.ang[k] += s * b.ang[k];
            self.lin[k] += s * b.lin[k];
        }
    }
}
