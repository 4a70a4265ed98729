//! Spatial inertia in ten numbers.

use crate::{Force, Mat3, Motion, Vec3};
use bytemuck::{Pod, Zeroable};
use core::ops::{Add, AddAssign};
use serde::{Deserialize, Serialize};

/// Spatial inertia about a frame's origin: rotational inertia there, first moment `m c`, mass.
/// Layout: Ixx, Iyy, Izz, Ixy, Ixz, Iyz, m cx, m cy, m cz, m.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(C)]
pub struct SpatialInertia {
    /// Moments about the axes: Ixx, Iyy, Izz.
    pub diag: Vec3,
    /// Products: Ixy, Ixz, Iyz.
    pub off: Vec3,
    /// Mass times centre of mass.
    pub mc: Vec3,
    /// Mass.
    pub mass: f64,
}

impl SpatialInertia {
    /// The zero inertia.
    pub const ZERO: SpatialInertia = SpatialInertia { diag: Vec3::ZERO, off: Vec3::ZERO, mc: Vec3::ZERO, mass: 0.0 };

    /// Inertia of a body with principal moments `principal` along the columns of `r`, centre of
    /// mass at `c`.
    #[inline]
    pub fn from_principal(principal: Vec3, r: &Mat3, c: Vec3, mass: f64) -> Self {
        // R diag(I) Rᵀ, symmetric part only.
        let (a, b, d) = (r.r0 * principal, r.r1 * principal, r.r2 * principal);
        let mut s = Self {
            diag: Vec3::new(a.dot(r.r0), b.dot(r.r1), d.dot(r.r2)),
            off: Vec3::new(a.dot(r.r1), a.dot(r.r2), b.dot(r.r2)),
            mc: c * mass,
            mass,
        };
        // Parallel axes: m (|c|² 1 − c cᵀ).
        s.diag += mass * Vec3::new(c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y);
        s.off -= mass * Vec3::new(c.x * c.y, c.x * c.z, c.y * c.z);
        s
    }

    /// Spatial momentum `I v`.
    #[inline]
    pub fn mul(&self, v: Motion) -> Force {
        let w = v.ang;
        let iw = Vec3::new(
            self.diag.x * w.x + self.off.x * w.y + self.off.y * w.z,
            self.off.x * w.x + self.diag.y * w.y + self.off.z * w.z,
            self.off.y * w.x + self.off.z * w.y + self.diag.z * w.z,
        );
        Force::new(iw + self.mc.cross(v.lin), v.lin * self.mass - self.mc.cross(w))
    }
}

impl Add for SpatialInertia {
    type Output = Self;
    #[inline]
    fn add(self, b: Self) -> Self {
        Self { diag: self.diag + b.diag, off: self.off + b.off, mc: self.mc + b.mc, mass: self.mass + b.mass }
    }
}
impl AddAssign for SpatialInertia {
    #[inline]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
