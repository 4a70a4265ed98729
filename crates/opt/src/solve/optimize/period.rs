//! Limit cycles with a free period: an outer search for the period of least cost.
//!
//! Strides are proportional to the period, so that speeds do not change. Let C(x) be the cost of
//! the cycle that is found for e^x times the given period. Steps of STEP descend until C rises,
//! then parabolas through the best point and its neighbours give the next trial. Each trial follows
//! the whole continuation path, starting from the best cycle so far.
//!
//! The derivative of C would need fewer trials: at a stationary trajectory it is that of the
//! Lagrangian. But contact is stiff, and for trajectories whose cost is known to a thousandth the
//! derivative can have either sign.

use crate::problem::Problem;
use crate::problem::continuation::Continuation;
use crate::problem::layout::{Advance, Ends};
use crate::solve::minimize::Optimizer;
use crate::solve::optimize::{OptimizeOptions, Progress};
use crate::solve::report::{PathPoint, Status};
use saltus_math::real;
use serde::{Deserialize, Serialize};

/// Distance of trials, as a share of the period, until both a longer and a shorter one are worse.
const STEP: f64 = 0.15;
/// Accuracy of the period, as a share of it: costs hardly change over it.
const FINE: f64 = 0.02;
/// Largest |x| of a trial.
const FARTHEST: f64 = 1.2;
/// Maximum number of trials.
const TRIALS: usize = 12;

/// State of the search for the best period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeriodSearch {
    /// x of the present trial.
    pub x: f64,
    /// Length of a step and strides that were given.
    given: Option<(f64, Vec<f64>)>,
    /// x and C of all trials, in the order of x; without C where no cycle was found.
    known: Vec<(f64, Option<f64>)>,
    /// Best cycle so far.
    best: Option<Best>,
    /// Iterations of the trials that have ended.
    pub before: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Best {
    x: f64,
    cost: f64,
    q: Vec<f64>,
    lambda: Vec<Vec<Vec<f64>>>,
    penalty: f64,
    s: f64,
    path: Vec<PathPoint>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another cycle is to be optimized, from where `progress` is.
    Trial,
    /// The search has ended; `progress` and the problem are those of the best cycle.
    Done,
}

/// Whether the period of a problem is free.
pub(crate) fn is_free(problem: &Problem) -> bool {
    matches!(&problem.ends, Ends::Periodic(cycle) if cycle.is_free)
}

impl PeriodSearch {
    /// Number of trials that have ended.
    pub fn trials(&self) -> usize {
        self.known.len()
    }

    /// Sets the length of steps and the strides of the problem to those of the present trial.
    pub(crate) fn set(&mut self, problem: &mut Problem) {
        let (h, given) = self.given.get_or_insert_with(|| (problem.h(), strides(problem)));
        let factor = real::exp(self.x);
        problem.model.options.timestep = factor * *h;
        if let Ends::Periodic(cycle) = &mut problem.ends {
            cycle.stride.iter_mut().zip(given).for_each(|(stride, given)| stride.amount = factor * *given);
        }
    }

    /// Settings of the present trial.
    pub(crate) fn options(&self, options: &OptimizeOptions) -> OptimizeOptions {
        OptimizeOptions { iterations: self.before + options.iterations, ..*options }
    }

