//! Curvature of residuals: what Newton's Hessian has beyond Gauss and Newton's.
//!
//! The merit is Σ ½ w r². Its Hessian is Σ w ∂rᵀ∂r + Σ y ∂²r with y = w r. The second sum is the derivative of Σ y ∂r for
//! fixed y: a difference of exact first derivatives at configurations that differ by ε in one of the local unknowns. In tangent
//! spaces that move along, differences of gradients are not symmetric where there are rotations; their symmetric part is the
//! Hessian in exponential coordinates.

use crate::knot::{KnotInput, KnotMemory, KnotResult, Mode, Multipliers, evaluate, stride};
use crate::pool::Pool;
use crate::problem::Problem;
use crate::tangent::Rotations;
use saltus_sim::kinematics::coordinates::integrate;

/// Differences relative to the scale of each dof. Curvature is of first order in y, which vanishes at the solution where
/// constraints are all that counts: its error matters less than that of gradients.
const EPSILON: f64 = 1e-6;

/// Adds the curvature of all steps to their Hessians. `knots` are those of `q`, with derivatives.
pub fn add_curvature(
    problem: &Problem,
    q: &[f64],
    (rotations, pool): (&Rotations, &Pool<KnotMemory>),
    knots: &mut [KnotResult],
) {
    let nq = problem.model.size.nq;
    let node = |k: usize| q.get(k * nq..(k + 1) * nq);
    pool.each(knots.iter_mut().enumerate(), |(t, knot), memory| {
        let (Some(before), Some(now)) = (node(t), node(t + 1)) else { return };
        add_knot(problem, rotations, (t, [Some(before), Some(now), node(t + 2)]), memory, knot);
    });
}

fn add_knot(
    problem: &Problem,
    rotations: &Rotations,
    (t, nodes): (usize, [Option<&[f64]>; 3]),
    memory: &mut KnotMemory,
    knot: &mut KnotResult,
) {
    let n = problem.model.size.nv;
    let (ld, none) = (stride(n), Multipliers::default());
    let mut moved: Vec<Option<Vec<f64>>> = nodes.iter().map(|q| q.map(<[f64]>::to_vec)).collect();
    let mut slope = KnotResult::default();
    let mut gradient = |moved: &[Option<Vec<f64>>]| -> Option<Vec<f64>> {
        let (Some(before), Some(now)) = (&moved[0], &moved[1]) else { return None };
        let q_next = moved[2].as_deref();
        let mode = Mode::Slope(&knot.pull);
        let input = KnotInput { problem, rotations, multipliers: &none, t, q: [before, now], q_next, mode };
        evaluate(&input, memory, &mut slope);
        slope.error.is_none().then(|| slope.gradient.clone())
    };
    let Some(base) = gradient(&moved) else { return };
    let mut unit = vec![0.0; n];
    let mut columns = vec![0.0; 3 * n * 3 * n];
    for j in 0..3 * n {
        let (k, dof) = (j / n, j % n);
        let Some(own) = nodes[k] else { continue };
        let epsilon = EPSILON * problem.scale[dof];
        unit[dof] = epsilon;
        if let Some(node) = &mut moved[k] {
            integrate(&problem.model, node, &unit, 1.0);
        }
        unit[dof] = 0.0;
        if let Some(there) = gradient(&moved) {
            for (i, (a, b)) in there.iter().zip(&base).enumerate() {
                columns[i * 3 * n + j] = (a - b) / epsilon;
            }
        }
        moved[k] = Some(own.to_vec());
    }
    for i in 0..3 * n {
        for j in 0..=i {
            knot.hessian[i * ld + j] += 0.5 * (columns[i * 3 * n + j] + columns[j * 3 * n + i]);
        }
    }
}
