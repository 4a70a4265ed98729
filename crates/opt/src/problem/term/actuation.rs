//! Generalized forces on unactuated degrees of freedom must be zero.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// Linear combinations of τ that must be zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Unactuated {
    /// Dofs and coefficients of each combination, divided by its unit.
    pub rows: Vec<Vec<(usize, f64)>>,
}

impl Term for Unactuated {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if !knot.has_force {
            return;
        }
        for row in &self.rows {
            out.row(row.iter().map(|&(i, c)| c * knot.tau[i]).sum());
            for &(i, c) in row {
                out.add(Part::Tau, i, c);
            }
        }
    }
}