    /// Takes what a trial came to, and chooses the next: `progress` and the problem are ready for
    /// it, or those of the best cycle.
    pub(crate) fn go_on(
        problem: &mut Problem,
        continuation: &Continuation,
        optimizer: &mut Optimizer,
        options: &OptimizeOptions,
        progress: &mut Progress,
    ) -> Next {
        let mut search = core::mem::take(&mut progress.period);
        search.add(optimizer, progress);
        let Some(best) = &search.best else {
            // Not even the given time has a cycle.
            progress.period = search;
            return Next::Done;
        };
        let next = search.propose(best);
        search.x = next.unwrap_or(best.x);
        let (factor, mut q) = (real::exp(search.x - best.x), best.q.clone());
        if next.is_some() {
            search.set(problem);
            stretch(problem, factor, &mut q);
            search.before = progress.iterations;
            *progress = Progress {
                iterations: progress.iterations,
                seconds: progress.seconds,
                times: progress.times,
                history: core::mem::take(&mut progress.history),
                period: search,
                ..Progress::new(q, options)
            };
            return Next::Trial;
        }
        (progress.q, progress.s, progress.penalty) = (q, best.s, best.penalty);
        (progress.lambda, progress.path) = (best.lambda.clone(), best.path.clone());
        progress.status = Some(Status::Converged);
        search.set(problem);
        continuation.at(progress.s).set(&mut problem.model);
        optimizer.update(problem, &progress.multipliers(), &progress.q, false);
        progress.period = search;
        Next::Done
    }

    /// Takes a cycle, if it is one.
    fn add(&mut self, optimizer: &Optimizer, progress: &Progress) {
        let found = progress.status == Some(Status::Converged);
        let cost: f64 = optimizer.knots.iter().flat_map(|knot| &knot.cost).sum();
        let at = self.known.partition_point(|(x, _)| *x < self.x);
        self.known.insert(at, (self.x, found.then_some(cost)));
        if found && self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(Best {
                x: self.x,
                cost,
                q: progress.q.clone(),
                lambda: progress.lambda.clone(),
                penalty: progress.penalty,
                s: progress.s,
                path: progress.path.clone(),
            });
        }
    }

    /// Where to look next; nowhere if it is known well enough.
    fn propose(&self, best: &Best) -> Option<f64> {
        let at = self.known.iter().position(|(x, _)| *x == best.x)?;
        let side = |k: Option<usize>| k.and_then(|k| self.known.get(k));
        let x = match (side(at.checked_sub(1)), side(Some(at + 1))) {
            (_, None) => best.x + STEP,
            (None, _) => best.x - STEP,
            (Some(&(a, Some(at_a))), Some(&(b, Some(at_b)))) => lowest([(a, at_a), (best.x, best.cost), (b, at_b)]),
            // Halfway to where there was nothing.
            (Some(&(a, None)), _) => 0.5 * (a + best.x),
            (_, Some(&(b, _))) => 0.5 * (b + best.x),
        };
        let is_new = self.known.iter().all(|(known, _)| (x - known).abs() > FINE);
        (is_new && x.abs() <= FARTHEST && self.known.len() < TRIALS).then_some(x)
    }
}

/// Where the parabola through three points, of which the middle one is the lowest, is lowest.
fn lowest([(a, at_a), (b, at_b), (c, at_c)]: [(f64, f64); 3]) -> f64 {
    let (left, right) = ((at_b - at_a) / (b - a), (at_c - at_b) / (c - b));
    let bend = (right - left) / (c - a);
    if bend > 0.0 { 0.5 * (a + b) - 0.5 * left / bend } else { b }
}

fn strides(problem: &Problem) -> Vec<f64> {
    let Ends::Periodic(cycle) = &problem.ends else { return Vec::new() };
    cycle.stride.iter().map(|s| s.amount).collect()
}

/// Moves the nodes of a cycle whose strides were `factor` times shorter evenly along those of the
/// problem.
fn stretch(problem: &Problem, factor: f64, q: &mut [f64]) {
    let Ends::Periodic(cycle) = &problem.ends else { return };
    for (k, node) in q.chunks_exact_mut(problem.model.size.nq).enumerate() {
        let share = (k as f64 - 1.0) / problem.steps as f64;
        for &Advance { coordinate: i, amount: stride, .. } in &cycle.stride {
            node[i] += share * (stride - stride / factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_point_of_a_parabola() {
        let f = |x: f64| 3.0 * (x - 0.7) * (x - 0.7) + 2.0;
        let x = lowest([0.1, 0.6, 1.5].map(|x| (x, f(x))));
        assert!((x - 0.7).abs() < 1e-12, "{x}");
    }
}
