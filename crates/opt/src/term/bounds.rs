//! Limits of joints as inequalities.

use crate::problem::Term;
use crate::rows::{Knot, Part, Rows};

/// lower ≤ q_i ≤ upper, in units of `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct JointBounds {
    pub bounds: Vec<Bound>,
}

/// Bounds of one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    pub coordinate: usize,
    pub dof: usize,
    pub lower: f64,
    pub upper: f64,
}

impl Term for JointBounds {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        for b in &self.bounds {
            let q = knot.q()[b.coordinate];
            out.row(b.lower - q);
            out.add(Part::Q, b.dof, -1.0);
            out.row(q - b.upper);
            out.add(Part::Q, b.dof, 1.0);
        }
    }
}
