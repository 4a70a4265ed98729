//! One round: the merit is minimized for the present multipliers, then the multipliers are
//! improved.

use super::options::{Method, OptimizeOptions};
use super::progress::{Event, Observer, Progress};
use super::{Run, record};
use crate::problem::Role;
use crate::problem::continuation::Hardness;
use crate::solve::knot::{KnotResult, Multipliers};
use crate::solve::minimize::{MinimizeOptions, Minimized, Outcome, Step};
use crate::solve::multiplier::largest_violation;
use crate::solve::report::{Flaw, Iteration, Status};
use crate::solve::sqp::SqpOptions;

/// Share of a violation that a round may leave before the penalty grows.
const SLOW: f64 = 0.25;
/// Predicted decrease, as a share of the merit, at which minimization ends before the end of the
/// path.
const COARSE_TOLERANCE: f64 = 1e-4;

/// What a round came to.
pub(super) struct Round {
    pub minimized: Minimized,
    /// What is not finite, if that is a number of a term.
    pub flaw: Option<Flaw>,
    /// Largest violation of the constraints.
    pub violation: f64,
    /// Whether the observer wants the run to stop.
    pub is_stopped: bool,
}

impl Round {
    /// The status of a run that cannot go on after this round.
    pub fn end(&self, progress: &Progress) -> Option<Status> {
        if self.is_stopped {
            return Some(Status::Stopped);
        }
        // Without forces the way back may lead on; terms do not become finite on another path.
        let is_end = self.is_invalid() && (progress.reached.is_none() || self.flaw.is_some());
        is_end.then(|| Status::Invalid { flaw: self.flaw.clone() })
    }

    /// Whether the trajectory could not be evaluated.
    pub fn is_invalid(&self) -> bool {
        self.minimized.outcome == Outcome::Invalid
    }
}

/// Which of the three kinds of rounds: at the beginning of the path, along it, or at its end.
pub(super) fn kind(s: f64, end: f64) -> usize {
    if s >= end {
        2
    } else if s > 0.0 {
        1
    } else {
        0
    }
}

impl Run<'_> {
    /// Minimizes at the present point of the path and improves the multipliers.
    pub(super) fn round(&mut self, progress: &mut Progress, observer: &mut Observer<'_>) -> Round {
        let hardness = self.course.continuation.at(progress.s);
        hardness.set(&mut self.problem.model);
        let lambda = core::mem::take(&mut progress.lambda);
        let mut multipliers = Multipliers { lambda, penalty: progress.penalty, restore: None };
        let (minimized, is_stopped) = self.minimize(hardness, &mut multipliers, progress, observer);
        let (terms, knots) = (&self.problem.terms, &self.optimizer.knots);
        let violation = largest_violation(terms, knots);
        multipliers.improve(terms, knots);
        progress.lambda = multipliers.lambda;
        progress.times = self.optimizer.times;
        progress.damping = match self.options.method {
            Method::Rounds => self.optimizer.damping.clamp(1e-6, 1e6),
            Method::Sqp => self.optimizer.damping.clamp(1e-2, 10.0),
        };
        progress.round += 1;
        let is_invalid = minimized.outcome == Outcome::Invalid;
        let find = || self.optimizer.flaw(self.problem).or_else(|| self.optimizer.flaw_beside(self.problem));
        let flaw = is_invalid.then(find).flatten();
        Round { minimized, flaw, violation, is_stopped }
    }

    /// Minimizes from the trajectory of `progress`, which is moved, and counts iterations; also
    /// says whether to stop.
    fn minimize(
        &mut self,
        hardness: Hardness,
        multipliers: &mut Multipliers,
        progress: &mut Progress,
        observer: &mut Observer<'_>,
    ) -> (Minimized, bool) {
        let Self { problem, options, optimizer, clock, .. } = self;
        let mut q = core::mem::take(&mut progress.q);
        let (rounds, sqp) = (rounds_options(options, progress), sqp_options(options, progress, &problem.terms));
        let (first, s) = (progress.iterations, progress.s);
        let (mut count, mut is_stopped, history) = (0, false, &mut progress.history);
        let mut watch = |step: &Step, knots: &[KnotResult]| {
            count += 1;
            let iteration = Iteration {
                number: first + count,
                path: s,
                smoothing: hardness.smoothing,
                seconds: clock.now(),
                ..record::iteration(problem, knots, step)
            };
            is_stopped |= !observer(Event::Iteration(&iteration));
            history.push(iteration);
            !is_stopped
        };
        let minimized = match options.method {
            Method::Rounds => optimizer.minimize(problem, multipliers, &mut q, &rounds, &mut watch),
            Method::Sqp => optimizer.minimize_sqp(problem, multipliers, &mut q, &sqp, &mut watch),
        };
        progress.iterations += count.max(1);
        progress.q = q;
        (minimized, is_stopped)
    }

    /// Prepares another round at the same point. Multipliers alone make constraints hold better and
    /// better; a larger penalty helps where they are slow, but also makes steps shorter.
    pub(super) fn strengthen(&self, round: &Round, feasible: bool, progress: &mut Progress) {
        if !feasible && round.violation > SLOW * progress.violation {
            progress.penalty = (progress.penalty * self.options.penalty_growth).min(self.options.penalty_limit);
        }
        progress.violation = round.violation;
    }
}

/// Settings of [`Method::Rounds`] for the next round.
fn rounds_options(options: &OptimizeOptions, progress: &Progress) -> MinimizeOptions {
    let is_end = progress.s >= progress.end;
    let most = options.round_iterations[kind(progress.s, progress.end)];
    MinimizeOptions {
        iterations: most.min(options.iterations - progress.iterations),
        tolerance: if is_end { options.tolerance } else { COARSE_TOLERANCE },
        damping: progress.damping,
        newton: if is_end { options.newton } else { 0.0 },
    }
}

/// Settings of [`Method::Sqp`] for the next round.
fn sqp_options(options: &OptimizeOptions, progress: &Progress, terms: &[crate::problem::Entry]) -> SqpOptions {
    let MinimizeOptions { iterations, tolerance, newton, .. } = rounds_options(options, progress);
    let is_end = progress.s >= progress.end;
    // Multipliers of inequalities are improved between rounds.
    let several = !is_end || terms.iter().any(|e| e.role == Role::Inequality);
    let left = options.iterations - progress.iterations;
    let iterations = if several { iterations } else { left };
    SqpOptions {
        iterations,
        tolerance,
        feasibility: if is_end { options.feasibility } else { options.path_goal },
        restore: iterations == left,
        radius: if progress.iterations == 0 { options.radius } else { progress.damping },
        newton,
    }
}
