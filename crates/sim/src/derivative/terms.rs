//! Wrenches on bodies that depend on the motion of bodies: contacts, connects and welds, fluid
//! forces, tendons.
//!
//! A wrench f on a body changes with dof k, if k moves the body that f depends on, by
//!   ∂f = K S_k + B Ṡ_k + Y σ_k + A η_k   by q_k,
//!   ∂f = B S_k + A ψ_k   by v_k,    ∂f = (Y + A) S_k   by a_k,                               (1)
//! with the vectors of `chain`. From a law f(X, V, Y, A) with partial derivatives X', V', Y', A'
//! (X' with respect to a twist of the body) follow K = X' + V' [·× V] + Y' [·× Y] + A' [·× A] and
//! B = V' + A' [·× V], where [·× V] x = x × V.

use saltus_math::{Force, Mat6, Motion};

/// The maps K, B and Y of (1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slope {
    pub K: Mat6,
    pub B: Mat6,
    pub Y: Mat6,
}

impl Slope {
    pub const ZERO: Slope = Slope { K: Mat6::ZERO, B: Mat6::ZERO, Y: Mat6::ZERO };

    #[inline]
    pub fn add(&mut self, other: &Slope) {
        // In place, because `+=` of Mat6 takes its argument by value, a copy of 288 bytes.
        for (own, other) in [(&mut self.K, &other.K), (&mut self.B, &other.B), (&mut self.Y, &other.Y)] {
            for (own, other) in own.0.as_flattened_mut().iter_mut().zip(other.0.as_flattened()) {
                *own += other;
            }
        }
    }
}

/// A wrench on one body that depends on the motion of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cross {
    pub on: usize,
    pub by: usize,
    pub slope: Slope,
    pub A: Option<Mat6>,
}

/// All wrenches, expressed in the c-frames of the bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    /// Total wrench on each body, and its dependence on the body's own motion.
    pub wrench: Vec<Force>,
    pub slope: Vec<Slope>,
    /// Whether each body has a term.
    pub active: Vec<bool>,
    /// The maps A, if there are any.
    pub any_A: bool,
    pub A: Vec<Mat6>,
    pub cross: Vec<Cross>,
}

impl Terms {
    pub fn clear(&mut self, nbody: usize) {
        self.wrench.resize(nbody, Force::ZERO);
        self.slope.resize(nbody, Slope::ZERO);
        self.active.resize(nbody, false);
        self.active.fill(false);
        self.any_A = false;
        self.cross.clear();
    }

    /// The term of a body, initially zero.
    fn own(&mut self, body: usize) -> (&mut Force, &mut Slope) {
        if !self.active[body] {
            self.active[body] = true;
            self.wrench[body] = Force::ZERO;
            self.slope[body] = Slope::ZERO;
        }
        (&mut self.wrench[body], &mut self.slope[body])
    }

    pub fn add_wrench(&mut self, body: usize, wrench: Force) {
        *self.own(body).0 += wrench;
    }

    /// Adds the dependence of the wrench on body `on` on the motion of body `by`.
    pub fn add_slope(&mut self, on: usize, by: usize, slope: &Slope) {
        if on == by {
            if self.active[on] {
                self.slope[on].add(slope);
            } else {
                self.active[on] = true;
                self.wrench[on] = Force::ZERO;
                self.slope[on].clone_from(slope);
            }
            return;
        }
        // Contacts between the same two bodies are consecutive.
        let recent = self.cross.len().saturating_sub(2);
        match self.cross[recent..].iter_mut().find(|c| c.on == on && c.by == by) {
            Some(cross) => cross.slope.add(slope),
            None => self.cross.push(Cross { on, by, slope: *slope, A: None }),
        }
    }

    /// Adds a dependence that includes the acceleration.
    pub fn add_slope_with_A(&mut self, on: usize, by: usize, slope: &Slope, A: &Mat6) {
        if on != by {
            self.cross.push(Cross { on, by, slope: *slope, A: Some(*A) });
            return;
        }
        if !self.any_A {
            self.any_A = true;
            self.A.clear();
            self.A.resize(self.active.len(), Mat6::ZERO);
        }
        self.add_slope(on, on, slope);
        self.A[on] += *A;
    }

    /// Adds the term of a body to its parent's.
    pub fn pass_on(&mut self, body: usize, parent: usize) {
        if !self.active[body] {
            return;
        }
        let wrench = self.wrench[body];
        let (parents, rest) = self.slope.split_at_mut(body);
        if self.active[parent] {
            parents[parent].add(&rest[0]);
            self.wrench[parent] += wrench;
        } else {
            self.active[parent] = true;
            parents[parent].clone_from(&rest[0]);
            self.wrench[parent] = wrench;
        }
        if self.any_A {
            let (parents, rest) = self.A.split_at_mut(body);
            parents[parent] += rest[0];
        }
    }
}

/// The map x ↦ x × V on motions, followed by `map`.
pub(super) fn after_cross(map: &Mat6, V: Motion) -> Mat6 {
    let rows = map.0;
    let (w, u) = (V.ang.to_array(), V.lin.to_array());
    // Columns of x ↦ x × V: (−[V.ang]ₓ, −[V.lin]ₓ) for the angular part, (0, −[V.ang]ₓ) for the
    // linear part.
    let mut out = Mat6::ZERO;
    for i in 0..6 {
        let r = &rows[i];
        for j in 0..3 {
            let (k, l) = ((j + 1) % 3, (j + 2) % 3);
            // (e_j × w)_k = −w_l, (e_j × w)_l = w_k.
            out.0[i][j] = -r[k] * w[l] + r[l] * w[k] - r[3 + k] * u[l] + r[3 + l] * u[k];
            out.0[i][3 + j] = -r[3 + k] * w[l] + r[3 + l] * w[k];
        }
    }
    out
}

/// A B.
pub(super) fn product(a: &[[f64; 6]; 6], b: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let mut out = [[0.0; 6]; 6];
    for i in 0..6 {
        for k in 0..6 {
            let x = a[i][k];
            for j in 0..6 {
                out[i][j] += x * b[k][j];
            }
        }
    }
    out
}

/// Aᵀ B.
pub(super) fn transposed_product(a: &[[f64; 6]; 6], b: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let mut out = [[0.0; 6]; 6];
    for k in 0..6 {
        for i in 0..6 {
            let x = a[k][i];
            for j in 0..6 {
                out[i][j] += x * b[k][j];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_math::Vec3;

    #[test]
    fn crossing_before_a_map_is_a_map() {
        let V = Motion::new(Vec3::new(0.3, -1.0, 0.4), Vec3::new(1.5, 0.2, -0.7));
        let map = Mat6(core::array::from_fn(|i| core::array::from_fn(|j| ((7 * i + 3 * j) as f64).sin())));
        let x = Motion::new(Vec3::new(1.0, 2.0, -0.5), Vec3::new(-0.3, 0.9, 0.1));
        let (a, b) = (after_cross(&map, V).mul(x), map.mul(x.cross_motion(V)));
        assert!((a - b).to_array().iter().all(|e| e.abs() < 1e-14));
    }
}
