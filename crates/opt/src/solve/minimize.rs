//! Minimization of the merit for given multipliers: Gauss–Newton or Newton steps with damping in
//! the metric of the problem.
//!
//! (H + μ D) x = −g,   D = diag(scale⁻²)/T                                                          (1)
//! The damping μ follows the ratio of actual to predicted decrease. D does not contain the diagonal
//! of H, as Marquardt's would: penalties and 1/h² make that 10⁴ to 10⁸ times the curvature of the
//! costs, and what constraints leave free would not move. Steps are corrected for the curvature of
//! forces (`correction`).

use crate::problem::layout::{Ends, Layout, Unknowns};
use crate::problem::tangent::Rotations;
use crate::problem::{Evaluation, Problem, Role};
use crate::solve::assemble::Quadratic;
use crate::solve::correction::{Change, calc_correction};
use crate::solve::knot::curvature::update_curvature;
use crate::solve::knot::{KnotInput, KnotMemory, KnotResult, KnotWorkers, Mode, Multipliers, evaluate, stride};
use crate::solve::multiplier::largest_of;
use crate::solve::pool::{Pool, PoolError};
use crate::solve::report::TimeByPart;
use saltus_math::block_arrow::BlockArrowFactor;
use std::time::Instant;

/// When minimization ends, and how it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinimizeOptions {
    /// Most iterations.
    pub iterations: usize,
    /// Ends when a step is predicted to decrease the merit by less than this share.
    pub tolerance: f64,
    /// Damping of the first step.
    pub damping: f64,
    /// Predicted share of decrease below which the Hessian has the curvature of residuals, as much
    /// of it as leaves it positive: Newton's method in the place of Gauss and Newton's; 0: never.
    pub newton: f64,
}

/// To what constraints are restored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestoreOptions {
    /// Weight of the squares of violations beside the costs' Hessian.
    pub penalty: f64,
    /// Largest violation of equalities.
    pub equalities: f64,
    /// Largest violation of inequalities.
    pub inequalities: f64,
}

/// How minimization ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No step is predicted to decrease the merit by more than the tolerance.
    Converged,
    /// The iterations were used up.
    Limit,
    /// The iterations were used up, the last of them to restore equalities.
    Restored,
    /// No step decreased the merit, however short.
    Stalled,
    /// The present point has no merit: numbers are not finite. Or no step can be taken, since the
    /// terms are not finite wherever steps lead.
    Invalid,
}

/// What minimization did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimized {
    /// How it ended.
    pub outcome: Outcome,
    /// By how much the merit was decreased.
    pub decrease: f64,
}

/// One iteration, for observers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Cost and penalties.
    pub merit: f64,
    /// Predicted share of decrease.
    pub predicted: f64,
    /// Largest entry of the step in units of the scale.
    pub length: f64,
    /// Damping of the step.
    pub damping: f64,
    /// Whether the step was taken.
    pub accepted: bool,
}

/// Memory and threads for the optimization of one problem.
#[derive(Debug)]
pub(crate) struct Optimizer {
    /// Which nodes are unknown.
    pub layout: Layout,
    pub(crate) workers: KnotWorkers,
    /// Of the present trajectory, and of the one that is tried.
    pub knots: Vec<KnotResult>,
    pub(crate) trial: Vec<KnotResult>,
    /// The quadratic model.
    pub quadratic: Quadratic,
    /// Its factors.
    pub factor: BlockArrowFactor,
    pub(crate) shift: Vec<f64>,
    pub(crate) step: Vec<f64>,
    pub(crate) product: Vec<f64>,
    pub(crate) q_trial: Vec<f64>,
    q_best: Vec<f64>,
    /// Damping of the next step.
    pub damping: f64,
    /// Time by parts of the work.
    pub times: TimeByPart,
}

/// Most steps of restoration.
const RESTORATIONS: usize = 40;
/// Most corrections of a step.
const CORRECTIONS: usize = 2;
/// Least share of the curvature that is tried.
const LEAST_BENT: f64 = 0.1;
/// Damping at which no step is left to try.
const LARGEST_DAMPING: f64 = 1e12;
/// Damping at which a step counts as free.
const FREE: f64 = 1e-5;

