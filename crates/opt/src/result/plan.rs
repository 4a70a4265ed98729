//! What a planner gives: a motion, its forces, feedback around it, how it was found and what it is worth.

use crate::problem::forces::ContactForce;
use crate::problem::identity::TermId;
use crate::result::certify::Verdict;
use crate::solve::report::{Iteration, PathPoint, Status, TimeByPart};
use serde::{Deserialize, Serialize};

/// A planned motion: states at T times (t = 0 … T−1, h apart; for limit cycles one whole stride), row-major arrays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Number of steps.
    pub steps: usize,
    /// Coordinates.
    pub nq: usize,
    /// Degrees of freedom.
    pub nv: usize,
    /// Controls.
    pub nu: usize,
    /// Time step, s.
    pub h: f64,
    /// Time of each state, s.
    pub time: Vec<f64>,
    /// T × nq; a, τ, u lead from state t to state t + 1 (those of the last state of motions that end are zero).
    pub q: Vec<f64>,
    /// T × nv.
    pub v: Vec<f64>,
    /// Accelerations.
    pub a: Vec<f64>,
    /// Generalized forces.
    pub tau: Vec<f64>,
    /// Controls of the model's actuators · T × nu.
    pub u: Vec<f64>,
    /// By step.
    pub contacts: Vec<Vec<ContactForce>>,
    /// Feedback δτ = K (δq, δv) on the dofs · T × nv × 2 nv; empty if there is none.
    pub gains: Vec<f64>,
    /// What is added to coordinates from one repetition to the next: coordinate, amount. Empty for motions that end.
    pub stride: Vec<(usize, f64)>,
    /// Whether it repeats.
    pub periodic: bool,
}

/// How well a constraint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// The constraint.
    pub constraint: TermId,
    /// Its largest violation, in its own units.
    pub largest: f64,
}

/// The result of optimization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// The motion.
    pub motion: Motion,
    /// All terms, costs and constraints.
    pub terms: Vec<TermId>,
    /// Sum of the costs.
    pub cost: f64,
    /// Cost of each term.
    pub cost_by_term: Vec<f64>,
    /// Largest unactuated force as a share of weight (torque: of weight times leg length; in gaits, of what bears no feet: of its own).
    pub unactuated_residual: f64,
    /// How well each constraint holds.
    pub violations: Vec<Violation>,
    /// |q_{t+T} ⊖ (P q_t + stride)| and the same for velocities, evaluated anew; 0 for motions that end.
    pub periodicity: f64,
    /// The farthest that a body slides along what does not move, from touch-down to lift-off, m.
    pub stance_slip: f64,
    /// How far the acceleration of the centre of mass between states is from that of the equations of motion, for every step, as a
    /// share of gravity: what steps of time are too long by.
    pub step_errors: Vec<f64>,
    /// Verdicts without any law, for every step, on the model's own shapes, with this gap.
    pub verdicts: Vec<Verdict>,
    /// Distance up to which contacts count in the verdict, m.
    pub verdict_gap: f64,
    /// Weight and a length of the robot, in which forces and torques are measured: N, m.
    pub weight: f64,
    /// Unit of lengths, m.
    pub length: f64,
    /// Iterations that were done.
    pub iterations: usize,
    /// Time that it took, s.
    pub seconds: f64,
    /// That time by parts of the work.
    pub times: TimeByPart,
    /// What each iteration said.
    pub history: Vec<Iteration>,
    /// Points of the path that were reached.
    pub path: Vec<PathPoint>,
    /// Steps at which derivatives of contact geometry were not exact.
    pub inexact_steps: usize,
    /// What a user should know: how meshes were replaced, what was left out.
    pub notes: Vec<String>,
}

impl Plan {
    /// Milliseconds per iteration.
    pub fn ms_per_iteration(&self) -> f64 {
        1e3 * self.seconds / self.iterations.max(1) as f64
    }
    /// Median and largest of the verdicts.
    pub fn law_independent_residual(&self) -> (f64, f64) {
        median_and_most(self.verdicts.iter().map(|v| v.residual))
    }
    /// Median and largest of the errors of steps.
    pub fn step_error(&self) -> (f64, f64) {
        median_and_most(self.step_errors.iter().copied())
    }
}

fn median_and_most(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    (all.get(all.len() / 2).copied().unwrap_or(0.0), all.last().copied().unwrap_or(0.0))
}
