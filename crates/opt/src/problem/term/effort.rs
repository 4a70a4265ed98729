//! Effort: forces of actuated dofs.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// r_i = w_i τ_i.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Dof and weight.
    pub weights: Vec<(usize, f64)>,
}

impl Term for Effort {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if !knot.has_force {
            return;
        }
        for &(i, w) in &self.weights {
            out.row(w * knot.tau[i]);
            out.add(Part::Tau, i, w);
        }
    }
}
