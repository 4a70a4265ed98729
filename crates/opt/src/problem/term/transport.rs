//! Cost of transport: absolute mechanical work of the actuators per weight and distance.
//!
//!   Σ_i |P_i|/(m g V),   P_i = τ_i v_i,                                                                       (1)
//! of a motion at speed V. As half of a square with a smooth root: |P| ≈ √(P² + ε²) − ε = P²/(√(P²
//! + ε²) + ε), so
//!   r_i = P_i √(2/((√(P_i² + ε²) + ε) m g V)).                                                                (2)

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};

/// (2).
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    /// Dof and weight: 1 for the cost of transport itself.
    pub weights: Vec<(usize, f64)>,
    /// m g V, W.
    pub unit: f64,
    /// ε, W.
    pub smooth: f64,
}

impl Term for Transport {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if !knot.has_force {
            return;
        }
        for &(i, w) in &self.weights {
            let (tau, v) = (knot.tau[i], knot.v()[i]);
            let power = tau * v;
            let root = (power * power + self.smooth * self.smooth).sqrt();
            let scale = w * (2.0 / ((root + self.smooth) * self.unit)).sqrt();
            out.row(scale * power);
            let slope = scale * (1.0 - 0.5 * power * power / (root * (root + self.smooth)));
            out.add(Part::V, i, slope * tau);
            out.add(Part::Tau, i, slope * v);
        }
    }
}
