//! Limits of forces as inequalities.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// lower ≤ τ_i ≤ upper, in units of `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct TorqueBounds {
    /// Dof, lower, upper; infinite: no bound.
    pub bounds: Vec<(usize, f64, f64)>,
    /// Unit that residuals are measured in.
    pub unit: f64,
}

impl Term for TorqueBounds {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if !knot.has_force {
            return;
        }
        for &(i, lower, upper) in &self.bounds {
            if lower.is_finite() {
                out.row((lower - knot.tau[i]) / self.unit);
                out.add(Part::Tau, i, -1.0 / self.unit);
            }
            if upper.is_finite() {
                out.row((knot.tau[i] - upper) / self.unit);
                out.add(Part::Tau, i, 1.0 / self.unit);
            }
        }
    }
}
