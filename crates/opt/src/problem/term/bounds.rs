//! Limits of joints as inequalities.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_sim::Model;
use saltus_sim::model::kinds::JointKind;

/// lower ≤ q_i ≤ upper, in units of `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct JointBounds {
    /// The bounds.
    pub bounds: Vec<Bound>,
}

/// Bounds of one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The coordinate.
    pub coordinate: usize,
    /// The dof.
    pub dof: usize,
    /// Lower bound; infinite: none.
    pub lower: f64,
    /// Upper bound; infinite: none.
    pub upper: f64,
}

impl JointBounds {
    /// Ranges of all hinges and slides that have one.
    pub fn of(model: &Model) -> Self {
        let joints = &model.joints;
        let limited = |&j: &usize| joints.limited[j] && matches!(joints.kind[j], JointKind::Hinge | JointKind::Slide);
        let bound = |j: usize| Bound {
            coordinate: joints.q_start[j] as usize,
            dof: joints.dof_start[j] as usize,
            lower: joints.range[j][0],
            upper: joints.range[j][1],
        };
        Self { bounds: (0..model.njoint()).filter(limited).map(bound).collect() }
    }
}

impl Term for JointBounds {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        for b in &self.bounds {
            let q = knot.q()[b.coordinate];
            if b.lower.is_finite() {
                out.row(b.lower - q);
                out.add(Part::Q, b.dof, -1.0);
            }
            if b.upper.is_finite() {
                out.row(q - b.upper);
                out.add(Part::Q, b.dof, 1.0);
            }
        }
    }
}
