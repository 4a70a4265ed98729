//! Minimization with equalities by steps to the solution of the linearized problem (sequential
//! quadratic programming).
//!
//!   min ½ xᵀ H x + gᵀ x   subject to   c + J x = 0                                                   (1)
//! has the solution x and the multipliers λ (`linearized`). H is the Hessian of the Lagrangian
//! (Newton), or what Gauss and Newton take for it: without the curvature of residuals and
//! constraints.
//!
//! A step is judged by the augmented Lagrangian with these multipliers, f + λᵀ c + ½ ρ |c|², which
//! x decreases whatever ρ is: the change of its model along x is −½ xᵀ H x − ½ ρ |c|². Steps stay
//! within a radius, on the dogleg between the steepest descent and x, in the metric W = diag(H)^½,
//! halfway between that of the unknowns and that of the problem. Inequalities keep the multipliers
//! that they are given.
//!
//! Close to a solution Newton's steps square the distance to it: multipliers are as new as the
//! step.

use crate::problem::Problem;
use crate::solve::knot::{KnotResult, Mode, Multipliers};
use crate::solve::linearized::Linearized;
use crate::solve::minimize::{Minimized, Optimizer, Outcome, Step};
use crate::solve::multiplier::largest_violation;
use saltus_math::dot;
use std::time::Instant;

/// When minimization ends, and how it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SqpOptions {
    /// Most iterations.
    pub iterations: usize,
    /// Ends when (1) is predicted to decrease the merit by less than this share and equalities hold
    /// to `feasibility`.
    pub tolerance: f64,
    /// Largest violation of the linearized constraints that counts as none.
    pub feasibility: f64,
    /// Whether, where iterations run out before, the last of them restore equalities.
    pub restore: bool,
    /// Radius of the first step.
    pub radius: f64,
    /// Share of predicted decrease below which H has all of its curvature; 0: never.
    pub newton: f64,
}

/// Iterations that are kept for restoration, from far and from near: a violation below `NEAR`.
const RESERVE: [usize; 2] = [8, 4];
const NEAR: f64 = 1e-3;
/// Predicted share of decrease that differences of the merit do not resolve.
const BLIND: f64 = 1e-10;
/// Radius at which no step is left to try.
const SMALLEST: f64 = 1e-14;

/// Where minimization is.
struct State {
    merit: f64,
    radius: f64,
    /// Whether (1) is still that of another point.
    fresh: bool,
    /// What the whole step is predicted to gain, as a share of the merit.
    share: f64,
    /// The solution of (1).
    sub: Linearized,
}

impl Optimizer {
    /// Minimizes from `q`, which is moved to the best point found; multipliers of equalities are
    /// those of the last step, `damping` is the last radius.
    pub fn minimize_sqp(
        &mut self,
        problem: &Problem,
        multipliers: &mut Multipliers,
        q: &mut Vec<f64>,
        options: &SqpOptions,
        observer: &mut dyn FnMut(&Step, &[KnotResult]) -> bool,
    ) -> Minimized {
        let merit = self.timed_update(problem, multipliers, q, Mode::Linearized);
        if !merit.is_finite() {
            return Minimized { outcome: Outcome::Invalid, decrease: 0.0 };
        }
        let first = merit;
        let ended = |outcome, merit: f64| Minimized { outcome, decrease: first - merit };
        let sub = Linearized::new(&self.layout);
        let mut state = State { merit, radius: options.radius, fresh: true, share: f64::INFINITY, sub };
        for iteration in 0..options.iterations {
            self.damping = state.radius;
            let violation = largest_violation(&problem.terms, &self.knots);
            let left = options.iterations - iteration;
            let reserve = RESERVE[usize::from(violation < NEAR)];
            if options.restore && left <= reserve && violation > options.feasibility {
                self.restore_linearized(problem, q, left, options.feasibility, &mut state.sub, observer);
                self.update(problem, multipliers, q, true);
                return ended(Outcome::Restored, state.merit);
            }
            if state.fresh && !self.prepare(problem, multipliers, q, options, &mut state) {
                return ended(Outcome::Stalled, state.merit);
            }
            if state.share <= options.tolerance && violation <= options.feasibility {
                return ended(Outcome::Converged, state.merit);
            }
            if state.radius < SMALLEST {
                return ended(self.stalled(), state.merit);
            }
            let before = state.merit;
            let go_on = self.try_step(problem, multipliers, q, &mut state, observer);
            if !state.merit.is_finite() {
                return ended(Outcome::Invalid, before);
            }
            if !go_on {
                return ended(Outcome::Limit, state.merit);
            }
        }
        ended(Outcome::Limit, state.merit)
    }

