//! Links stay apart.

use crate::geometry::{CapsulePair, capsule_distance};
use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// (margin − min(distance, far))/unit ≤ 0 for pairs of capsules around links.
#[derive(Clone, Debug, PartialEq)]
pub struct Separation {
    /// Pairs of capsules.
    pub pairs: Vec<CapsulePair>,
    /// m.
    pub margin: f64,
    /// Distance beyond which a pair is ignored, m. Most pairs are far apart most of the time, and
    /// then cost almost nothing.
    pub far: f64,
    /// Unit that residuals are measured in.
    pub unit: f64,
}

impl Separation {
    /// Distance beyond the margin at which pairs are ignored, in units of length.
    pub const FAR: f64 = 0.1;
}

impl Term for Separation {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let mut gradient = vec![0.0; if out.wants_jacobian() { knot.model.size.nv } else { 0 }];
        for pair in &self.pairs {
            let mut distance = self.far;
            if !pair.is_farther(knot.data, self.far) {
                distance = capsule_distance(knot.model, knot.data, pair, &mut gradient);
            }
            out.row((self.margin - distance.min(self.far)) / self.unit);
            if distance < self.far {
                out.add_all(Part::Q, -1.0 / self.unit, &gradient);
            }
        }
    }
}
