//! What a planner gives: a motion, its forces, feedback around it, how it was found and what it is worth.

use crate::certify::Verdict;
use serde::{Deserialize, Serialize};

/// How optimization ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Status {
    /// All constraints hold and no step is predicted to decrease the cost by more than the tolerance: evaluated anew at
    /// the end.
    Converged,
    /// The iterations were used up, or time; constraints hold.
    Limit,
    /// Continuation ended before the smoothing that was asked for; constraints hold where it ended.
    Short { reached: f64 },
    /// A constraint is violated: its name and by how much, in its own units.
    Infeasible { constraint: String, violation: f64, allowed: f64 },
    /// Steps of time are too long: between states the centre of mass is accelerated otherwise than forces explain, by this share of
    /// gravity.
    Coarse { error: f64, allowed: f64 },
    /// The user stopped it; the motion is the best so far.
    Stopped,
}

impl Status {
    /// Whether the plan is what was asked for.
    pub fn converged(&self) -> bool {
        *self == Status::Converged
    }
    /// One word for scripts.
    pub fn word(&self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::Limit => "limit",
            Status::Short { .. } => "short",
            Status::Infeasible { .. } => "infeasible",
            Status::Coarse { .. } => "coarse",
            Status::Stopped => "stopped",
        }
    }
}

impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Status::Converged => write!(f, "converged"),
            Status::Limit => write!(f, "not converged: the iterations were used up; all constraints hold"),
            Status::Short { reached } => {
                write!(f, "not converged: contact could not be made harder than at {:.0} % of the way", 100.0 * reached)
            }
            Status::Infeasible { constraint, violation, allowed } => {
                write!(f, "infeasible: {constraint} is violated by {violation:.2e} (allowed: {allowed:.0e})")
            }
            Status::Coarse { error, allowed } => write!(
                f,
                "not converged: steps of time are too long; between states the centre of mass is accelerated otherwise than \
                 forces explain, by {error:.2} of gravity (allowed: {allowed})"
            ),
            Status::Stopped => write!(f, "stopped; this is the best motion so far"),
        }
    }
}

/// One iteration of the optimizer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, from 0.
    pub number: usize,
    /// Where on the path of continuation, 0 … 1, and the smoothing there.
    pub path: f64,
    /// Smoothing of contact.
    pub smoothing: f64,
    /// Cost without penalties, by term in the order of `Plan::terms` and in all.
    pub cost: f64,
    /// Cost of each term.
    pub cost_by_term: Vec<f64>,
    /// Cost and penalties.
    pub merit: f64,
    /// Largest unactuated force, as a share of weight, and largest violation of the other constraints.
    pub unactuated: f64,
    /// Largest violation of constraints.
    pub violation: f64,
    /// Largest entry of the step relative to its scale, damping, whether it was taken.
    pub step: f64,
    /// Damping of the step.
    pub damping: f64,
    /// Whether the step was taken.
    pub accepted: bool,
    /// s since the beginning.
    pub seconds: f64,
}

/// One solved problem on the path of continuation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Where on the path, 0 … 1.
    pub path: f64,
    /// Smoothing of contact.
    pub smoothing: f64,
    /// Distance at which bodies rest, m.
    pub hover: f64,
    /// Distance at which contacts are seen, m.
    pub reach: f64,
    /// Sum of the costs.
    pub cost: f64,
    /// Largest violation of constraints.
    pub violation: f64,
    /// Largest share of weight that contacts carry at more than `FAR` from the surface.
    pub force_at_distance: f64,
    /// Deepest overlap of shapes, m.
    pub penetration: f64,
    /// Iterations so far.
    pub iterations: usize,
    /// Time that it took, s.
    pub seconds: f64,
}

/// Distance from which on a contact force counts as a force at a distance, m.
pub const FAR: f64 = 1e-3;

/// A contact force at a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// Body that is pushed, and the other (indices in the model).
    pub body: usize,
    /// The other body.
    pub other: usize,
    /// World.
    pub point: [f64; 3],
    /// Normal of the contact, world.
    pub normal: [f64; 3],
    /// Force on `body`, N, world.
    pub force: [f64; 3],
    /// m.
    pub gap: f64,
}

/// Time by part of the work, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeByPart {
    /// Dynamics, terms and their derivatives at the points that were taken.
    pub derivatives: f64,
    /// Gradient and Hessian of the whole trajectory.
    pub assembly: f64,
    /// Factors of the Hessian, and the step.
    pub factorization: f64,
    /// Dynamics and terms after the step.
    pub trials: f64,
    /// Corrections of the step for the curvature of forces, and what it gives with them.
    pub corrections: f64,
}

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

/// The result of optimization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// The motion.
    pub motion: Motion,
    /// Names of all terms.
    pub terms: Vec<String>,
    /// Sum of the costs.
    pub cost: f64,
    /// Cost of each term.
    pub cost_by_term: Vec<f64>,
    /// Largest unactuated force as a share of weight (torque: of weight times leg length; in gaits, of what bears no feet: of its own).
    pub unactuated_residual: f64,
    /// Largest violation of each constraint, by name, in its own units.
    pub violations: Vec<(String, f64)>,
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