    /// Solves (1) at `q`; false if it has no solution.
    fn prepare(
        &mut self,
        problem: &Problem,
        multipliers: &mut Multipliers,
        q: &[f64],
        options: &SqpOptions,
        state: &mut State,
    ) -> bool {
        let mut solved = None;
        if state.share <= options.newton {
            let start = Instant::now();
            self.add_curvature(problem, q);
            self.times.derivatives += start.elapsed().as_secs_f64();
            solved = self.solve_linearized(problem, multipliers, &mut state.sub);
            if solved.is_none() {
                // Far from a minimum H may have negative curvature where constraints let it.
                state.merit = self.timed_update(problem, multipliers, q, Mode::Linearized);
            }
        }
        let Some(change) = solved.or_else(|| self.solve_linearized(problem, multipliers, &mut state.sub)) else {
            return false;
        };
        state.merit += change;
        state.fresh = false;
        self.step.copy_from_slice(&state.sub.whole);
        state.share = self.predict() / state.merit.abs().max(f64::MIN_POSITIVE);
        true
    }

    /// What the model gains by `step`.
    fn predict(&mut self) -> f64 {
        self.quadratic.hessian.mul(&self.step, &mut self.product);
        -dot(&self.quadratic.gradient, &self.step) - 0.5 * dot(&self.step, &self.product)
    }

    /// Tries the step within the radius, and takes it if it is good; whether to go on.
    fn try_step(
        &mut self,
        problem: &Problem,
        multipliers: &Multipliers,
        q: &mut Vec<f64>,
        state: &mut State,
        observer: &mut dyn FnMut(&Step, &[KnotResult]) -> bool,
    ) -> bool {
        let inside = state.sub.dogleg(state.radius, &mut self.step);
        let predicted = self.predict();
        let share = predicted / state.merit.abs().max(f64::MIN_POSITIVE);
        let violation = largest_violation(&problem.terms, &self.knots);
        let trial = self.try_point(problem, multipliers, q);
        let ratio = (state.merit - trial) / predicted;
        // Where differences of the merit have no digits left, the violation decides.
        let blind = inside && share.abs() < BLIND && largest_violation(&problem.terms, &self.trial) <= violation;
        let accepted = ratio > 0.0 || (blind && trial.is_finite());
        let (length, damping) = (self.length(problem), state.radius);
        let step = Step { merit: trial, predicted: share, length, damping, accepted };
        let go_on = observer(&step, &self.knots);
        // NaN is no decrease.
        let good = ratio >= 0.25;
        if !good && !blind {
            state.radius = 0.25 * state.sub.norm(&self.step).min(state.radius);
        } else if ratio > 0.75 && !inside {
            state.radius *= 2.0;
        }
        if accepted {
            core::mem::swap(q, &mut self.q_trial);
            state.merit = self.timed_update(problem, multipliers, q, Mode::Linearized);
            state.fresh = true;
        }
        go_on
    }

    /// At most `most` steps of (1) without g, to the nearest point at which equalities hold to
    /// `goal`; how many were tried.
    fn restore_linearized(
        &mut self,
        problem: &Problem,
        q: &mut Vec<f64>,
        most: usize,
        goal: f64,
        sub: &mut Linearized,
        observer: &mut dyn FnMut(&Step, &[KnotResult]) -> bool,
    ) -> usize {
        let mut share = 1.0f64;
        let mut solved = false;
        for iteration in 0..most {
            let violation = largest_violation(&problem.terms, &self.knots);
            if violation <= goal {
                return iteration;
            }
            if !solved {
                let mut constraints = Multipliers::new(problem, self.knots.len(), 1.0);
                constraints.restore = Some(goal);
                self.timed_update(problem, &constraints, q, Mode::Linearized);
                solved = self.solve_linearized(problem, &mut constraints, sub).is_some();
                if !solved {
                    return iteration;
                }
            }
            self.step.iter_mut().zip(&sub.whole).for_each(|(x, whole)| *x = share * whole);
            let none = Multipliers { penalty: 1.0, ..Multipliers::default() };
            let merit = self.try_point(problem, &none, q);
            let there = largest_violation(&problem.terms, &self.trial);
            let accepted = there < violation;
            let (length, damping) = (self.length(problem), share);
            let go_on = observer(&Step { merit, predicted: violation, length, damping, accepted }, &self.knots);
            if accepted {
                core::mem::swap(q, &mut self.q_trial);
                core::mem::swap(&mut self.knots, &mut self.trial);
                share = (2.0 * share).min(1.0);
                solved = false;
            } else {
                share *= 0.25;
            }
            if !go_on {
                return iteration + 1;
            }
        }
        most
    }
}
