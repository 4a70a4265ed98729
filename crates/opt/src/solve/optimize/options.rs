//! Settings of optimization.

use serde::{Deserialize, Serialize};

/// How minimization goes about equalities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Multipliers are improved in rounds, between which a sum of squares is minimized: robust far from solutions.
    #[default]
    Rounds,
    /// Every step goes to the solution of the linearized problem and has its multipliers (`sqp`): far fewer iterations where
    /// equalities can be followed.
    Sqp,
}

/// Settings of optimization.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizeOptions {
    /// Threads; 0: as many as there are processors.
    pub threads: usize,
    /// Most iterations in all.
    pub iterations: usize,
    /// Largest violation of constraints at the end, in their units (forces: shares of weight).
    pub feasibility: f64,
    /// Violation to which constraints are restored after convergence, by steps to the nearest point where they hold.
    pub restoration: f64,
    /// Largest predicted decrease of the merit at the end, as a share of it.
    pub tolerance: f64,
    /// Or: largest decrease of the merit by a whole round at the end, as a share of the cost.
    pub settled: f64,
    /// Penalty of constraints at first, its growth when a round leaves them violated, and its largest value.
    pub penalty: f64,
    /// Factor by which the penalty grows.
    pub penalty_growth: f64,
    /// Largest penalty.
    pub penalty_limit: f64,
    /// Violation with which a point of the path is left.
    pub path_goal: f64,
    /// Violation up to which a point of the path counts as reached.
    pub path_limit: f64,
    /// First and largest step on the path, 0 … 1.
    pub path_step: f64,
    /// Which method.
    pub method: Method,
    /// Of [`Method::Sqp`]: radius of the first step.
    pub radius: f64,
    /// Share of predicted decrease below which steps at the end of the path are Newton's; 0: never.
    pub newton: f64,
    /// Iterations of a round at the beginning, along the path and at the end.
    pub round_iterations: [usize; 3],
    /// Rounds at the beginning, along the path and at the end.
    pub rounds: [usize; 3],
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        Self {
            threads: 0,
            iterations: 3000,
            feasibility: 5e-5,
            restoration: 1e-10,
            tolerance: 1e-5,
            settled: 1e-2,
            penalty: 2.0,
            penalty_growth: 3.0,
            penalty_limit: 1e4,
            path_goal: 1e-3,
            path_limit: 5e-3,
            path_step: 0.2,
            method: Method::Rounds,
            radius: 0.1,
            newton: 0.0,
            round_iterations: [40, 15, 40],
            rounds: [12, 3, 60],
        }
    }
}
