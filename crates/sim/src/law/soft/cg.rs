//! Nonlinear conjugate gradients, preconditioned by M⁻¹: needs no Hessian and no factorization
//! except that of M.

use super::primal::{Outcome, Primal, Stop};
use super::problem::Problem;
use crate::data::{Data, SolverStatus};
use crate::model::Model;
use saltus_math::dot;

#[derive(Clone, Debug, Default)]
pub(super) struct ConjugateGradient {
    last_gradient: Vec<f64>,
    /// y = gradient − last gradient, and z = M⁻¹ y.
    y: Vec<f64>,
    z: Vec<f64>,
}

impl ConjugateGradient {
    pub fn solve(
        &mut self,
        model: &Model,
        data: &Data,
        problem: &mut Problem,
        primal: &mut Primal,
        stop: &Stop,
    ) -> Outcome {
        let mut outcome = Outcome { status: SolverStatus::Converged, ..Outcome::default() };
        self.precondition(model, data, problem, primal);
        if 0.5 * stop.scale * dot(&primal.gradient, &primal.preconditioned) < stop.tolerance {
            return outcome;
        }
        outcome.status = SolverStatus::IterationLimit;
        primal.step.s.iter_mut().zip(&primal.preconditioned).for_each(|(s, z)| *s = -z);
        let mut restarted = true;
        while outcome.iterations < stop.iterations {
            self.last_gradient.clone_from(&primal.gradient);
            let moved = primal.advance(model, data, problem, stop);
            outcome.iterations += 1;
            outcome.improvement = stop.scale * moved.improvement;
            self.precondition(model, data, problem, primal);
            let gap = 0.5 * stop.scale * dot(&primal.gradient, &primal.preconditioned);
            if gap < stop.tolerance || stop.scale * primal.gradient_norm() < stop.tolerance {
                outcome.status = SolverStatus::Converged;
                break;
            }
            if moved.alpha == 0.0 && restarted {
                outcome.status = SolverStatus::Stalled;
                break;
            }
            let beta = if moved.alpha == 0.0 { 0.0 } else { self.beta(model, data, problem, primal) };
            primal.step.s.iter_mut().zip(&primal.preconditioned).for_each(|(s, z)| *s = beta * *s - z);
            restarted = beta == 0.0;
            if dot(&primal.step.s, &primal.gradient) >= 0.0 {
                primal.step.s.iter_mut().zip(&primal.preconditioned).for_each(|(s, z)| *s = -z);
                restarted = true;
            }
        }
        outcome
    }

    /// M⁻¹ gradient.
    fn precondition(&self, model: &Model, data: &Data, problem: &Problem, primal: &mut Primal) {
        primal.preconditioned.copy_from_slice(&primal.gradient);
        problem.solve_inertia(model, data, &mut primal.preconditioned);
    }

    /// Hager & Zhang's β in the metric of the preconditioner, with y = g − g_last, z = M⁻¹ y:
    /// β = (zᵀg − 2 (zᵀy)(sᵀg) / (sᵀy)) / (sᵀy), not below 0.
    fn beta(&mut self, model: &Model, data: &Data, problem: &Problem, primal: &Primal) -> f64 {
        let Self { last_gradient, y, z } = self;
        y.clear();
        y.extend(primal.gradient.iter().zip(&*last_gradient).map(|(g, l)| g - l));
        z.clone_from(y);
        problem.solve_inertia(model, data, z);
        let (s, g) = (&primal.step.s, &primal.gradient);
        let sy = dot(s, y);
        if sy <= 0.0 {
            return 0.0;
        }
        ((dot(z, g) - 2.0 * dot(z, y) * dot(s, g) / sy) / sy).max(0.0)
    }
}
