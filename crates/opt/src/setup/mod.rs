//! A problem that is ready to be optimized, with all that is needed to judge and use what comes out.

pub mod unfold;

use crate::actuation::Actuation;
use crate::hardness::Path;
use crate::optimize::period::{Next, PeriodSearch, is_free};
use crate::optimize::{Observer, OptimizeOptions, Progress, run};
use crate::plan::{Plan, Status};
use crate::pool::PoolError;
use crate::problem::{Evaluation, Problem};
use saltus_sim::Model;
use unfold::{certificate, unactuated_rows};

/// A task that is ready to be optimized.
#[derive(Debug)]
pub struct Setup {
    /// Name.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// The model with its own shapes.
    pub own: Model,
    /// What motors can do.
    pub actuation: Actuation,
    /// The path of continuation.
    pub path: Path,
    /// All nodes · (steps + 2) × nq.
    pub guess: Vec<f64>,
    /// Units of forces and lengths: N, m.
    pub weight: f64,
    /// Unit of lengths, m.
    pub length: f64,
    /// Options of the optimizer.
    pub options: OptimizeOptions,
    /// What the user is told.
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
        let units = unactuated_rows(self);
        let is_free = is_free(&self.problem);
        let optimizer = loop {
            let Self { problem, path, options, own, .. } = &mut *self;
            if is_free {
                progress.period.set(problem);
            }
            let certificate = certificate(own, problem, &units);
            let is_judged = problem.evaluation == Evaluation::Begin;
            let judge = |q: &[f64]| {
                let verdicts = if is_judged { certificate.judge(q) } else { Vec::new() };
                verdicts.iter().fold(0.0, |worst, v| f64::max(worst, v.residual))
            };
            let of_trial = progress.period.options(options);
            let mut optimizer = run(problem, (path, &judge), &of_trial, progress, observer)?;
            let is_done = !is_free || progress.status == Some(Status::Stopped);
            if is_done || PeriodSearch::go_on((problem, path), &mut optimizer, options, progress) == Next::Done {
                break optimizer;
            }
        };
        if is_free {
            self.notes.push(told(&progress.period, &self.problem));
        }
        Ok(unfold::plan(self, progress, optimizer))
    }
}

/// What the search for a period came to.
fn told(search: &PeriodSearch, problem: &Problem) -> String {
    let (time, change) = (problem.h() * problem.steps as f64, 100.0 * (saltus_math::real::exp(search.x) - 1.0));
    format!(
        "free period: the cycle that is optimized takes {time:.3} s, {change:+.1} % of what it began with, after {} trials",
        search.trials()
    )
}