impl Optimizer {
    /// For a problem, on `threads` threads.
    pub fn new(problem: &Problem, threads: usize) -> Result<Self, PoolError> {
        let layout = Layout::new(&problem.model, problem.steps, &problem.ends);
        let knots = match (&problem.ends, problem.evaluation) {
            (Ends::Periodic(_), _) | (_, Evaluation::End) => problem.steps,
            (_, Evaluation::Begin) => problem.steps + 1,
        };
        let border = layout.in_border * layout.n;
        let dim = layout.dim();
        let pool = Pool::new(threads, || KnotMemory::new(problem))?;
        Ok(Self {
            knots: pool.make(knots, || KnotResult::with_room(problem, true))?,
            trial: pool.make(knots, || KnotResult::with_room(problem, false))?,
            workers: KnotWorkers { rotations: Rotations::new(&problem.model), pool },
            quadratic: Quadratic::new(&layout),
            factor: BlockArrowFactor::new(layout.n, layout.unknowns - layout.in_border, border),
            shift: vec![0.0; dim],
            step: vec![0.0; dim],
            product: vec![0.0; dim],
            q_trial: Vec::new(),
            q_best: Vec::new(),
            layout,
            damping: 1.0,
            times: TimeByPart::default(),
        })
    }

    /// Evaluates the trajectory `q` (all nodes); the merit.
    pub fn update(&mut self, problem: &Problem, multipliers: &Multipliers, q: &[f64], jacobian: bool) -> f64 {
        let mode = if jacobian { Mode::Model } else { Mode::Values };
        evaluate_all(problem, multipliers, q, mode, &self.workers, &mut self.knots)
    }

    pub(crate) fn timed_update(&mut self, problem: &Problem, multipliers: &Multipliers, q: &[f64], mode: Mode) -> f64 {
        let start = Instant::now();
        let merit = evaluate_all(problem, multipliers, q, mode, &self.workers, &mut self.knots);
        self.times.derivatives += start.elapsed().as_secs_f64();
        merit
    }

    /// Adds the curvature of residuals to the Hessians of the steps, which [`update`](Self::update)
    /// evaluated with derivatives at `q`.
    pub fn add_curvature(&mut self, problem: &Problem, q: &[f64]) {
        update_curvature(problem, q, &self.workers, &mut self.knots);
        self.add_share(1.0);
    }

    /// Adds this share of the curvature to the Hessians of the steps.
    fn add_share(&mut self, share: f64) {
        let (n, ld) = (self.layout.n, stride(self.layout.n));
        self.workers.pool.each(&mut self.knots, |_, knot, _| {
            let rows = knot.hessian.chunks_exact_mut(ld).zip(knot.curvature.chunks_exact(ld));
            for (i, (h, c)) in rows.enumerate().take(3 * n) {
                h[..=i].iter_mut().zip(&c[..=i]).for_each(|(h, c)| *h += share * c);
            }
        });
    }

    /// Minimizes the merit from `q`, which is moved to the best point found.
    pub fn minimize(
        &mut self,
        problem: &Problem,
        multipliers: &Multipliers,
        q: &mut Vec<f64>,
        options: &MinimizeOptions,
        observer: &mut dyn FnMut(&Step, &[KnotResult]) -> bool,
    ) -> Minimized {
        let mut last_share = f64::INFINITY;
        let mode = |share: f64| if share <= options.newton { Mode::Newton } else { Mode::Model };
        let mut merit = self.timed_update(problem, multipliers, q, mode(last_share));
        if !merit.is_finite() {
            return Minimized { outcome: Outcome::Invalid, decrease: 0.0 };
        }
        self.damping = options.damping;
        let first = merit;
        let ended =
            |outcome, merit: f64| Minimized { outcome, decrease: (first - merit) / first.max(f64::MIN_POSITIVE) };
        let mut growth = 2.0;
        let mut fresh = true;
        // How much of the curvature the Hessian has, and how much it gets at the next point.
        let (mut bent, mut next_bent) = (0.0, 1.0);
        for _ in 0..options.iterations {
            if fresh {
                bent = 0.0;
                if last_share <= options.newton {
                    self.add_share(next_bent);
                    bent = next_bent;
                }
                self.assemble(problem);
                fresh = false;
            }
            if !self.solve_bent(problem, &mut bent) {
                self.damping = (self.damping * 10.0).max(1e-12);
                if self.damping > LARGEST_DAMPING {
                    return ended(Outcome::Stalled, merit);
                }
                continue;
            }
            let predicted = self.predicted();
            let length = self.length(problem);
            let share = predicted / merit.max(f64::MIN_POSITIVE);
            last_share = share;
            if share <= options.tolerance {
                // A short step may be short by its damping only.
                if self.damping <= FREE {
                    return ended(Outcome::Converged, merit);
                }
                self.damping *= 0.1;
                continue;
            }
            let trial = self.try_corrected(problem, multipliers, q, merit - predicted);
            let ratio = (merit - trial) / predicted;
            let accepted = ratio > 1e-4;
            let step = Step { merit: trial, predicted: share, length, damping: self.damping, accepted };
            let go_on = observer(&step, &self.knots);
            if accepted {
                core::mem::swap(q, &mut self.q_trial);
                let next = self.timed_update(problem, multipliers, q, mode(last_share));
                if !next.is_finite() {
                    return ended(Outcome::Invalid, merit);
                }
                merit = next;
                fresh = true;
                next_bent = if bent > 0.0 { (2.0 * bent).min(1.0) } else { LEAST_BENT };
                let x = 2.0 * ratio - 1.0;
                self.damping = (self.damping * (1.0 - x * x * x).max(1.0 / 5.0)).max(1e-12);
                growth = 2.0;
            } else {
                self.damping *= growth;
                growth *= 2.0;
                if self.damping > LARGEST_DAMPING {
                    return ended(self.stalled(), merit);
                }
            }
            if !go_on {
                return ended(Outcome::Limit, merit);
            }
        }
        ended(Outcome::Limit, merit)
    }

