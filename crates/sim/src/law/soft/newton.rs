//! Newton's method with the exact Hessian H = M + Jᵀ ∇²s J.
//!
//! With pyramidal cones the cost is piecewise quadratic: a full step that changes no row's state
//! ends at the minimum itself, to round-off, and needs no further convergence test.

use super::cost::{MAX_DIM, Zone};
use super::hessian::Hessian;
use super::primal::{Outcome, Primal, Stop};
use super::problem::{Group, Problem};
use crate::data::{Data, RowState, SolverStatus};
use crate::model::Model;
use saltus_math::dot;

/// Smallest pivot of the Hessian: far below any inertia.
const MIN_PIVOT: f64 = 1e-15;

#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    hessian: Hessian,
}

impl Newton {
    pub fn solve(
        &mut self,
        model: &Model,
        data: &Data,
        problem: &mut Problem,
        primal: &mut Primal,
        stop: &Stop,
    ) -> Outcome {
        let mut outcome = Outcome { status: SolverStatus::Converged, ..Outcome::default() };
        // The cost is M-strongly convex: ½ gᵀM⁻¹g bounds the distance to the minimum [duality gap].
        // It is quadratic, so a small value says little about the forces: before the first
        // iteration the gradient itself must be small too.
        if stop.scale * primal.gradient_norm() < stop.tolerance {
            primal.preconditioned.copy_from_slice(&primal.gradient);
            problem.solve_inertia(model, data, &mut primal.preconditioned);
            if 0.5 * stop.scale * dot(&primal.gradient, &primal.preconditioned) < stop.tolerance {
                return outcome;
            }
        }
        self.hessian.build_pattern(model, problem, &problem.groups);
        outcome.status = SolverStatus::IterationLimit;
        while outcome.iterations < stop.iterations {
            self.assemble(model, data, problem, primal);
            self.hessian.matrix.factor(MIN_PIVOT);
            primal.step.s.iter_mut().zip(&primal.gradient).for_each(|(s, g)| *s = -g);
            self.hessian.matrix.solve(&mut primal.step.s);
            let decrement = -0.5 * stop.scale * dot(&primal.gradient, &primal.step.s);
            let moved = primal.advance(model, data, problem, stop);
            outcome.iterations += 1;
            outcome.improvement = stop.scale * moved.improvement;
            let exact = moved.alpha == 1.0 && !moved.state_changed && !primal.state.contains(&RowState::Cone);
            if exact
                || decrement < stop.tolerance
                || (moved.alpha > 0.0 && outcome.improvement < stop.tolerance)
                || stop.scale * primal.gradient_norm() < stop.tolerance
            {
                outcome.status = SolverStatus::Converged;
                break;
            }
            if moved.alpha == 0.0 {
                outcome.status = SolverStatus::Stalled;
                break;
            }
        }
        outcome
    }

    fn assemble(&mut self, model: &Model, data: &Data, problem: &Problem, primal: &Primal) {
        self.hessian.set_inertia(model, data, problem);
        let mut cone = 0;
        for group in &problem.groups {
            weigh(&mut self.hessian, problem, primal, group, &mut cone);
            if !self.hessian.active.is_empty() {
                self.hessian.add_group(problem, group);
            }
        }
    }
}

/// Lists the rows of a group with nonzero curvature, and curvature times J by columns. `cone`
/// counts the cones passed.
fn weigh(hessian: &mut Hessian, problem: &Problem, primal: &Primal, group: &Group, cone: &mut usize) {
    let ncol = group.ncol;
    hessian.active.clear();
    let rows = group.row..group.row + group.nrow;
    let place = |r: usize| group.value + (r - group.row) * ncol;
    let curved = |r: &usize| matches!(primal.state[*r], RowState::Quadratic | RowState::Cone);
    hessian.active.extend(rows.clone().filter(curved).map(place));
    let n = hessian.active.len();
    hessian.weighted.clear();
    hessian.weighted.resize(n * ncol, 0.0);
    let mut k = 0;
    let mut r = rows.start;
    while r < rows.end {
        if primal.state[r] == RowState::Quadratic {
            let row = &problem.J[place(r)..place(r) + ncol];
            for (c, j) in row.iter().enumerate() {
                hessian.weighted[c * n + k] = problem.D[r] * j;
            }
            k += 1;
            r += 1;
        } else if primal.state[r] == RowState::Cone {
            while problem.cones[*cone].row < r {
                *cone += 1;
            }
            let dim = problem.cones[*cone].dim;
            weigh_cone(hessian, problem, primal, *cone, place(r), k);
            k += dim;
            r += dim;
        } else {
            r += 1;
        }
    }
}

/// The rows of a cone in the middle zone: its Hessian times J.
fn weigh_cone(hessian: &mut Hessian, problem: &Problem, primal: &Primal, cone: usize, place: usize, k: usize) {
    let cone = &problem.cones[cone];
    let n = hessian.active.len();
    let ncol = hessian.weighted.len() / n;
    let x = &primal.x[cone.row..cone.row + cone.dim];
    let mut H = [0.0; MAX_DIM * MAX_DIM];
    if let Zone::Middle { gap, tangential } = cone.zone(x) {
        cone.hessian(x, problem.D[cone.row], gap, tangential, &mut H);
    }
    for c in 0..ncol {
        for j in 0..cone.dim {
            let mut sum = 0.0;
            for i in 0..cone.dim {
                sum += H[j * MAX_DIM + i] * problem.J[place + i * ncol + c];
            }
            hessian.weighted[c * n + k + j] = sum;
        }
    }
}
