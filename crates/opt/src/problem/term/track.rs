//! States near those of a reference.

use super::posture::add_distance;
use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// r = w (q ⊖ q*(t)) and w_v (v − v*(t)), dof by dof.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackState {
    /// Configurations by state, nq each; the last one holds for all later states.
    pub q: Vec<Vec<f64>>,
    /// Velocities by state, nv each; the last one holds for all later states. Empty: zero.
    pub v: Vec<Vec<f64>>,
    /// nv; 0: free.
    pub weights: Vec<f64>,
    /// nv; 0: free.
    pub velocity_weights: Vec<f64>,
}

impl Term for TrackState {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if let Some(q) = self.q.get(knot.t).or(self.q.last()) {
            add_distance(knot, q, &self.weights, out);
        }
        let v = self.v.get(knot.t).or(self.v.last());
        for (i, &w) in self.velocity_weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            out.row(w * (knot.v()[i] - v.map_or(0.0, |v| v[i])));
            out.add(Part::V, i, w);
        }
    }
}