    /// The step of (1) with as much of the share `bent` of the curvature as leaves the matrix
    /// positive definite; false if it is not so without.
    fn solve_bent(&mut self, problem: &Problem, bent: &mut f64) -> bool {
        let start = Instant::now();
        let mut solved = self.solve(problem);
        while !solved && *bent > 0.0 {
            let less = if *bent > LEAST_BENT { 0.5 * *bent } else { 0.0 };
            self.add_share(less - *bent);
            *bent = less;
            self.assemble(problem);
            solved = self.solve(problem);
        }
        self.times.factorization += start.elapsed().as_secs_f64();
        solved
    }

    /// Sums up the models of the steps in `quadratic`.
    pub fn assemble(&mut self, problem: &Problem) {
        let start = Instant::now();
        self.quadratic.update(&self.workers.pool, &self.layout, &problem.ends, &self.knots);
        self.times.assembly += start.elapsed().as_secs_f64();
    }

    /// The merit after the step, which is corrected as long as that makes it better; `q_trial` is
    /// where that is. The first correction is always worth its evaluation: without it where the
    /// step is as good as predicted, tasks took half as many iterations more.
    fn try_corrected(&mut self, problem: &Problem, multipliers: &Multipliers, q: &[f64], goal: f64) -> f64 {
        let mut best = f64::INFINITY;
        for round in 0..=CORRECTIONS {
            let start = Instant::now();
            if round > 0 {
                let unknowns = Unknowns { layout: &self.layout, ends: &problem.ends };
                let change = Change { from: &self.knots, to: &mut self.trial, step: &self.step };
                calc_correction(&self.workers.pool, unknowns, change, &mut self.product);
                let pool = &self.workers.pool;
                self.factor.solve(&mut self.product, |a, b| pool.join(a, b));
                self.step.iter_mut().zip(&self.product).for_each(|(x, y)| *x += y);
            }
            core::mem::swap(&mut self.q_trial, &mut self.q_best);
            let merit = self.evaluate_trial(problem, multipliers, q);
            let part = if round == 0 { &mut self.times.trials } else { &mut self.times.corrections };
            *part += start.elapsed().as_secs_f64();
            // NaN is no improvement.
            let is_better = merit < best;
            if round > 0 && !is_better {
                core::mem::swap(&mut self.q_trial, &mut self.q_best);
                break;
            }
            // What the model did not predict is all that a correction can take away.
            let enough = round > 0 && merit - goal <= 0.1 * (best - goal);
            best = merit;
            if !merit.is_finite() || enough {
                break;
            }
        }
        best
    }

    /// The merit after `step`, in `q_trial`.
    pub(crate) fn try_point(&mut self, problem: &Problem, multipliers: &Multipliers, q: &[f64]) -> f64 {
        let start = Instant::now();
        let merit = self.evaluate_trial(problem, multipliers, q);
        self.times.trials += start.elapsed().as_secs_f64();
        merit
    }

