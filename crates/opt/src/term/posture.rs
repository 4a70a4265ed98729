//! Distance to a configuration.

use crate::problem::Term;
use crate::rows::{Knot, Part, Rows};
use crate::tangent::{log_jacobian, turn};
use saltus_sim::model::kinds::JointKind;

/// r = w (q ⊖ target), dof by dof.
#[derive(Clone, Debug, PartialEq)]
pub struct Posture {
    /// nq.
    pub target: Vec<f64>,
    /// nv; 0: free.
    pub weights: Vec<f64>,
}

impl Term for Posture {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let joints = &knot.model.joints;
        for j in 0..knot.model.njoint() {
            let (i, d) = (joints.q_start[j] as usize, joints.dof_start[j] as usize);
            match joints.kind[j] {
                JointKind::Free => {
                    (0..3).for_each(|k| self.line(knot, i + k, d + k, out));
                    self.rotation(knot, (i + 3, d + 3), out);
                }
                JointKind::Ball => self.rotation(knot, (i, d), out),
                JointKind::Slide | JointKind::Hinge => self.line(knot, i, d, out),
            }
        }
    }
}

impl Posture {
    fn line(&self, knot: &Knot<'_>, i: usize, d: usize, out: &mut Rows) {
        let w = self.weights[d];
        if w != 0.0 {
            out.row(w * (knot.q()[i] - self.target[i]));
            out.add(Part::Q, d, w);
        }
    }
    fn rotation(&self, knot: &Knot<'_>, at: (usize, usize), out: &mut Rows) {
        let r = turn(at, &self.target, knot.q());
        let jacobian = log_jacobian(r);
        let rows = [jacobian.r0, jacobian.r1, jacobian.r2];
        for k in 0..3 {
            let w = self.weights[at.1 + k];
            if w != 0.0 {
                out.row(w * r.to_array()[k]);
                (0..3).for_each(|c| out.add(Part::Q, at.1 + c, w * rows[k].to_array()[c]));
            }
        }
    }
}
