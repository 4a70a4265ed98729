//! Links stay apart.

use crate::geometry::{CapsulePair, capsule_distance};
use crate::problem::Term;
use crate::rows::{Knot, Part, Rows};

/// (margin − distance)/unit ≤ 0 for pairs of capsules around links.
#[derive(Clone, Debug, PartialEq)]
pub struct Separation {
    pub pairs: Vec<CapsulePair>,
    /// m.
    pub margin: f64,
    pub unit: f64,
}

impl Term for Separation {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let mut gradient = vec![0.0; if out.wants_jacobian() { knot.model.size.nv } else { 0 }];
        for pair in &self.pairs {
            let distance = capsule_distance(knot.model, knot.data, pair, &mut gradient);
            out.row((self.margin - distance) / self.unit);
            out.add_all(Part::Q, -1.0 / self.unit, &gradient);
        }
    }
}
