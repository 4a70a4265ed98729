//! Mechanical power of actuated dofs.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// r_i = w_i τ_i v_i.
#[derive(Clone, Debug, PartialEq)]
pub struct Power {
    /// Dof and weight.
    pub weights: Vec<(usize, f64)>,
}

impl Term for Power {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if !knot.has_force {
            return;
        }
        for &(i, w) in &self.weights {
            let (tau, v) = (knot.tau[i], knot.v()[i]);
            out.row(w * tau * v);
            out.add(Part::Tau, i, w * v);
            out.add(Part::V, i, w * tau);
        }
    }
}
