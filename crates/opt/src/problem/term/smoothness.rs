//! Smoothness: accelerations of dofs.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// r_i = w_i a_i.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothness {
    /// Dof and weight.
    pub weights: Vec<(usize, f64)>,
}

impl Term for Smoothness {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if !knot.has_force {
            return;
        }
        for &(i, w) in &self.weights {
            out.row(w * knot.a[i]);
            out.add(Part::A, i, w);
        }
    }
}
