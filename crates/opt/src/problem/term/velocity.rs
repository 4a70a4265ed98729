//! Velocities of dofs close to a target, which is usually zero.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// r_i = w_i (v_i − target_i).
#[derive(Clone, Debug, PartialEq)]
pub struct Velocity {
    /// Dof, weight, target.
    pub dofs: Vec<(usize, f64, f64)>,
}

impl Term for Velocity {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        for &(i, w, target) in &self.dofs {
            out.row(w * (knot.v()[i] - target));
            out.add(Part::V, i, w);
        }
    }
}
