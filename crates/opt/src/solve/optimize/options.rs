//! Settings of optimization.

use serde::{Deserialize, Serialize};

/// How equality constraints are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// Augmented Lagrangian: multipliers are improved between rounds of minimization. Robust far
    /// from solutions.
    #[default]
    Rounds,
    /// Sequential quadratic programming: every step solves the linearized problem and takes its
    /// multipliers. Far fewer iterations if the steps can follow the equalities.
    Sqp,
}

/// Settings of optimization.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizeOptions {
    /// Number of threads; 0: as many as there are processors. Does not change results.
    pub threads: usize,
    /// Maximum number of iterations.
    pub iterations: usize,
    /// Largest violation of constraints at the end, in their units (forces: shares of weight).
    pub feasibility: f64,
    /// Violation to which equalities are restored after convergence, by steps to the nearest point
    /// at which they hold.
    pub restoration: f64,
    /// Largest predicted decrease of the merit at the end, as a share of it.
    pub tolerance: f64,
    /// Alternatively, largest decrease of the merit by a whole round at the end, as a share of the
    /// cost.
    pub settled: f64,
    /// Initial penalty of constraints.
    pub penalty: f64,
    /// Factor by which the penalty grows if a round leaves constraints violated.
    pub penalty_growth: f64,
    /// Largest penalty.
    pub penalty_limit: f64,
    /// Violation at which a point of the path is solved.
    pub path_goal: f64,
    /// Violation up to which a point of the path counts as reached.
    pub path_limit: f64,
    /// First and longest step on the path, 0 … 1.
    pub path_step: f64,
    /// How equality constraints are treated.
    pub method: Method,
    /// Trust-region radius of the first step of [`Method::Sqp`].
    pub radius: f64,
    /// Predicted decrease, as a share of the merit, below which steps at the end of the path are
    /// Newton steps; 0: never.
    pub newton: f64,
    /// Maximum number of iterations of a round at the beginning, along the path and at the end.
    pub round_iterations: [usize; 3],
    /// Maximum number of rounds at the beginning, at each point along the path and at the end.
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
