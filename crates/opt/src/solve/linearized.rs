//! The linearized problem: a quadratic model, and equalities.
//!
//!   min ½ xᵀ H x + gᵀ x   subject to   c + J x = 0                                                   (1)
//! With ρ̂ Jᵀ J added to H, and multipliers improved by λ ← λ + ρ̂ (c + J x), it is solved by one
//! factor of a matrix that has the bands of H and is positive definite where (1) has a minimum; for
//! large ρ̂ a few improvements are enough. Each equality has its own ρ̂, large beside 1/(J
//! diag(H)⁻¹ Jᵀ), so that units do not matter.

use crate::problem::Problem;
use crate::problem::layout::{Layout, Unknowns};
use crate::solve::assemble::{Quadratic, gather, scatter};
use crate::solve::knot::{Equalities, KnotResult, Multipliers, stride};
use crate::solve::minimize::Optimizer;
use saltus_math::dot;
use saltus_math::gram::{Gram, Weighted};
use std::time::Instant;

/// How much more than by H itself equalities are held by ρ̂; improvements of multipliers, and the
/// share of violation that they may leave.
const STIFF: f64 = 1e2;
const IMPROVEMENTS: usize = 12;
const LEFT: f64 = 1e-9;
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
    /// For a layout.
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

    /// Adds Σ y ∂c of a step to a gradient; y is the row's measure times `pull` of its number and
    /// derivatives.
    fn add_pulls(
        local: &mut [f64],
        Unknowns { layout, ends }: Unknowns<'_>,
        t: usize,
        knot: &KnotResult,
        mut pull: impl FnMut(usize, &[f64]) -> f64,
        out: &mut Quadratic,
    ) {
        local.fill(0.0);
        let Equalities { measure, rows, .. } = &knot.equalities;
        for (r, (measure, row)) in measure.iter().zip(rows.chunks_exact(stride(layout.n))).enumerate() {
            let y = measure * pull(r, row);
            local.iter_mut().zip(row).for_each(|(g, r)| *g += y * r);
        }
        scatter(layout, ends, t, local, &mut out.gradient);
    }
}

impl Optimizer {
    /// Solves (1) for the present knots. The gradient of the model is then that of the merit with
    /// the multipliers of (1). What these add to the merit; none if there is no solution.
    pub(crate) fn solve_linearized(
        &mut self,
        problem: &Problem,
        multipliers: &mut Multipliers,
        sub: &mut Linearized,
    ) -> Option<f64> {
        let start = Instant::now();
        self.quadratic.update(&self.workers.pool, &self.layout, &problem.ends, &self.knots);
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
        let mut gram = Gram::default();
        self.quadratic.hessian.diagonal(&mut self.shift);
        for (t, knot) in self.knots.iter_mut().enumerate() {
            gather(&self.layout, &problem.ends, t, &self.shift, &mut sub.local);
            let Equalities { at, measure, rows, stiffness } = &mut knot.equalities;
            stiffness.clear();
            for (row, measure) in rows.chunks_exact(stride(n)).zip(measure.iter()) {
                // Diagonals of what is fixed are zero; mirror images may have the other sign.
                let parts = row.iter().zip(&sub.local).filter(|(_, d)| **d != 0.0);
                let give: f64 = parts.map(|(r, d)| r * r / d.abs()).sum();
                stiffness.push(if give > 0.0 { STIFF / (give * measure) } else { 0.0 });
            }
            let weight: Vec<f64> = stiffness.iter().zip(measure.iter()).map(|(s, m)| s * m).collect();
            let rows = Weighted { rows: at.len(), cols: 3 * n, a: rows, stride: stride(n), w: &weight };
            gram.add(rows, &mut knot.hessian, stride(n));
        }
        sub.stiff.update(&self.workers.pool, &self.layout, &problem.ends, &self.knots);
        sub.stiff.gradient.fill(0.0);
        for (t, knot) in self.knots.iter().enumerate() {
            let pull = |r: usize, _: &[f64]| {
                let (k, i) = knot.equalities.at[r];
                knot.equalities.stiffness[r] * knot.constraint[k][i]
            };
            let unknowns = Unknowns { layout: &self.layout, ends: &problem.ends };
            Linearized::add_pulls(&mut sub.gradient, unknowns, t, knot, pull, &mut sub.stiff);
        }
    }

