//! The noslip pass: recomputes friction forces with hard constraints (R = 0) at fixed normal
//! forces.
//!
//! It eliminates slip, but the forces then are not the solution of one convex problem, and the law
//! loses its inverse.

use super::cost::MAX_DIM;
use super::dual::Dual;
use super::pgs;
use super::primal::Primal;
use super::problem::Problem;
use super::qcqp;
use crate::data::{Data, RowKind};
use crate::model::Model;

/// Scaled determinant or pivot below which a contact's tangential block counts as singular. It
/// depends on units; MuJoCo's value.
const SINGULAR: f64 = 1e-10;

/// Lower bound of the inverse mass of a tangent, also MuJoCo's value: a contact that cannot slip in
/// one of its directions gets its force in the others. Without it, all contacts of planar robots
/// and of arms that move in a plane would count as singular.
const IMMOBILE: f64 = 1e-10;

/// Improves the friction forces of `primal.force` in place by Gauss–Seidel sweeps without
/// regularization.
pub(super) fn solve(model: &Model, data: &Data, problem: &Problem, primal: &mut Primal, dual: &mut Dual, scale: f64) {
    dual.update(model, data, problem);
    dual.set_force(problem, &primal.force);
    for _ in 0..model.options.noslip_iterations.max(0) {
        let improvement = sweep(data, problem, dual, &mut primal.force);
        if scale * improvement < model.options.noslip_tolerance {
            break;
        }
    }
    pgs::states(problem, &primal.force, &mut primal.state);
}

fn sweep(data: &Data, problem: &Problem, dual: &mut Dual, force: &mut [f64]) -> f64 {
    let mut improvement = 0.0;
    for i in problem.end_equality..problem.end_friction {
        let gradient = dual.row_acceleration(problem, i) - problem.a_ref[i];
        let new = (force[i] - gradient / dual.diag[i]).clamp(-problem.eta[i], problem.eta[i]);
        let change = new - force[i];
        improvement -= change * (gradient + 0.5 * dual.diag[i] * change);
        force[i] = new;
        dual.add_force(i, change);
    }
    let mut i = problem.end_friction;
    while i < problem.end_one_sided {
        if data.constraints.kind[problem.row[i] as usize] == RowKind::ContactPyramidal {
            // Opposite edges of a pyramid are adjacent.
            improvement += sweep_edges(problem, dual, i, force);
            i += 2;
        } else {
            i += 1;
        }
    }
    for c in 0..problem.cones.len() {
        improvement += sweep_cone(problem, dual, c, force);
    }
    improvement
}

/// Two opposite edges i, i + 1: shifts force between them; their sum (the normal force) is
/// constant.
fn sweep_edges(problem: &Problem, dual: &mut Dual, i: usize, force: &mut [f64]) -> f64 {
    let mut A = [[0.0; 2]; 2];
    dual.calc_block(problem, i..i + 2, &mut A);
    let curvature = A[0][0] + A[1][1] - 2.0 * A[0][1];
    let gradient = dual.row_acceleration(problem, i)
        - problem.a_ref[i]
        - (dual.row_acceleration(problem, i + 1) - problem.a_ref[i + 1]);
    if curvature < saltus_math::MIN_VAL {
        return 0.0;
    }
    // Neither force may become negative.
    let change = (-gradient / curvature).clamp(-force[i].max(0.0), force[i + 1].max(0.0));
    force[i] += change;
    force[i + 1] -= change;
    dual.add_force(i, change);
    dual.add_force(i + 1, -change);
    -change * (gradient + 0.5 * curvature * change)
}

/// Tangential forces of an elliptic cone.
fn sweep_cone(problem: &Problem, dual: &mut Dual, c: usize, force: &mut [f64]) -> f64 {
    let cone = &problem.cones[c];
    let (n, tangential) = (cone.dim - 1, cone.row + 1..cone.row + cone.dim);
    let mut block: [[f64; MAX_DIM - 1]; MAX_DIM - 1] =
        core::array::from_fn(|p| core::array::from_fn(|q| dual.cones[c][p + 1][q + 1]));
    (0..n).for_each(|k| block[k][k] = block[k][k].max(IMMOBILE));
    let (mut gradient, mut b, mut new) = ([0.0; MAX_DIM - 1], [0.0; MAX_DIM - 1], [0.0; MAX_DIM - 1]);
    let old: [f64; MAX_DIM - 1] = core::array::from_fn(|k| if k < n { force[cone.row + 1 + k] } else { 0.0 });
    for (k, i) in tangential.clone().enumerate() {
        gradient[k] = dual.row_acceleration(problem, i) - problem.a_ref[i];
        b[k] = gradient[k] - (0..n).map(|j| block[k][j] * old[j]).sum::<f64>();
    }
    // If the block is singular, zero force is tried instead of the minimizer.
    if !singular(&block, &cone.scale[1..cone.dim]) {
        qcqp::solve(&block, &b, &cone.scale[1..cone.dim], force[cone.row], &mut new);
    }
    let mut fall = 0.0;
    for k in 0..n {
        let change: f64 = (0..n).map(|j| block[k][j] * (new[j] - old[j])).sum();
        fall -= (new[k] - old[k]) * (gradient[k] + 0.5 * change);
    }
    if fall <= 0.0 {
        return 0.0;
    }
    for (k, i) in tangential.enumerate() {
        force[i] = new[k];
        dual.add_force(i, new[k] - old[k]);
    }
    fall
}

/// Whether MuJoCo treats the tangential block of a contact as singular: bodies that move in fewer
/// directions than their contact has, and very heavy ones. The criterion uses friction times the
/// block times friction: the determinant in two or three dimensions, the pivots of the Cholesky
/// factorization in five.
fn singular(block: &[[f64; MAX_DIM - 1]; MAX_DIM - 1], mu: &[f64]) -> bool {
    let n = mu.len();
    let mut L = [[0.0; MAX_DIM - 1]; MAX_DIM - 1];
    let (mut least, mut determinant) = (f64::INFINITY, 1.0);
    for i in 0..n {
        for j in 0..=i {
            let rest = mu[i] * block[i][j] * mu[j] - (0..j).map(|k| L[i][k] * L[j][k]).sum::<f64>();
            if i == j {
                (least, determinant) = (rest.min(least), rest * determinant);
                L[i][i] = rest.max(saltus_math::MIN_VAL).sqrt();
            } else {
                L[i][j] = rest / L[j][j];
            }
        }
    }
    least <= 0.0 || if n > 3 { least < SINGULAR } else { determinant < SINGULAR }
}
