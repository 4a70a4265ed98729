//! Optimization of a task from a guess: continuation in the hardness of contact, and at each point of that path
//! minimization with multipliers.
//!
//! The path leads from contact that acts at a distance to contact that is almost hard; gaits are decided at its beginning.
//! A point of the path counts as reached if constraints hold well enough; otherwise the optimizer goes back to the last
//! point and takes 0.4 of the step. At the end of the path it goes on until the constraints hold and no step is predicted to
//! decrease the merit.
//!
//! Everything that the next round depends on is in [`Progress`]: a run that was stopped between two rounds and continued
//! from a copy of it ends at the same bits.

pub mod finish;
pub mod period;

use crate::hardness::{Hardness, Path};
use crate::knot::{KnotResult, Multipliers};
use crate::minimize::{MinimizeOptions, Minimized, Optimizer, Outcome, Step};
use crate::multiplier::{largest_of, largest_violation, violation};
use crate::plan::{Iteration, PathPoint, Status, TimeByPart};
use crate::pool::PoolError;
use crate::problem::{Entry, Problem, Role};
use crate::sqp::SqpOptions;
use period::PeriodSearch;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Share of a violation that a round may leave before the penalty grows.
const SLOW: f64 = 0.25;

/// How much more than at the end equalities may be violated before they are restored.
const RESTORABLE: f64 = 4.0;

/// Share of the weight that the worst verdict without laws may be, and how much longer a path becomes at a time that has more.
const BAD: f64 = 0.02;
const LONGER: f64 = 0.2;
/// Share of a step that is tried next if its end could not be reached.
const SHORTER: f64 = 0.4;
/// Steps on the path that are shorter than this are not tried, nor are those beyond its end that are shorter than that.
const SHORTEST: f64 = 2e-3;
const SHORTEST_BEYOND: f64 = 0.02;

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

/// Where a run is. Everything that the rest of it depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Nodes of the trajectory · (steps + 2) × nq.
    pub q: Vec<f64>,
    /// Multipliers, by step, term and row.
    pub lambda: Vec<Vec<Vec<f64>>>,
    /// Weight of the penalty of constraints.
    pub penalty: f64,
    /// Largest violation after the last round of this point; 0: this is the first.
    pub violation: f64,
    /// The last point of the path that was reached, its trajectory and multipliers.
    pub reached: Option<Reached>,
    /// Where on the path, 0 to 1 or more.
    pub s: f64,
    /// Where the path ends: 1, or more.
    pub end: f64,
    /// Length of the next step along the path.
    pub step: f64,
    /// Rounds of multipliers at this point.
    pub round: usize,
    /// Damping of the step.
    pub damping: f64,
    /// Iterations so far.
    pub iterations: usize,
    /// Time that it took, s.
    pub seconds: f64,
    /// That time by parts of the work.
    pub times: TimeByPart,
    /// What each iteration said.
    pub history: Vec<Iteration>,
    /// Points of the path that were reached.
    pub path: Vec<PathPoint>,
    /// How it ended; none while it goes on.
    pub status: Option<Status>,
    /// Of cycles whose time is free.
    pub period: PeriodSearch,
}

/// A point of the path that was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Where on the path, 0 to 1 or more.
    pub s: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Multipliers, by step, term and row.
    pub lambda: Vec<Vec<Vec<f64>>>,
    /// Weight of the penalty of constraints.
    pub penalty: f64,
}