    fn factor_stiff(&mut self, sub: &Linearized) -> bool {
        let [mut share, most] = REGULARIZATION;
        while share <= most {
            sub.stiff.hessian.diagonal(&mut self.shift);
            self.shift.iter_mut().for_each(|s| *s = share * s.abs());
            let pool = &self.workers.pool;
            if self.factor.factor(&sub.stiff.hessian, &self.shift, |a, b| pool.join(a, b)).is_ok() {
                return true;
            }
            share *= 100.0;
        }
        false
    }

    /// λ ← λ + ρ̂ (c + J x) until c + J x has vanished. x is refined: the residual g + H x is
    /// computed anew, so that what is lost in factors of a stiff matrix is found again.
    fn improve_multipliers(&mut self, problem: &Problem, multipliers: &mut Multipliers, sub: &mut Linearized) -> f64 {
        let (mut change, mut first) = (0.0, 0.0);
        sub.whole.fill(0.0);
        self.product.fill(0.0);
        for improvement in 0..IMPROVEMENTS {
            let gradients = self.quadratic.gradient.iter().zip(&sub.stiff.gradient);
            for (x, ((g, s), hx)) in self.step.iter_mut().zip(gradients.zip(&self.product)) {
                *x = -(g + hx + s);
            }
            let pool = &self.workers.pool;
            self.factor.solve(&mut self.step, |a, b| pool.join(a, b));
            sub.whole.iter_mut().zip(&self.step).for_each(|(x, d)| *x += d);
            sub.stiff.gradient.fill(0.0);
            let (worst, by) = self.pull_back(problem, multipliers, sub);
            change += by;
            self.quadratic.gradient.iter_mut().zip(&sub.stiff.gradient).for_each(|(g, s)| *g += s);
            if improvement == 0 {
                first = worst;
            }
            if worst <= LEFT * first {
                break;
            }
            self.quadratic.hessian.mul(&sub.whole, &mut self.product);
        }
        change
    }

    /// λ + ρ̂ (c + J x), and ρ̂ Jᵀ (c + J x) in the gradient of the stiff problem. The largest of c
    /// + J x, and what the new multipliers add to the merit.
    fn pull_back(&self, problem: &Problem, multipliers: &mut Multipliers, sub: &mut Linearized) -> (f64, f64) {
        let rho = multipliers.penalty;
        let (mut worst, mut change) = (0.0f64, 0.0);
        for (t, knot) in self.knots.iter().enumerate() {
            gather(&self.layout, &problem.ends, t, &sub.whole, &mut sub.local);
            let (local, of) = (&sub.local, &knot.equalities);
            let pull = |r: usize, row: &[f64]| {
                let (k, i) = of.at[r];
                let c = knot.constraint[k][i];
                let left = c + dot(&row[..local.len()], local);
                worst = worst.max(left.abs());
                let own = &mut multipliers.lambda[k][t];
                own.resize(knot.constraint[k].len().max(own.len()), 0.0);
                let by = of.stiffness[r] * left;
                // ½ ρ (c + λ/ρ)² with λ + by instead of λ.
                change += of.measure[r] * by * (c + (own[i] + 0.5 * by) / rho);
                own[i] += by;
                by
            };
            let unknowns = Unknowns { layout: &self.layout, ends: &problem.ends };
            Linearized::add_pulls(&mut sub.gradient, unknowns, t, knot, pull, &mut sub.stiff);
        }
        (worst, change)
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