    fn evaluate_trial(&mut self, problem: &Problem, multipliers: &Multipliers, q: &[f64]) -> f64 {
        self.q_trial.clear();
        self.q_trial.extend_from_slice(q);
        self.layout.advance(&problem.model, &problem.ends, problem.h(), &self.step, &mut self.q_trial);
        evaluate_all(problem, multipliers, &self.q_trial, Mode::Values, &self.workers, &mut self.trial)
    }

    /// Moves `q` to the nearest point at which the constraints hold, nearest in the metric of the
    /// costs' Hessian, as far as that makes them hold better. The knots are those of `q`
    /// afterwards.
    pub fn restore(&mut self, problem: &Problem, q: &mut Vec<f64>, goal: &RestoreOptions) {
        let constraints = Multipliers { lambda: Vec::new(), penalty: goal.penalty, restore: Some(goal.inequalities) };
        let mut merit = self.update(problem, &constraints, q, true);
        self.damping = 1.0;
        for _ in 0..RESTORATIONS {
            let left = |role| largest_of(&problem.terms, &self.knots, role);
            if left(Role::Equality) <= goal.equalities && left(Role::Inequality) <= goal.inequalities {
                break;
            }
            self.assemble(problem);
            if !self.solve(problem) {
                self.damping *= 100.0;
                continue;
            }
            self.q_trial.clone_from(q);
            self.layout.advance(&problem.model, &problem.ends, problem.h(), &self.step, &mut self.q_trial);
            let mut knots = core::mem::take(&mut self.trial);
            let there = evaluate_all(problem, &constraints, &self.q_trial, Mode::Model, &self.workers, &mut knots);
            self.trial = knots;
            // NaN is no improvement.
            let better = there < 0.9 * merit;
            if !better {
                self.damping *= 100.0;
                continue;
            }
            self.damping *= 0.1;
            merit = there;
            core::mem::swap(q, &mut self.q_trial);
            core::mem::swap(&mut self.knots, &mut self.trial);
        }
    }

    /// The step of (1); false if the matrix is not positive definite.
    fn solve(&mut self, problem: &Problem) -> bool {
        let n = self.layout.n;
        for (i, s) in self.shift.iter_mut().enumerate() {
            let unit = 1.0 / (problem.scale[i % n] * problem.scale[i % n] * problem.steps as f64);
            *s = self.damping * unit;
        }
        let pool = &self.workers.pool;
        let factored = self.factor.factor(&self.quadratic.hessian, &self.shift, |a, b| pool.join(a, b));
        if factored.is_err() {
            return false;
        }
        for (x, g) in self.step.iter_mut().zip(&self.quadratic.gradient) {
            *x = -g;
        }
        self.factor.solve(&mut self.step, |a, b| pool.join(a, b));
        self.step.iter().all(|x| x.is_finite())
    }

    /// What the model gains by the step: −gᵀx − ½ xᵀHx, where Hx is −g − μDx by (1).
    fn predicted(&self) -> f64 {
        let slope = dot(&self.quadratic.gradient, &self.step);
        let damped: f64 = self.step.iter().zip(&self.shift).map(|(x, d)| d * x * x).sum();
        0.5 * (damped - slope)
    }

    pub(crate) fn length(&self, problem: &Problem) -> f64 {
        let n = self.layout.n;
        self.step.iter().enumerate().fold(0.0, |l, (i, x)| f64::max(l, x.abs() / problem.scale[i % n]))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    saltus_math::dot(a, b)
}

pub(crate) fn evaluate_all(
    problem: &Problem,
    multipliers: &Multipliers,
    q: &[f64],
    mode: Mode,
    with: &KnotWorkers,
    out: &mut [KnotResult],
) -> f64 {
    let nq = problem.model.size.nq;
    let node = |k: usize| q.get(k * nq..(k + 1) * nq);
    let rotations = &with.rotations;
    with.pool.each(out, |t, out, memory| {
        let (Some(before), Some(now)) = (node(t), node(t + 1)) else { return };
        let q_next = node(t + 2);
        let input = KnotInput { problem, rotations, multipliers, t, q: [before, now], q_next, mode };
        evaluate(&input, memory, out);
    });
    out.iter().map(|knot| knot.merit).sum()
}