/// What an observer is told; its answer says whether to go on.
#[derive(Debug)]
pub enum Event<'a> {
    /// An iteration was done.
    Iteration(&'a Iteration),
    /// A point of the path was reached.
    Point(&'a PathPoint),
    /// A round has ended: what a checkpoint holds.
    Round(&'a Progress),
}

/// Called with what happens; `false` stops the run after the present iteration.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> bool + 'a;

/// The worst verdict without laws on nodes.
pub type Judge<'a> = dyn Fn(&[f64]) -> f64 + 'a;

impl Progress {
    /// The beginning, from a guess of all nodes.
    pub fn new(guess: Vec<f64>, options: &OptimizeOptions) -> Self {
        Self {
            q: guess,
            lambda: Vec::new(),
            penalty: options.penalty,
            violation: 0.0,
            reached: None,
            s: 0.0,
            end: 1.0,
            step: options.path_step,
            round: 0,
            damping: 10.0,
            iterations: 0,
            seconds: 0.0,
            times: TimeByPart::default(),
            history: Vec::new(),
            path: Vec::new(),
            status: None,
            period: PeriodSearch::default(),
        }
    }
}

/// Goes on from `progress` until it has a status. The model of the problem has the law of the last point reached.
pub fn run(
    problem: &mut Problem,
    (path, judge): (&Path, &Judge<'_>),
    options: &OptimizeOptions,
    progress: &mut Progress,
    observer: &mut Observer<'_>,
) -> Result<Optimizer, PoolError> {
    let mut optimizer = Optimizer::new(problem, options.threads)?;
    let before = progress.seconds;
    let start = Instant::now();
    optimizer.layout.close(&problem.model, &problem.ends, problem.h(), &mut progress.q);
    if progress.lambda.is_empty() {
        progress.lambda = Multipliers::new(problem, optimizer.knots.len(), 1.0).lambda;
    }
    let single = path.from == path.to;
    while progress.status.is_none() {
        if single && progress.s < 1.0 {
            progress.s = 1.0;
        }
        let clock = Clock { before, start };
        round(problem, (path, judge), options, progress, (&mut optimizer, &clock), observer);
        progress.seconds = clock.now();
        if !observer(Event::Round(progress)) && progress.status.is_none() {
            progress.status = Some(Status::Stopped);
        }
    }
    Ok(optimizer)
}

struct Clock {
    before: f64,
    start: Instant,
}

impl Clock {
    fn now(&self) -> f64 {
        self.before + self.start.elapsed().as_secs_f64()
    }
}

/// Which of the three kinds of rounds.
fn kind(s: f64, end: f64) -> usize {
    if s >= end {
        2
    } else if s > 0.0 {
        1
    } else {
        0
    }
}

fn round(
    problem: &mut Problem,
    (path, judge): (&Path, &Judge<'_>),
    options: &OptimizeOptions,
    progress: &mut Progress,
    (optimizer, clock): (&mut Optimizer, &Clock),
    observer: &mut Observer<'_>,
) {
    let hardness = Hardness::between(&path.from, &path.to, progress.s);
    hardness.set(&mut problem.model);
    let mut multipliers =
        Multipliers { lambda: core::mem::take(&mut progress.lambda), penalty: progress.penalty, restore: None };
    let minimize = MinimizeOptions {
        iterations: options.round_iterations[kind(progress.s, progress.end)]
            .min(options.iterations - progress.iterations),
        tolerance: if progress.s < progress.end { 1e-4 } else { options.tolerance },
        damping: progress.damping,
        newton: if progress.s >= progress.end { options.newton } else { 0.0 },
    };
    let mut stopped = false;
    let mut q = core::mem::take(&mut progress.q);
    let (first, s) = (progress.iterations, progress.s);
    let (mut count, history) = (0, &mut progress.history);
    let mut watch = |step: &Step, knots: &[KnotResult]| {
        count += 1;
        let iteration = Iteration {
            number: first + count,
            path: s,
            smoothing: hardness.smoothing,
            seconds: clock.now(),
            ..finish::iteration(problem, knots, step)
        };
        stopped |= !observer(Event::Iteration(&iteration));
        history.push(iteration);
        !stopped
    };
    let Minimized { outcome, decrease } = match options.method {
        Method::Rounds => optimizer.minimize(problem, &multipliers, &mut q, &minimize, &mut watch),
        Method::Sqp => {
            let at_end = progress.s >= progress.end;
            // Between rounds multipliers of inequalities are improved.
            let several = !at_end || problem.terms.iter().any(|e| e.role == Role::Inequality);
            let left = options.iterations - first;
            let iterations = if several { minimize.iterations } else { left };
            let sqp = SqpOptions {
                iterations,
                tolerance: minimize.tolerance,
                feasibility: if at_end { options.feasibility } else { options.path_goal },
                restore: iterations == left,
                radius: if first == 0 { options.radius } else { progress.damping },
                newton: if at_end { options.newton } else { 0.0 },
            };
            optimizer.minimize_sqp(problem, &mut multipliers, &mut q, &sqp, &mut watch)
        }
    };
    progress.iterations += count.max(1);
    progress.q = q;
    progress.times = optimizer.times;
    let violation = largest_violation(&problem.terms, &optimizer.knots);
    multipliers.improve(&problem.terms, &optimizer.knots);
    progress.lambda = multipliers.lambda;
    progress.damping = match options.method {
        Method::Rounds => optimizer.damping.clamp(1e-6, 1e6),
        Method::Sqp => optimizer.damping.clamp(1e-2, 10.0),
    };
    progress.round += 1;
    if stopped {
        progress.status = Some(Status::Stopped);
        return;
    }
    if outcome == Outcome::Invalid && progress.reached.is_none() {
        progress.status = Some(Status::Infeasible {
            constraint: "finite numbers in the guess".to_owned(),
            violation: f64::INFINITY,
            allowed: 0.0,
        });
        return;
    }
    let at_end = progress.s >= progress.end;
    // The last iterations of all restore equalities; they may need fewer than there are.
    let restored = options.method == Method::Sqp && outcome == Outcome::Restored;
    let exhausted = restored || progress.iterations >= options.iterations;
    let left = |optimizer: &Optimizer, role| largest_of(&problem.terms, &optimizer.knots, role);
    let feasible = if at_end {
        // Equalities are restored.
        left(optimizer, Role::Equality) <= RESTORABLE * options.feasibility
            && left(optimizer, Role::Inequality) <= options.feasibility
    } else {
        violation <= options.path_goal
    };
    let cost: f64 = optimizer.knots.iter().flat_map(|knot| &knot.cost).sum();
    let settled = outcome == Outcome::Converged || decrease <= options.settled * cost;
    let mut finished = feasible && (settled || !at_end);
    // What ends for lack of iterations shall not be called infeasible for what restoration can do.
    let is_last = exhausted && options.method == Method::Rounds;
    if feasible && at_end && (settled || is_last) {
        optimizer.restore(problem, &mut progress.q, options.penalty_limit, (options.restoration, options.feasibility));
        let multipliers = Multipliers { lambda: progress.lambda.clone(), penalty: progress.penalty, restore: None };
        optimizer.update(problem, &multipliers, &progress.q, false);
        finished = settled && largest_violation(&problem.terms, &optimizer.knots) <= options.feasibility;
    }
    // What a step was too long for may take the rounds of the end thousands of iterations.
    let lost = progress.round >= options.rounds[1]
        && violation > options.path_limit
        && progress.reached.as_ref().is_some_and(|r| progress.s - r.s > SHORTEST);
    if !finished && !exhausted && !lost && progress.round < options.rounds[kind(progress.s, progress.end)] {
        // Multipliers alone make constraints hold better and better; a larger penalty also makes steps shorter.
        if !feasible && violation > SLOW * progress.violation {
            progress.penalty = (progress.penalty * options.penalty_growth).min(options.penalty_limit);
        }
        progress.violation = violation;
        return;
    }
    // Beyond the end of the path only solutions count.
    let is_beyond = at_end && progress.reached.as_ref().is_some_and(|r| r.s >= 1.0);
    // The beginning of the path has no way back; the end is judged below.
    let reached = if is_beyond { finished } else { violation <= options.path_limit || progress.s <= 0.0 };
    if reached {
        let point = finish::path_point(problem, optimizer, progress, &hardness);
        if !observer(Event::Point(&point)) {
            progress.status = Some(Status::Stopped);
        }
        progress.path.push(point);
    }
    let may_go_on = at_end && finished && !exhausted && progress.end < 1.0 + path.beyond;
    if may_go_on && judge(&progress.q) > BAD {
        // A solution, but not of a problem that is hard enough.
        progress.step = (1.3 * progress.step).min(LONGER);
        progress.end = (progress.end + progress.step).min(1.0 + path.beyond);
    } else if is_beyond && !finished {
        let solved = progress.reached.as_ref().map_or(1.0, |r| r.s);
        progress.end = solved + SHORTER * (progress.s - solved);
        if exhausted || progress.end - solved < SHORTEST_BEYOND {
            // Farther there was nothing better.
            go_back(problem, path, progress, optimizer);
            progress.status = Some(Status::Converged);
            return;
        }
    } else if at_end && (reached || exhausted) {
        progress.status = Some(match (finished, worst(problem, optimizer, options.feasibility)) {
            (true, _) => Status::Converged,
            (_, Some(infeasible)) => infeasible,
            (_, None) => Status::Limit,
        });
        return;
    }
    progress.round = 0;
    progress.violation = 0.0;
    if reached {
        progress.reached = Some(Reached {
            s: progress.s,
            q: progress.q.clone(),
            lambda: progress.lambda.clone(),
            penalty: progress.penalty,
        });
        if at_end {
            // The last steps to a solution may have been short ones.
            progress.damping = 1.0;
        } else {
            progress.step = (1.3 * progress.step).min(options.path_step);
        }
        progress.s = (progress.s + progress.step).min(progress.end);
    } else if let Some(reached) = &progress.reached {
        progress.step = SHORTER * (progress.s - reached.s);
        progress.q.clone_from(&reached.q);
        progress.lambda.clone_from(&reached.lambda);
        progress.penalty = reached.penalty;
        progress.damping = 1.0;
        progress.s = (reached.s + progress.step).min(progress.end);
    }
    if exhausted || progress.step < SHORTEST {
        go_back(problem, path, progress, optimizer);
        let (reached, infeasible) = (progress.s, worst(problem, optimizer, options.path_limit));
        progress.status = Some(match infeasible {
            Some(infeasible) => infeasible,
            None if reached >= 1.0 => Status::Converged,
            None => Status::Short { reached },
        });
    }
}

/// To the last point that was reached.
fn go_back(problem: &mut Problem, path: &Path, progress: &mut Progress, optimizer: &mut Optimizer) {
    progress.s = progress.reached.as_ref().map_or(0.0, |r| r.s);
    if let Some(reached) = &progress.reached {
        progress.q.clone_from(&reached.q);
        progress.lambda.clone_from(&reached.lambda);
    }
    Hardness::between(&path.from, &path.to, progress.s).set(&mut problem.model);
    let multipliers = Multipliers { lambda: progress.lambda.clone(), penalty: progress.penalty, restore: None };
    optimizer.update(problem, &multipliers, &progress.q, false);
}

/// The constraint that is violated most, if that is by more than is allowed.
fn worst(problem: &Problem, optimizer: &Optimizer, allowed: f64) -> Option<Status> {
    let of = |k: usize| violation(&problem.terms, &optimizer.knots, k) / problem.terms[k].slack;
    let constraints = (0..problem.terms.len()).filter(|&k| problem.terms[k].role != Role::Cost);
    let k = constraints.max_by(|a, b| of(*a).total_cmp(&of(*b)))?;
    // NaN counts as violated.
    let holds = of(k) <= allowed;
    let Entry { name, slack, .. } = &problem.terms[k];
    let (violation, allowed) = (of(k) * slack, allowed * slack);
    (!holds).then(|| Status::Infeasible { constraint: name.clone(), violation, allowed })
}
