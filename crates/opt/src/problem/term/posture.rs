//! Distance to a configuration.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::{log_jacobian, turn};
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
        add_distance(knot, &self.target, &self.weights, out);
    }
}

/// Rows w (q ⊖ target).
pub(super) fn add_distance(knot: &Knot<'_>, target: &[f64], weights: &[f64], out: &mut Rows) {
    let joints = &knot.model.joints;
    for j in 0..knot.model.njoint() {
        let (i, d) = (joints.q_start[j] as usize, joints.dof_start[j] as usize);
        let rotation = match joints.kind[j] {
            JointKind::Free => Some((i + 3, d + 3)),
            JointKind::Ball => Some((i, d)),
            JointKind::Slide | JointKind::Hinge => None,
        };
        let lines = match joints.kind[j] {
            JointKind::Free => 3,
            JointKind::Ball => 0,
            JointKind::Slide | JointKind::Hinge => 1,
        };
        for k in 0..lines {
            let w = weights[d + k];
            if w != 0.0 {
                out.row(w * (knot.q()[i + k] - target[i + k]));
                out.add(Part::Q, d + k, w);
            }
        }
        if let Some(at) = rotation {
            add_turn(knot, target, weights, at, out);
        }
    }
}

fn add_turn(knot: &Knot<'_>, target: &[f64], weights: &[f64], at: (usize, usize), out: &mut Rows) {
    let r = turn(at, target, knot.q());
    let jacobian = log_jacobian(r);
    let rows = [jacobian.r0, jacobian.r1, jacobian.r2];
    for k in 0..3 {
        let w = weights[at.1 + k];
        if w != 0.0 {
            out.row(w * r.to_array()[k]);
            (0..3).for_each(|c| out.add(Part::Q, at.1 + c, w * rows[k].to_array()[c]));
        }
    }
}
