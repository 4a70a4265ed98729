//! Plans: a motion with its forces and feedback, how it was found, and how good it is.

use crate::problem::forces::ContactForce;
use crate::problem::identity::TermId;
use crate::result::certify::Verdict;
use crate::solve::report::{Clearance, Iteration, PathPoint, Status, TimeByPart};
use saltus_sim::options::law::Law;
use serde::{Deserialize, Serialize};

/// A planned motion: states at T times (t = 0 … T−1, h apart; for limit cycles one whole stride),
/// row-major arrays.
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
    /// Coordinates of each state · T × nq. a, τ and u lead from state t to state t + 1; at the last
    /// state of a motion that ends they are zero.
    pub q: Vec<f64>,
    /// Velocities · T × nv.
    pub v: Vec<f64>,
    /// Accelerations · T × nv.
    pub a: Vec<f64>,
    /// Generalized forces of the actuators · T × nv.
    pub tau: Vec<f64>,
    /// Controls of the model's actuators · T × nu.
    pub u: Vec<f64>,
    /// Contact forces, by state.
    pub contacts: Vec<Vec<ContactForce>>,
    /// Feedback on the dofs · T × nv × 2 nv; empty if there is none. At state t the forces of
    /// actuators are τ = τ_t + K_t (q ⊖ q_t, v − v_t), with differences in the tangent space. K is
    /// that of the optimizer's Hessian: it is valid for the contact law, the contact geometry and
    /// the time step of the plan, and not beyond. Rows of unactuated dofs have no meaning.
    pub gains: Vec<f64>,
    /// Coordinates that advance from one repetition to the next, and by how much. Empty for motions
    /// that end.
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
    /// The contact law that it was planned under.
    pub law: Law,
    /// The motion.
    pub motion: Motion,
    /// All terms, costs and constraints.
    pub terms: Vec<TermId>,
    /// Sum of the costs.
    pub cost: f64,
    /// Cost of each term.
    pub cost_by_term: Vec<f64>,
    /// Largest generalized force on unactuated dofs, as a share of weight, for torques of weight
    /// times length. In gaits, parts without feet have their own weight as the unit.
    pub unactuated_residual: f64,
    /// How well each constraint holds.
    pub violations: Vec<Violation>,
    /// |q_{t+T} ⊖ (P q_t + stride)| and the same for velocities, evaluated anew; 0 for motions that end.
    pub periodicity: f64,
    /// The farthest distance that a body slides during one contact with the environment, m.
    pub stance_slip: f64,
    /// How close shapes come to each other that are not planned to touch, of the model itself;
    /// `None` if they stay farther apart than the length of the robot, and for plans that were
    /// stored by versions that did not look.
    pub clearance: Option<Clearance>,
    /// Difference between the acceleration of the centre of mass between states and that of the
    /// equations of motion, for every step, as a share of gravity. It is large if the time steps
    /// are too long.
    pub step_errors: Vec<f64>,
    /// The law-independent check of every step, on the model's own shapes.
    pub verdicts: Vec<Verdict>,
    /// Distance of surfaces up to which contact forces may act in that check, m.
    pub verdict_gap: f64,
    /// Unit of forces: the weight of the robot, N.
    pub weight: f64,
    /// Unit of lengths: a length of the robot, m.
    pub length: f64,
    /// Iterations that were done.
    pub iterations: usize,
    /// Time that it took, s.
    pub seconds: f64,
    /// That time by parts of the work.
    pub times: TimeByPart,
    /// All iterations.
    pub history: Vec<Iteration>,
    /// Points of the continuation path that were reached.
    pub path: Vec<PathPoint>,
    /// Steps at which derivatives of contact geometry were not exact.
    pub inexact_steps: usize,
    /// Notes for the user: how meshes were replaced, what was left out.
    pub notes: Vec<String>,
}

impl Plan {
    /// Milliseconds per iteration.
    pub fn ms_per_iteration(&self) -> f64 {
        1e3 * self.seconds / self.iterations.max(1) as f64
    }
    /// Median and maximum of the law-independent residuals.
    pub fn law_independent_residual(&self) -> (f64, f64) {
        median_and_most(self.verdicts.iter().map(|v| v.residual))
    }
    /// Median and maximum of the step errors.
    pub fn step_error(&self) -> (f64, f64) {
        median_and_most(self.step_errors.iter().copied())
    }
}

fn median_and_most(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    (all.get(all.len() / 2).copied().unwrap_or(0.0), all.last().copied().unwrap_or(0.0))
}
