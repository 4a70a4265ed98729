//! Projected Gauss–Seidel on the dual problem: one row or one cone at a time. A row is minimized
//! exactly, a cone along a ray and then over its tangential force.

use super::cost::{Cone, MAX_DIM};
use super::dual::Dual;
use super::primal::{Outcome, Primal, Stop};
use super::problem::Problem;
use super::qcqp;
use crate::data::{Data, RowState, SolverStatus};
use crate::model::Model;
use saltus_math::MIN_VAL;

/// Starts from the primal point's forces, or from zero if that costs less; ends with forces in
/// `primal.force`.
pub(super) fn solve(
    model: &Model,
    data: &Data,
    problem: &mut Problem,
    primal: &mut Primal,
    dual: &mut Dual,
    stop: &Stop,
) -> Outcome {
    dual.update(model, data, problem);
    dual.set_force(problem, &primal.force);
    if cost(problem, dual, &primal.force) >= 0.0 {
        primal.force.fill(0.0);
        dual.set_force(problem, &primal.force);
    }
    let mut outcome = Outcome { status: SolverStatus::IterationLimit, ..Outcome::default() };
    while outcome.iterations < stop.iterations {
        outcome.improvement = stop.scale * sweep(problem, dual, 0, &mut primal.force);
        outcome.iterations += 1;
        if outcome.improvement < stop.tolerance {
            outcome.status = SolverStatus::Converged;
            break;
        }
    }
    outcome
}

/// Cost relative to zero force.
fn cost(problem: &Problem, dual: &Dual, force: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, &f) in force.iter().enumerate().filter(|(_, f)| **f != 0.0) {
        let free = problem.row_product(i, &problem.a_free);
        sum += 0.5 * f * (dual.row_acceleration(problem, i) + free - 2.0 * problem.a_ref[i] + problem.R[i] * f);
    }
    sum
}

/// Updates all rows from `first` once; returns the decrease of the cost.
pub(in crate::law) fn sweep(problem: &Problem, dual: &mut Dual, first: usize, force: &mut [f64]) -> f64 {
    let mut improvement = 0.0;
    for i in first..problem.end_one_sided {
        let gradient = dual.row_acceleration(problem, i) - problem.a_ref[i] + problem.R[i] * force[i];
        let curvature = dual.diag[i] + problem.R[i];
        let mut new = force[i] - gradient / curvature;
        if i >= problem.end_friction {
            new = new.max(0.0);
        } else if i >= problem.end_equality {
            new = new.clamp(-problem.eta[i], problem.eta[i]);
        }
        let change = new - force[i];
        improvement -= change * (gradient + 0.5 * curvature * change);
        force[i] = new;
        dual.add_force(i, change);
    }
    for c in 0..problem.cones.len() {
        improvement += sweep_cone(problem, dual, c, force);
    }
    improvement
}

/// Updates the force of one elliptic cone.
fn sweep_cone(problem: &Problem, dual: &mut Dual, c: usize, force: &mut [f64]) -> f64 {
    let cone = &problem.cones[c];
    let (n, rows) = (cone.dim, cone.row..cone.row + cone.dim);
    let mut A = dual.cones[c];
    let mut gradient = [0.0; MAX_DIM];
    for (k, i) in rows.clone().enumerate() {
        A[k][k] += problem.R[i];
        gradient[k] = dual.row_acceleration(problem, i) - problem.a_ref[i] + problem.R[i] * force[i];
    }
    let old: [f64; MAX_DIM] = core::array::from_fn(|k| if k < n { force[cone.row + k] } else { 0.0 });
    let (new, fall) = descend(cone, &A, &gradient, &old);
    if fall > 0.0 {
        for (k, i) in rows.enumerate() {
            force[i] = new[k];
            dual.add_force(i, new[k] - old[k]);
        }
    }
    fall.max(0.0)
}

