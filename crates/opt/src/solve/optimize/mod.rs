//! Optimization from a guess: continuation in the hardness of contact, and at each point of that
//! path minimization of an augmented Lagrangian.
//!
//! The path leads from contact that acts at a distance to contact that is almost hard. Its
//! beginning decides which gait is found. At each point of the path a few *rounds* are done. A
//! round has three parts, each in a file of its own:
//! - `round` minimizes the merit for fixed multipliers, then improves the multipliers;
//! - `judge` decides whether the point is solved, needs another round, or is lost;
//! - `advance` goes on to the next point of the path or back to the last one that was reached, and
//!   ends the run.
//!
//! Everything that the next round depends on is in [`Progress`]: a run that was stopped between two
//! rounds and continued from a copy of it gives the same bits as one that was not stopped.

mod advance;
mod judge;
mod options;
pub(crate) mod period;
mod progress;
mod record;
mod round;

pub use options::{Method, OptimizeOptions};
pub use period::PeriodSearch;
pub use progress::{Event, Observer, Progress, Reached};

use crate::problem::Problem;
use crate::problem::continuation::Continuation;
use crate::solve::PoolError;
use crate::solve::knot::Multipliers;
use crate::solve::minimize::Optimizer;
use crate::solve::report::Status;
use judge::Decision;
use std::time::Instant;

/// Which path is followed, and what says whether its end is hard enough.
#[derive(Clone, Copy)]
pub(crate) struct Course<'a> {
    /// The path.
    pub continuation: &'a Continuation,
    /// The largest residual of the equations of motion of a trajectory (all nodes), judged without
    /// any contact law, as a share of the weight. If it is large at the end of the path, the path
    /// is followed beyond it.
    pub judge: &'a dyn Fn(&[f64]) -> f64,
}

/// A run of the optimizer.
struct Run<'a> {
    problem: &'a mut Problem,
    course: Course<'a>,
    options: &'a OptimizeOptions,
    optimizer: Optimizer,
    clock: Clock,
}

/// Goes on from `progress` until it has a status. Afterwards the model of the problem has the law
/// of the last point that was reached, and the optimizer the evaluation of the trajectory in
/// `progress`.
pub(crate) fn run(
    problem: &mut Problem,
    course: Course<'_>,
    options: &OptimizeOptions,
    progress: &mut Progress,
    observer: &mut Observer<'_>,
) -> Result<Optimizer, PoolError> {
    let optimizer = Optimizer::new(problem, options.threads)?;
    let clock = Clock { before: progress.seconds, start: Instant::now() };
    let mut run = Run { problem, course, options, optimizer, clock };
    run.prepare(progress);
    while progress.status.is_none() {
        run.step(progress, observer);
        progress.seconds = run.clock.now();
        if !observer(Event::Round(progress)) && progress.status.is_none() {
            progress.status = Some(Status::Stopped);
        }
    }
    Ok(run.optimizer)
}

impl Run<'_> {
    /// Makes the nodes consistent with the ends of the motion, and the multipliers zero if there
    /// are none yet.
    fn prepare(&mut self, progress: &mut Progress) {
        let problem = &*self.problem;
        self.optimizer.layout.close(&problem.model, &problem.ends, problem.h(), &mut progress.q);
        if progress.lambda.is_empty() {
            progress.lambda = Multipliers::new(problem, self.optimizer.knots.len(), 1.0).lambda;
        }
        if self.course.continuation.is_single_point() {
            progress.s = progress.s.max(1.0);
        }
    }

    /// One round at the present point of the path, and what follows from it.
    fn step(&mut self, progress: &mut Progress, observer: &mut Observer<'_>) {
        let round = self.round(progress, observer);
        if let Some(status) = round.end(progress) {
            progress.status = Some(status);
            return;
        }
        match self.judge(&round, progress) {
            Decision::AnotherRound { feasible } => self.strengthen(&round, feasible, progress),
            Decision::Leave(verdict) => self.advance(&verdict, progress, observer),
        }
    }
}

/// Time since the beginning of a run, which may have been interrupted.
struct Clock {
    before: f64,
    start: Instant,
}

impl Clock {
    fn now(&self) -> f64 {
        self.before + self.start.elapsed().as_secs_f64()
    }
}
