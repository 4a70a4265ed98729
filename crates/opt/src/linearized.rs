//! The linearized problem: a quadratic model, and equalities.
//!
//!   min ½ xᵀ H x + gᵀ x   subject to   c + J x = 0                                                   (1)
//! With ρ̂ Jᵀ J added to H, and multipliers improved by λ ← λ + ρ̂ (c + J x), it is solved by one factor of a matrix that has
//! the bands of H and is positive definite where (1) has a minimum; for large ρ̂ a few improvements are enough.

use crate::assemble::Quadratic;
use crate::knot::{Equalities, KnotResult, Multipliers, stride};
use crate::layout::Layout;
use crate::minimize::Optimizer;
use crate::problem::Problem;
use saltus_math::dot;
use saltus_math::gram::add_gram;
use std::time::Instant;

/// ρ̂ in units of the constraints; improvements of multipliers, and the share of violation that they may leave.
const STIFF: f64 = 1e6;
const IMPROVEMENTS: usize = 10;
const LEFT: f64 = 1e-6;
/// What is added to the diagonal, as a share of it: at first, and at most.
const REGULARIZATION: [f64; 2] = [1e-13, 1e-9];

/// The solution of (1).
#[derive(Debug)]
pub struct Linearized {
    /// x.
    pub whole: Vec<f64>,
    /// The best step along the steepest descent in the metric.
    cauchy: Vec<f64>,
    /// W · diagonal.
    metric: Vec<f64>,
    /// H + ρ̂ Jᵀ J and ρ̂ Jᵀ c.
    stiff: Quadratic,
    /// By the unknowns of one step.
    local: Vec<f64>,
    gradient: Vec<f64>,
}

impl Linearized {
    pub fn new(layout: &Layout) -> Self {
        let (dim, local) = (vec![0.0; layout.dim()], vec![0.0; 3 * layout.n]);
        Self {
            whole: dim.clone(),
            cauchy: dim.clone(),
            metric: dim,
            stiff: Quadratic::new(layout),
            gradient: local.clone(),
            local,
        }
    }

    /// Length of a step in the metric.
    pub fn norm(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.metric).map(|(x, w)| w * x * x).sum::<f64>().sqrt()
    }

    /// The step within the radius; whether it is the whole one.
    pub fn dogleg(&self, radius: f64, step: &mut [f64]) -> bool {
        if self.norm(&self.whole) <= radius {
            step.copy_from_slice(&self.whole);
            return true;
        }
        let cauchy = self.norm(&self.cauchy);
        if cauchy >= radius {
            step.iter_mut().zip(&self.cauchy).for_each(|(x, c)| *x = c * radius / cauchy);
            return false;
        }
        // |c + s (x − c)| = radius.
        let (mut across, mut square) = (0.0, 0.0);
        for ((x, c), w) in self.whole.iter().zip(&self.cauchy).zip(&self.metric) {
            across += w * c * (x - c);
            square += w * (x - c) * (x - c);
        }
        let rest = radius * radius - cauchy * cauchy;
        let s = rest / (across + (across * across + square * rest).sqrt());
        for (out, (x, c)) in step.iter_mut().zip(self.whole.iter().zip(&self.cauchy)) {
            *out = c + s * (x - c);
        }
        false
    }

    /// Adds Σ y_i ∂c_i of a step, y from the row's value and measure, to a gradient.
    fn add_pulls(
        (local, layout, problem): (&mut [f64], &Layout, &Problem),
        (t, knot): (usize, &KnotResult),
        mut pull: impl FnMut(usize, usize, &[f64]) -> f64,
        out: &mut Quadratic,
    ) {
        local.fill(0.0);
        let Equalities { at, measure, rows } = &knot.equalities;
        for ((&(k, i), &measure), row) in at.iter().zip(measure).zip(rows.chunks_exact(stride(layout.n))) {
            let y = measure * pull(k, i, row);
            local.iter_mut().zip(row).for_each(|(g, r)| *g += y * r);
        }
        out.add_local_gradient(layout, &problem.ends, t, local);
    }
}

impl Optimizer {
    /// Solves (1) for the present knots. The gradient of the model is then that of the merit with the multipliers of (1).
    /// What these add to the merit; none if there is no solution.
    pub(crate) fn solve_linearized(
        &mut self,
        problem: &Problem,
        multipliers: &mut Multipliers,
        sub: &mut Linearized,
    ) -> Option<f64> {
        let start = Instant::now();
        self.quadratic.update(&self.layout, &problem.ends, &self.knots);
        self.stiffen(problem, sub);
        self.times.assembly += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let solved = self.factor_stiff(sub);
        let change = if solved { self.improve_multipliers(problem, multipliers, sub) } else { 0.0 };
        if solved {
            self.descend(sub);
        }
        self.times.factorization += start.elapsed().as_secs_f64();
        (solved && sub.whole.iter().all(|x| x.is_finite())).then_some(change)
    }

