//! A problem that is ready to be optimized, with all that is needed to judge and use what comes out.

use crate::actuation::Actuation;
use crate::optimize::{Observer, OptimizeOptions, Path, Progress, run};
use crate::plan::Plan;
use crate::pool::PoolError;
use crate::problem::Problem;
use saltus_sim::Model;

/// A task that is ready to be optimized.
#[derive(Debug)]
pub struct Setup {
    pub name: String,
    pub problem: Problem,
    /// The model with its own shapes.
    pub own: Model,
    pub actuation: Actuation,
    pub path: Path,
    /// All nodes · (steps + 2) × nq.
    pub guess: Vec<f64>,
    /// Units of forces and lengths: N, m.
    pub weight: f64,
    pub length: f64,
    pub options: OptimizeOptions,
    pub notes: Vec<String>,
}

impl Setup {
    /// Optimizes from the guess.
    pub fn optimize(&mut self, observer: &mut Observer<'_>) -> Result<Plan, PoolError> {
        let mut progress = Progress::new(self.guess.clone(), &self.options);
        self.resume(&mut progress, observer)
    }

    /// Goes on from where a run was.
    pub fn resume(&mut self, progress: &mut Progress, observer: &mut Observer<'_>) -> Result<Plan, PoolError> {
        let optimizer = run(&mut self.problem, &self.path, &self.options, progress, observer)?;
        Ok(crate::unfold::plan(self, progress, optimizer))
    }
}
