//! Distance to a line of configurations, coordinate by coordinate.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_sim::model::kinds::JointKind;

/// r_i = w_i (q_i − q*_i(t)), with the four components of quaternions as they are. Some published
/// problems are posed in coordinates. [`Posture`](super::Posture) and
/// [`TrackState`](super::TrackState) measure rotations on the manifold.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinates {
    /// Configuration at the first state · nq.
    pub from: Vec<f64>,
    /// Configuration at the last state · nq.
    pub to: Vec<f64>,
    /// nq; 0: free.
    pub weights: Vec<f64>,
}

impl Term for Coordinates {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let share = knot.t as f64 / knot.steps as f64;
        let joints = &knot.model.joints;
        for j in 0..knot.model.njoint() {
            let (i, d) = (joints.q_start[j] as usize, joints.dof_start[j] as usize);
            let (lines, turns) = match joints.kind[j] {
                JointKind::Free => (3, true),
                JointKind::Ball => (0, true),
                JointKind::Slide | JointKind::Hinge => (1, false),
            };
            for k in 0..lines {
                if self.begin(knot, i + k, share, out) {
                    out.add(Part::Q, d + k, self.weights[i + k]);
                }
            }
            if turns {
                self.add_quaternion(knot, [i + lines, d + lines], share, out);
            }
        }
    }
}

impl Coordinates {
    /// Begins the row of a coordinate; false if it is free.
    fn begin(&self, knot: &Knot<'_>, i: usize, share: f64, out: &mut Rows) -> bool {
        let w = self.weights[i];
        if w != 0.0 {
            out.row(w * (knot.q()[i] - self.from[i] - share * (self.to[i] - self.from[i])));
        }
        w != 0.0
    }

    /// A quaternion p changes with a rotation δ in its own axes by ½ p (0, δ).
    fn add_quaternion(&self, knot: &Knot<'_>, [i, d]: [usize; 2], share: f64, out: &mut Rows) {
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| 0.5 * knot.q()[i + k]);
        let by_turn = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]];
        for (k, row) in by_turn.iter().enumerate() {
            if self.begin(knot, i + k, share, out) {
                (0..3).for_each(|c| out.add(Part::Q, d + c, self.weights[i + k] * row[c]));
            }
        }
    }
}
