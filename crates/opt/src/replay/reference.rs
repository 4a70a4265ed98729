//! A planned motion as a function of time: between its states, and for limit cycles beyond its end.

use crate::result::plan::Motion;
use saltus_sim::Model;
use saltus_sim::kinematics::coordinates::{difference, integrate};

/// A motion that can be evaluated at any time.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// The model.
    pub model: &'a Model,
    /// The motion.
    pub motion: &'a Motion,
}

/// Coordinates, velocities and accelerations.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations.
    pub a: Vec<f64>,
}

impl Reference<'_> {
    /// The planned state k. Limit cycles are repeated, other motions stay at their last state.
    pub fn state(&self, k: usize) -> Moment {
        let m = self.motion;
        let (stride, t) = if m.periodic { (k / m.steps, k % m.steps) } else { (0, k.min(m.steps - 1)) };
        let mut q = m.q[t * m.nq..(t + 1) * m.nq].to_vec();
        for &(i, amount) in &m.stride {
            q[i] += stride as f64 * amount;
        }
        let of = |values: &[f64]| values[t * m.nv..(t + 1) * m.nv].to_vec();
        Moment { q, v: of(&m.v), a: of(&m.a) }
    }

    /// Step whose contacts are those of a time.
    pub fn nearest_step(&self, time: f64) -> usize {
        let k = (time / self.motion.h + 0.5) as usize;
        if self.motion.periodic { k % self.motion.steps } else { k.min(self.motion.steps - 1) }
    }

    /// Between states: a cubic with the velocities of the states at its ends. Velocities of the
    /// plan are those of the steps before its states.
    pub fn at(&self, time: f64) -> Moment {
        let h = self.motion.h;
        let k = (time / h) as usize;
        let s = time / h - k as f64;
        let [now, next, later] = [k, k + 1, k + 2].map(|k| self.state(k));
        let mut apart = vec![0.0; self.motion.nv];
        difference(self.model, &now.q, &next.q, 1.0, &mut apart);
        let (s2, s3) = (s * s, s * s * s);
        let (mut x, mut v, mut a) = (apart.clone(), apart.clone(), apart.clone());
        for i in 0..apart.len() {
            let (from, to) = (0.5 * (now.v[i] + next.v[i]), 0.5 * (next.v[i] + later.v[i]));
            x[i] = apart[i] * (3.0 * s2 - 2.0 * s3) + h * (from * (s3 - 2.0 * s2 + s) + to * (s3 - s2));
            v[i] = apart[i] / h * 6.0 * (s - s2) + from * (3.0 * s2 - 4.0 * s + 1.0) + to * (3.0 * s2 - 2.0 * s);
            a[i] = apart[i] / (h * h) * (6.0 - 12.0 * s) + (from * (6.0 * s - 4.0) + to * (6.0 * s - 2.0)) / h;
        }
        let mut q = now.q;
        integrate(self.model, &mut q, &x, 1.0);
        Moment { q, v, a }
    }
}
