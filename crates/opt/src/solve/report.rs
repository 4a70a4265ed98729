//! What the optimizer reports: how it ended, its iterations, and the points of the path of
//! continuation.

use crate::problem::identity::TermId;
pub use crate::solve::knot::Quantity;
use serde::{Deserialize, Serialize};

/// How optimization ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Status {
    /// All constraints hold, and no step is predicted to decrease the cost by more than the
    /// tolerance. Evaluated anew at the end.
    Converged,
    /// The iterations were used up; all constraints hold.
    Limit,
    /// Continuation ended before contact was as hard as requested; constraints hold where it ended.
    Short {
        /// Position on the continuation path, 0 … 1.
        reached: f64,
    },
    /// A constraint is violated. Violations are in its own units.
    Infeasible {
        /// The constraint.
        constraint: TermId,
        /// Its largest violation.
        violation: f64,
        /// The largest violation that is allowed.
        allowed: f64,
    },
    /// Numbers are not finite, so that no step can be taken.
    Invalid {
        /// Which numbers, where that is known; otherwise the forces of the guess.
        flaw: Option<Flaw>,
    },
    /// The time steps are too long: the acceleration of the centre of mass between states differs
    /// from that of the equations of motion.
    Coarse {
        /// The largest error, as a share of gravity.
        error: f64,
        /// The largest error that is allowed.
        allowed: f64,
    },
    /// Shapes that are not planned to touch overlap: the motion leads through something that the
    /// planner does not know as an obstacle.
    Collides {
        /// The two that overlap most, and when.
        clearance: Clearance,
        /// The largest depth that is allowed, m.
        allowed: f64,
    },
    /// The user stopped the run; the motion is the best so far.
    Stopped,
}

/// The smallest distance of shapes that are not planned to touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clearance {
    /// Signed distance, m; negative: the depth by which they overlap.
    pub distance: f64,
    /// The time at which they are that close, s.
    pub time: f64,
    /// Names of the two shapes; the id of a shape without a name.
    pub shapes: [String; 2],
    /// Names of their bodies.
    pub bodies: [String; 2],
}

impl core::fmt::Display for Clearance {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { shapes: [a, b], bodies: [of_a, of_b], time, .. } = self;
        write!(f, "{a} ({of_a}) and {b} ({of_b}) at {time:.3} s")
    }
}

/// A number that is not finite at a state of the motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flaw {
    /// The term that it belongs to; `None`: the equations of motion.
    pub term: Option<TermId>,
    /// The state, from 0.
    pub state: usize,
    /// Its time, s.
    pub time: f64,
    /// Which number.
    pub what: Quantity,
}

impl core::fmt::Display for Flaw {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { term, state, time, what } = self;
        match term {
            Some(term) => write!(f, "{what} of {term}")?,
            None => write!(f, "{what} of the equations of motion")?,
        }
        write!(f, " is not a finite number at state {state} ({time:.3} s)")
    }
}

impl Status {
    /// Whether optimization converged.
    pub fn converged(&self) -> bool {
        *self == Status::Converged
    }
    /// The status as one word, for scripts.
    pub fn word(&self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::Limit => "limit",
            Status::Short { .. } => "short",
            Status::Infeasible { .. } => "infeasible",
            Status::Invalid { .. } => "invalid",
            Status::Coarse { .. } => "coarse",
            Status::Collides { .. } => "collides",
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
                write!(
                    f,
                    "not converged: contact could not be made harder than at {:.0} % of the continuation path",
                    100.0 * reached
                )
            }
            Status::Infeasible { constraint, violation, allowed } => {
                write!(f, "infeasible: {constraint} is violated by {violation:.2e} (allowed: {allowed:.0e})")
            }
            Status::Invalid { flaw: Some(flaw) } => write!(f, "invalid: {flaw}"),
            Status::Invalid { flaw: None } => write!(f, "invalid: numbers are not finite, such as forces at the guess"),
            Status::Coarse { error, allowed } => write!(
                f,
                "not converged: the time steps are too long; between states the acceleration of the centre of mass differs from that of the \
                 equations of motion by {error:.2} g (allowed: {allowed} g)"
            ),
            Status::Collides { clearance, allowed } => write!(
                f,
                "not converged: shapes that are not planned to touch overlap by {:.1} mm (allowed: {:.1} mm): {clearance}",
                -1e3 * clearance.distance,
                1e3 * allowed
            ),
            Status::Stopped => write!(f, "stopped; this is the best motion so far"),
        }
    }
}

/// One iteration of the optimizer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: usize,
    /// Position on the continuation path, 0 … 1.
    pub path: f64,
    /// Smoothing of contact at this position.
    pub smoothing: f64,
    /// Cost without penalties.
    pub cost: f64,
    /// Cost of each term, in the order of `Plan::terms`.
    pub cost_by_term: Vec<f64>,
    /// Merit: cost with multipliers and penalties.
    pub merit: f64,
    /// Largest generalized force on unactuated dofs, as a share of weight.
    pub unactuated: f64,
    /// Largest violation of the other constraints.
    pub violation: f64,
    /// Largest entry of the step, relative to the scale of its dof.
    pub step: f64,
    /// Damping of the step.
    pub damping: f64,
    /// Whether the step was taken.
    pub accepted: bool,
    /// Time since the beginning of the run, s.
    pub seconds: f64,
}

/// A point of the continuation path that was reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Position on the continuation path, 0 … 1.
    pub path: f64,
    /// Smoothing of contact at this position.
    pub smoothing: f64,
    /// Distance at which bodies rest, m.
    pub hover: f64,
    /// Distance at which contact forces have decayed to zero, m.
    pub reach: f64,
    /// Sum of the costs.
    pub cost: f64,
    /// Largest violation of the other constraints.
    pub violation: f64,
    /// Largest share of the weight that contacts carry at more than 1 mm from the surface.
    pub force_at_distance: f64,
    /// Largest penetration of shapes, m.
    pub penetration: f64,
    /// Iterations for this point.
    pub iterations: usize,
    /// Time since the beginning of the run, s.
    pub seconds: f64,
}

/// Time by part of the work, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeByPart {
    /// Dynamics, terms and their derivatives at accepted points.
    pub derivatives: f64,
    /// Gradient and Hessian of the whole trajectory.
    pub assembly: f64,
    /// Factorization of the Hessian, and the step.
    pub factorization: f64,
    /// Dynamics and terms at trial points.
    pub trials: f64,
    /// Corrections of steps for the curvature of forces, with their trial points.
    pub corrections: f64,
}
