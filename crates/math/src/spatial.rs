//! Spatial (6D) vectors, angular part first.

use crate::Vec3;
use bytemuck::{Pod, Zeroable};
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use serde::{Deserialize, Serialize};

/// Spatial motion: angular velocity and the linear velocity of the body point at the frame's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Motion {
    pub ang: Vec3,
    pub lin: Vec3,
}

/// Spatial force: moment about the frame's origin and linear force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Force {
    pub ang: Vec3,
    pub lin: Vec3,
}

macro_rules! vector_space {
    ($t:ident) => {
        impl $t {
            pub const ZERO: $t = $t { ang: Vec3::ZERO, lin: Vec3::ZERO };
            #[inline]
            pub const fn new(ang: Vec3, lin: Vec3) -> Self {
                Self { ang, lin }
            }
            #[inline]
            pub fn to_array(self) -> [f64; 6] {
                [self.ang.x, self.ang.y, self.ang.z, self.lin.x, self.lin.y, self.lin.z]
            }
        }
        impl Add for $t {
            type Output = $t;
            #[inline]
            fn add(self, b: $t) -> $t {
                $t::new(self.ang + b.ang, self.lin + b.lin)
            }
        }
        impl Sub for $t {
            type Output = $t;
            #[inline]
            fn sub(self, b: $t) -> $t {
                $t::new(self.ang - b.ang, self.lin - b.lin)
            }
        }
        impl Neg for $t {
            type Output = $t;
            #[inline]
            fn neg(self) -> $t {
                $t::new(-self.ang, -self.lin)
            }
        }
        impl AddAssign for $t {
            #[inline]
            fn add_assign(&mut self, b: $t) {
                *self = *self + b;
            }
        }
        impl SubAssign for $t {
            #[inline]
            fn sub_assign(&mut self, b: $t) {
                *self = *self - b;
            }
        }
        impl Mul<f64> for $t {
            type Output = $t;
            #[inline]
            fn mul(self, s: f64) -> $t {
                $t::new(self.ang * s, self.lin * s)
            }
        }
    };
}
vector_space!(Motion);
vector_space!(Force);

impl Motion {
    /// Motion cross product `v ×ₘ m`: the rate of change of `m` carried along by `v`.
    #[inline]
    pub fn cross_motion(self, m: Motion) -> Motion {
        Motion::new(self.ang.cross(m.ang), self.ang.cross(m.lin) + self.lin.cross(m.ang))
    }
    /// Force cross product `v ×f f`: the rate of change of `f` carried along by `v`.
    #[inline]
    pub fn cross_force(self, f: Force) -> Force {
        Force::new(self.ang.cross(f.ang) + self.lin.cross(f.lin), self.ang.cross(f.lin))
    }
    /// Power of force `f` under this motion.
    #[inline]
    pub fn dot(self, f: Force) -> f64 {
        self.ang.dot(f.ang) + self.lin.dot(f.lin)
    }
    /// Same motion, seen from a point displaced by `r` from the present origin.
    #[inline]
    pub fn shifted(self, r: Vec3) -> Motion {
        Motion::new(self.ang, self.lin + self.ang.cross(r))
    }
}

impl Force {
    /// Same force, moment taken about a point displaced by `r` from the present origin.
    #[inline]
    pub fn shifted(self, r: Vec3) -> Force {
        Force::new(self.ang - r.cross(self.lin), self.lin)
    }
}