/// A force of the cone that improves on `old` for the block A (with R) and the gradient there, and
/// the decrease of the cost: first along the ray from the apex through the current force, then the
/// best tangential force for the new normal force. If neither finds a descent, the force is
/// optimal, and the second number is not positive.
pub(in crate::law) fn descend(
    cone: &Cone,
    A: &[[f64; MAX_DIM]; MAX_DIM],
    gradient: &[f64; MAX_DIM],
    old: &[f64; MAX_DIM],
) -> ([f64; MAX_DIM], f64) {
    let n = cone.dim;
    let mut new = *old;
    let product = |v: &[f64; MAX_DIM], k: usize| -> f64 { (0..n).map(|j| A[k][j] * v[j]).sum() };
    // At the apex of the cone: along the edge of steepest descent; otherwise along the current
    // force.
    let mut ray = *old;
    let mut slope: f64 = (0..n).map(|k| old[k] * gradient[k]).sum();
    if old[0] < MIN_VAL {
        new = [0.0; MAX_DIM];
        let at_zero: [f64; MAX_DIM] = core::array::from_fn(|k| if k < n { gradient[k] - product(old, k) } else { 0.0 });
        let steepness = (1..n).map(|k| (cone.scale[k] * at_zero[k]) * (cone.scale[k] * at_zero[k])).sum::<f64>().sqrt();
        ray = core::array::from_fn(|k| match k {
            0 => 1.0,
            k if k < n && steepness > 0.0 => -cone.scale[k] * cone.scale[k] * at_zero[k] / steepness,
            _ => 0.0,
        });
        slope = at_zero[0] - steepness;
    }
    let curvature: f64 = (0..n).map(|k| ray[k] * product(&ray, k)).sum();
    let least = if old[0] < MIN_VAL { 0.0 } else { -1.0 };
    let along = if curvature > MIN_VAL { (-slope / curvature).max(least) } else { 0.0 };
    (0..n).for_each(|k| new[k] += along * ray[k]);
    if new[0] >= MIN_VAL {
        // Tangential part: gradient at zero tangential force, for the new normal force.
        let (mut At, mut bt, mut v) = ([[0.0; 5]; 5], [0.0; 5], [0.0; 5]);
        for p in 1..n {
            bt[p - 1] = gradient[p] - product(old, p) + A[p][0] * new[0];
            for q in 1..n {
                At[p - 1][q - 1] = A[p][q];
            }
        }
        qcqp::solve(&At, &bt, &cone.scale[1..n], new[0], &mut v);
        new[1..n].copy_from_slice(&v[..n - 1]);
    }
    let change: [f64; MAX_DIM] = core::array::from_fn(|k| new[k] - old[k]);
    let fall: f64 = -(0..n).map(|k| change[k] * (gradient[k] + 0.5 * product(&change, k))).sum::<f64>();
    (new, fall)
}

/// States of rows from the position of their forces in the admissible sets.
pub(in crate::law) fn states(problem: &Problem, force: &[f64], state: &mut [RowState]) {
    for i in 0..problem.end_one_sided {
        state[i] = if i < problem.end_equality {
            RowState::Quadratic
        } else if i < problem.end_friction {
            if force[i] >= problem.eta[i] {
                RowState::LinearNeg
            } else if force[i] <= -problem.eta[i] {
                RowState::LinearPos
            } else {
                RowState::Quadratic
            }
        } else if force[i] > 0.0 {
            RowState::Quadratic
        } else {
            RowState::Satisfied
        };
    }
    for cone in &problem.cones {
        let own = cone.row..cone.row + cone.dim;
        let f = &force[own.clone()];
        let t2: f64 = (1..cone.dim).map(|j| (f[j] / cone.scale[j]) * (f[j] / cone.scale[j])).sum();
        state[own].fill(if f[0] < MIN_VAL {
            RowState::Satisfied
        } else if t2 < f[0] * f[0] * (1.0 - 1e-12) {
            RowState::Quadratic
        } else {
            RowState::Cone
        });
    }
}
