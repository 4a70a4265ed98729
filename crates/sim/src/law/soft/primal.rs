//! Minimization over accelerations: the parts that Newton and conjugate gradients share.

use super::problem::Problem;
use super::{cost, line_search};
use crate::data::{Data, RowState, SolverStatus};
use crate::model::Model;
use saltus_math::dot;

/// The iterate and the quantities updated with it, the step, and working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Primal {
    pub a: Vec<f64>,
    /// M (a − a₀).
    pub residual: Vec<f64>,
    /// J a − a_ref.
    pub x: Vec<f64>,
    pub force: Vec<f64>,
    pub state: Vec<RowState>,
    /// s(x).
    row_cost: f64,
    pub gradient: Vec<f64>,
    /// Jᵀ f.
    pub tau: Vec<f64>,
    /// M⁻¹ gradient, if the method computes it.
    pub preconditioned: Vec<f64>,
    pub step: Step,
    warm: WarmPoint,
    law: LawForces,
}

/// The direction s of the next step, M s and J s.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub s: Vec<f64>,
    Ms: Vec<f64>,
    Js: Vec<f64>,
}

/// The alternative initial point: a − a₀ and J a − a_ref.
#[derive(Clone, Debug, Default)]
struct WarmPoint {
    difference: Vec<f64>,
    x: Vec<f64>,
}

/// Forces of the law at the acceleration of a dual method.
#[derive(Clone, Debug, Default)]
struct LawForces {
    force: Vec<f64>,
    state: Vec<RowState>,
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub tolerance: f64,
    pub iterations: u32,
    pub line_search: line_search::Settings,
    /// 1 / (mean inertia · n): makes costs and gradients comparable between models.
    pub scale: f64,
}

/// Outcome of the minimization.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    pub status: SolverStatus,
    pub iterations: u32,
    pub improvement: f64,
    /// Scaled norm of the gradient.
    pub residual: f64,
}

/// Result of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// Decrease of the cost.
    pub improvement: f64,
    /// Step length; 0 if there was no descent.
    pub alpha: f64,
    /// Whether a row changed its state.
    pub state_changed: bool,
}

impl Primal {
    pub fn resize(&mut self, n: usize, nrow: usize) {
        for v in [
            &mut self.a,
            &mut self.residual,
            &mut self.gradient,
            &mut self.tau,
            &mut self.preconditioned,
            &mut self.step.s,
            &mut self.step.Ms,
            &mut self.warm.difference,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        for v in [&mut self.x, &mut self.force, &mut self.step.Js, &mut self.warm.x] {
            v.clear();
            v.resize(nrow, 0.0);
        }
        self.state.clear();
        self.state.resize(nrow, RowState::Satisfied);
    }

    /// Starts from the warm start or from the unconstrained acceleration, whichever costs less.
    pub fn start(&mut self, model: &Model, data: &Data, problem: &mut Problem, warm: Option<&[f64]>) {
        self.a.copy_from_slice(&problem.a_free);
        problem.mul_jacobian(&self.a, &mut self.x);
        self.x.iter_mut().zip(&problem.a_ref).for_each(|(x, r)| *x -= r);
        self.row_cost = cost::evaluate(problem, &self.x, &mut self.force, &mut self.state).0;
        if let Some(warm) = warm {
            let WarmPoint { difference, x } = &mut self.warm;
            problem.mul_jacobian(warm, x);
            x.iter_mut().zip(&problem.a_ref).for_each(|(x, r)| *x -= r);
            for i in 0..problem.n {
                difference[i] = warm[i] - problem.a_free[i];
            }
            problem.mul_inertia(model, data, difference, &mut self.residual);
            let kinetic = 0.5 * dot(difference, &self.residual);
            let row_cost = cost::evaluate(problem, x, &mut self.force, &mut self.state).0;
            if kinetic + row_cost < self.row_cost {
                self.row_cost = row_cost;
                self.a.copy_from_slice(warm);
                core::mem::swap(&mut self.x, x);
            } else {
                self.residual.fill(0.0);
                cost::evaluate(problem, &self.x, &mut self.force, &mut self.state);
            }
        }
        self.update_gradient(problem);
    }

    /// ∇ = M (a − a₀) − Jᵀ f.
    fn update_gradient(&mut self, problem: &Problem) {
        self.tau.fill(0.0);
        problem.add_transposed(&self.force, &mut self.tau);
        for ((g, r), t) in self.gradient.iter_mut().zip(&self.residual).zip(&self.tau) {
            *g = r - t;
        }
    }

    /// Adopts the forces of a dual method, already in `force`, and their acceleration. The gradient
    /// becomes the difference between these forces and those of the law at that acceleration.
    pub fn take_dual(&mut self, problem: &mut Problem, a: &[f64]) {
        self.a.copy_from_slice(a);
        problem.mul_jacobian(a, &mut self.x);
        self.x.iter_mut().zip(&problem.a_ref).for_each(|(x, r)| *x -= r);
        self.tau.fill(0.0);
        problem.add_transposed(&self.force, &mut self.tau);
        let LawForces { force, state } = &mut self.law;
        force.resize(self.x.len(), 0.0);
        state.clear();
        state.resize(force.len(), RowState::Satisfied);
        cost::evaluate(problem, &self.x, force, state);
        force.iter_mut().zip(&self.force).for_each(|(law, f)| *law = f - *law);
        self.gradient.fill(0.0);
        problem.add_transposed(force, &mut self.gradient);
    }

    /// Line search along the direction of the step; moves the iterate there.
    pub fn advance(&mut self, model: &Model, data: &Data, problem: &mut Problem, stop: &Stop) -> Moved {
        let Step { s, Ms, Js } = &mut self.step;
        problem.mul_inertia(model, data, s, Ms);
        problem.mul_jacobian(s, Js);
        let ray = line_search::Ray { slope: dot(s, &self.residual), curvature: dot(s, Ms), x: &self.x, dx: Js };
        let alpha = line_search::minimize(problem, &ray, &stop.line_search);
        if alpha == 0.0 {
            return Moved { improvement: 0.0, alpha, state_changed: false };
        }
        let add = |y: &mut [f64], x: &[f64]| y.iter_mut().zip(x).for_each(|(y, x)| *y += alpha * x);
        let kinetic = alpha * (ray.slope + 0.5 * alpha * ray.curvature);
        add(&mut self.a, s);
        add(&mut self.residual, Ms);
        add(&mut self.x, Js);
        let (row_cost, state_changed) = cost::evaluate(problem, &self.x, &mut self.force, &mut self.state);
        let improvement = self.row_cost - row_cost - kinetic;
        self.row_cost = row_cost;
        self.update_gradient(problem);
        Moved { improvement, alpha, state_changed }
    }

    pub fn gradient_norm(&self) -> f64 {
        dot(&self.gradient, &self.gradient).sqrt()
    }
}
