//! What the optimizer reports: how it ended, its iterations, and the points of the path of continuation.

use crate::problem::identity::TermId;
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
    Short {
        /// Where on the path, 0 … 1.
        reached: f64,
    },
    /// A constraint is violated: its name and by how much, in its own units.
    Infeasible {
        /// The constraint.
        constraint: TermId,
        /// Its largest violation.
        violation: f64,
        /// The largest violation that is allowed.
        allowed: f64,
    },
    /// Forces or residuals of the guess are not finite.
    Invalid,
    /// Steps of time are too long: between states the centre of mass is accelerated otherwise than forces explain, by this share of
    /// gravity.
    Coarse {
        /// The largest error, as a share of gravity.
        error: f64,
        /// The largest error that is allowed.
        allowed: f64,
    },
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
            Status::Invalid => "invalid",
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
            Status::Invalid => write!(f, "invalid: forces or residuals of the guess are not finite numbers"),
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
