//! Generalized forces close to a reference.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// r_i = w_i (τ_i − reference_i).
#[derive(Clone, Debug, PartialEq)]
pub struct ControlTrack {
    /// By state, nv each; the last one holds for all that follow.
    pub reference: Vec<Vec<f64>>,
    /// Dof and weight.
    pub weights: Vec<(usize, f64)>,
}

impl Term for ControlTrack {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let Some(reference) = self.reference.get(knot.t).or(self.reference.last()) else { return };
        if !knot.has_force {
            return;
        }
        for &(i, w) in &self.weights {
            out.row(w * (knot.tau[i] - reference[i]));
            out.add(Part::Tau, i, w);
        }
    }
}
