//! Limits of the forces of contacts on bodies.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_sim::derivative::{Workspace, contact_force_slopes};

/// Which contact force is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// The sum of the normal forces.
    Normal,
    /// The length of the sum of all forces.
    Total,
}

/// least ≤ f ≤ most in units of `unit`, f the force of all contacts of the bodies with others. In a
/// last state there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactForceBounds {
    /// Which bodies · nbody.
    pub on: Vec<bool>,
    /// Which force is meant.
    pub of: Pressure,
    /// N; infinite: no bound.
    pub least: f64,
    /// Most that it may be.
    pub most: f64,
    /// Unit that residuals are measured in.
    pub unit: f64,
    /// Rows are zero where the bounds hold: for costs.
    pub only_beyond: bool,
}

impl Term for ContactForceBounds {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if !knot.has_force {
            return;
        }
        let (model, nv) = (knot.model, knot.model.size.nv);
        let mut work = Workspace::default();
        let moved;
        let data = if knot.data.acceleration.a == knot.a {
            knot.data
        } else {
            let mut data = knot.data.clone();
            data.acceleration.a.copy_from_slice(knot.a);
            moved = data;
            &moved
        };
        let slopes = contact_force_slopes(model, data, &self.on, &mut work);
        // A force that is not a number violates the bound.
        let force = slopes.as_ref().map_or([f64::NAN; 4], |slopes| slopes.force);
        let [normal, x, y, z] = force;
        let length = (x * x + y * y + z * z).sqrt();
        let (value, share) = match self.of {
            Pressure::Normal => (normal, [1.0, 0.0, 0.0, 0.0]),
            Pressure::Total if length == 0.0 => (0.0, [0.0; 4]),
            Pressure::Total => (length, [0.0, x / length, y / length, z / length]),
        };
        for (bound, sign) in [(self.least, -1.0), (self.most, 1.0)] {
            if !bound.is_finite() {
                continue;
            }
            let beyond = sign * (value - bound) / self.unit;
            if self.only_beyond && beyond <= 0.0 {
                out.row(0.0);
                continue;
            }
            out.row(beyond);
            let Ok(slopes) = &slopes else { continue };
            for (part, by) in [(Part::Q, slopes.by_q), (Part::V, slopes.by_v), (Part::A, slopes.by_a)] {
                for dof in 0..nv {
                    let slope: f64 = share.iter().enumerate().map(|(r, share)| share * by[r * nv + dof]).sum();
                    out.add(part, dof, sign * slope / self.unit);
                }
            }
        }
    }
}
