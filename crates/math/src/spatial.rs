//! Spatial (6D) vectors, angular part first.

use crate::Vec3;
use bytemuck::{Pod, Zeroable};
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use serde::{Deserialize, Serialize};

/// Spatial motion: angular velocity and the linear velocity of the body point at the frame's
/// origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Motion {
    /// Angular part.
    pub ang: Vec3,
    /// Linear part.
    pub lin: Vec3,
}

/// Spatial force: moment about the frame's origin and linear force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct Force {
    /// Angular part.
    pub ang: Vec3,
    /// Linear part.
    pub lin: Vec3,
}

macro_rules! vector_space {
    ($t:ident) => {
        impl $t {
            /// Zero.
            pub const ZERO: $t = $t { ang: Vec3::ZERO, lin: Vec3::ZERO };
            /// Creates a vector from its angular and linear parts.
            #[inline]
            pub const fn new(ang: Vec3, lin: Vec3) -> Self {
                Self { ang, lin }
            }
            /// The six components, angular first.
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
    /// The same motion about a point displaced by `r` from the current origin.
    #[inline]
    pub fn shifted(self, r: Vec3) -> Motion {
        Motion::new(self.ang, self.lin + self.ang.cross(r))
    }
}

impl Force {
    /// The same force with the moment about a point displaced by `r` from the current origin.
    #[inline]
    pub fn shifted(self, r: Vec3) -> Force {
        Force::new(self.ang - r.cross(self.lin), self.lin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quat, SpatialInertia};

    const M: Motion = Motion::new(Vec3::new(0.3, -1.0, 0.4), Vec3::new(1.5, 0.2, -0.7));
    const F: Force = Force::new(Vec3::new(-0.6, 0.1, 2.0), Vec3::new(0.9, -1.1, 0.3));
    const R: Vec3 = Vec3::new(0.7, 0.2, -1.3);

    #[test]
    fn power_does_not_depend_on_the_origin() {
        assert!((M.shifted(R).dot(F.shifted(R)) - M.dot(F)).abs() < 1e-14);
    }

    #[test]
    fn force_cross_is_minus_the_transpose_of_motion_cross() {
        let other = Motion::new(R, Vec3::new(0.4, 0.5, 0.6));
        assert!((M.cross_motion(other).dot(F) + other.dot(M.cross_force(F))).abs() < 1e-14);
        assert_eq!(M.cross_motion(M).ang, Vec3::ZERO);
    }

    #[test]
    fn kinetic_energy_does_not_depend_on_the_origin() {
        let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1).to_mat3();
        let principal = Vec3::new(0.3, 0.4, 0.5);
        let at = |c: Vec3| SpatialInertia::from_principal(principal, &rotation, c, 2.0);
        let centre = M.dot(at(Vec3::ZERO).mul(M));
        let w = rotation.tmul(M.ang);
        assert!((centre - (w.dot(principal * w) + 2.0 * M.lin.dot(M.lin))).abs() < 1e-14);
        // From an origin displaced by −R the centre of mass is at R.
        assert!((M.shifted(-R).dot(at(R).mul(M.shifted(-R))) - centre).abs() < 1e-13);
        let doubled = at(R) + at(R);
        assert_eq!(doubled.mul(M), at(R).mul(M) * 2.0);
    }
}
