//! 6×6 matrices that map motions to forces.

use crate::{Force, Motion, Vec3};

/// Linear map from motions to forces, rows and columns angular first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat6(pub [[f64; 6]; 6]);

impl Mat6 {
    /// Zero.
    pub const ZERO: Mat6 = Mat6([[0.0; 6]; 6]);

    /// The matrix of a linear function, by its values on the unit motions.
    #[inline]
    pub fn from_fn(f: impl Fn(Motion) -> Force) -> Self {
        let mut m = Self::ZERO;
        for j in 0..6 {
            let mut unit = Motion::ZERO;
            if j < 3 {
                unit.ang[j] = 1.0
            } else {
                unit.lin[j - 3] = 1.0
            }
            for (i, value) in f(unit).to_array().into_iter().enumerate() {
                m.0[i][j] = value;
            }
        }
        m
    }
    /// A x.
    #[inline]
    pub fn mul(&self, x: Motion) -> Force {
        let x = x.to_array();
        from_array(core::array::from_fn(|i| (0..6).map(|j| self.0[i][j] * x[j]).sum()))
    }
    /// Aᵀ x.
    #[inline]
    pub fn tmul(&self, x: Motion) -> Force {
        let x = x.to_array();
        from_array(core::array::from_fn(|j| (0..6).map(|i| self.0[i][j] * x[i]).sum()))
    }
}

#[inline]
fn from_array(f: [f64; 6]) -> Force {
    Force::new(Vec3::from_slice(&f), Vec3::from_slice(&f[3..]))
}

impl core::ops::AddAssign for Mat6 {
    #[inline]
    fn add_assign(&mut self, b: Self) {
        for (a, b) in self.0.iter_mut().flatten().zip(b.0.iter().flatten()) {
            *a += b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_function_and_of_the_transpose() {
        let v = Motion::new(Vec3::new(0.3, -1.0, 0.4), Vec3::new(1.5, 0.2, -0.7));
        let inertia =
            crate::SpatialInertia { diag: Vec3::ONE, off: Vec3::splat(0.1), mc: Vec3::new(0.1, 0.2, 0.3), mass: 2.0 };
        let f = |x: Motion| v.cross_force(inertia.mul(x));
        let (m, x) = (Mat6::from_fn(f), Motion::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 4.0)));
        assert!((m.mul(x) - f(x)).to_array().iter().all(|e| e.abs() < 1e-14));
        // y · A x = x · Aᵀ y.
        assert!((v.dot(m.mul(x)) - x.dot(m.tmul(v))).abs() < 1e-13);
        let mut twice = m;
        twice += m;
        assert_eq!(twice.mul(x), m.mul(x) * 2.0);
    }
}