    /// H + ρ̂ Jᵀ J and ρ̂ Jᵀ c. The Hessians of the knots have ρ̂ Jᵀ J afterwards.
    fn stiffen(&mut self, problem: &Problem, sub: &mut Linearized) {
        let n = self.layout.n;
        let mut weight = Vec::new();
        for knot in &mut self.knots {
            let Equalities { at, measure, rows } = &knot.equalities;
            weight.clear();
            weight.extend(measure.iter().map(|m| STIFF * m));
            add_gram(at.len(), 3 * n, rows, stride(n), &weight, &mut knot.hessian, stride(n));
        }
        sub.stiff.update(&self.layout, &problem.ends, &self.knots);
        sub.stiff.gradient.fill(0.0);
        for (t, knot) in self.knots.iter().enumerate() {
            let pull = |k: usize, i: usize, _: &[f64]| STIFF * knot.constraint[k][i];
            Linearized::add_pulls((&mut sub.gradient, &self.layout, problem), (t, knot), pull, &mut sub.stiff);
        }
    }

    fn factor_stiff(&mut self, sub: &Linearized) -> bool {
        let [mut share, most] = REGULARIZATION;
        while share <= most {
            sub.stiff.hessian.diagonal(&mut self.shift);
            self.shift.iter_mut().for_each(|s| *s = share * s.abs());
            let pool = &self.pool;
            if self.factor.factor(&sub.stiff.hessian, &self.shift, |a, b| pool.join(a, b)).is_ok() {
                return true;
            }
            share *= 100.0;
        }
        false
    }

    /// λ ← λ + ρ̂ (c + J x) until c + J x has vanished.
    fn improve_multipliers(&mut self, problem: &Problem, multipliers: &mut Multipliers, sub: &mut Linearized) -> f64 {
        let rho = multipliers.penalty;
        let (mut change, mut first) = (0.0, 0.0);
        for improvement in 0..IMPROVEMENTS {
            let gradients = self.quadratic.gradient.iter().zip(&sub.stiff.gradient);
            sub.whole.iter_mut().zip(gradients).for_each(|(x, (g, s))| *x = -g - s);
            self.factor.solve(&mut sub.whole);
            let mut worst = 0.0f64;
            for (t, knot) in self.knots.iter().enumerate() {
                Quadratic::gather(&self.layout, &problem.ends, t, &sub.whole, &mut sub.local);
                let local = &sub.local;
                let measures = &knot.equalities.measure;
                let mut number = 0;
                let pull = |k: usize, i: usize, row: &[f64]| {
                    let c = knot.constraint[k][i];
                    let left = c + dot(&row[..local.len()], local);
                    worst = worst.max(left.abs());
                    let own = &mut multipliers.lambda[k][t];
                    own.resize(knot.constraint[k].len().max(own.len()), 0.0);
                    let by = STIFF * left;
                    // ½ ρ (c + λ/ρ)² with λ + by instead of λ.
                    change += measures[number] * by * (c + (own[i] + 0.5 * by) / rho);
                    number += 1;
                    own[i] += by;
                    by
                };
                let at = (&mut sub.gradient[..], &self.layout, problem);
                Linearized::add_pulls(at, (t, knot), pull, &mut self.quadratic);
            }
            if improvement == 0 {
                first = worst;
            }
            if worst <= LEFT * first {
                break;
            }
        }
        change
    }

    /// The metric, and the best step along the steepest descent in it.
    fn descend(&mut self, sub: &mut Linearized) {
        self.quadratic.hessian.diagonal(&mut sub.metric);
        sub.metric.iter_mut().for_each(|w| *w = w.abs().sqrt().max(1.0));
        let g = &self.quadratic.gradient;
        sub.cauchy.iter_mut().zip(g.iter().zip(&sub.metric)).for_each(|(x, (g, w))| *x = -g / w);
        self.quadratic.hessian.mul(&sub.cauchy, &mut self.product);
        let (along, curvature) = (-dot(g, &sub.cauchy), dot(&sub.cauchy, &self.product));
        let scale = if curvature > 0.0 { along / curvature } else { 1.0 };
        sub.cauchy.iter_mut().for_each(|x| *x *= scale);
    }
}
