//! Curvature of residuals: what Newton's Hessian has beyond Gauss and Newton's.
//!
//! The merit is Σ ½ w r². Its Hessian is Σ w ∂rᵀ∂r + Σ y ∂²r with y = w r. With r(q, v, a, τ), Y =
//! Σ y r and y_τ = ∂Y/∂τ,
//!   Σ y ∂²r = ∂²Y at constant τ + ∂²(y_τᵀ τ) + (∂Y/∂v) ∂²v + (∂Y/∂a) ∂²a + τ terms of Y                      (1)
//! by q, v and a: the first of the terms alone (`terms`), the second that of inverse dynamics
//! (`inverse_curvature`), then what differences of rotations add, all mapped to the local unknowns
//! (`map`). Second derivatives by rotations are those of exponential coordinates.

mod bent;
mod map;
mod state;
mod terms;

use crate::problem::Problem;
use crate::problem::tangent::update_log_jacobians;
use crate::solve::knot::KnotWorkers;
use crate::solve::knot::{KnotInput, KnotMemory, KnotResult, Mode, Multipliers, stride, update_dynamics};
use map::Chain;
use saltus_sim::derivative::{Curvature, inverse_curvature};
use state::State;
use terms::TermCurvature;

/// Working memory of one thread.
#[derive(Debug, Default)]
pub struct CurvatureMemory {
    values: KnotResult,
    forces: Curvature,
    terms: TermCurvature,
    map: map::Scratch,
}

/// Finds the curvature of all steps. `knots` are those of `q`, with derivatives.
pub fn update_curvature(problem: &Problem, q: &[f64], with: &KnotWorkers, knots: &mut [KnotResult]) {
    let nq = problem.model.size.nq;
    let node = |k: usize| q.get(k * nq..(k + 1) * nq);
    let none = Multipliers::default();
    let rotations = &with.rotations;
    with.pool.each(knots, |t, knot, memory| {
        let (Some(before), Some(now)) = (node(t), node(t + 1)) else { return };
        let q = [before, now];
        let input = KnotInput { problem, rotations, multipliers: &none, t, q, q_next: node(t + 2), mode: Mode::Values };
        update_knot(&input, memory, knot);
    });
}

fn update_knot(input: &KnotInput<'_>, memory: &mut KnotMemory, knot: &mut KnotResult) {
    let mut values = core::mem::take(&mut memory.curvature.values);
    let known = update_dynamics(input, memory, &mut values).is_ok();
    memory.curvature.values = values;
    if known {
        update_here(input, memory, knot);
    } else {
        clear(input.problem.model.size.nv, knot);
    }
}

fn clear(n: usize, knot: &mut KnotResult) {
    knot.curvature.resize(knot.hessian.len(), 0.0);
    knot.curvature.chunks_exact_mut(stride(n)).enumerate().for_each(|(i, row)| row[..=i].fill(0.0));
}

/// Second derivatives are differences, so that a term may be evaluated where it is not finite.
fn is_finite(n: usize, knot: &KnotResult) -> bool {
    let rows = knot.curvature.chunks_exact(stride(n)).enumerate().take(3 * n);
    rows.flat_map(|(i, row)| &row[..=i]).all(|x| x.is_finite())
}

/// The curvature of a step that has just been evaluated with `memory`: its data is that of the
/// step. A step without second derivatives counts as one without curvature.
pub fn update_here(input: &KnotInput<'_>, memory: &mut KnotMemory, knot: &mut KnotResult) {
    clear(input.problem.model.size.nv, knot);
    let (problem, has_force) = (input.problem, input.q_next.is_some());
    let mut own = core::mem::take(&mut memory.curvature);
    let CurvatureMemory { values, forces, terms, map } = &mut own;
    values.a.clone_from(&knot.a);
    values.tau.clone_from(&knot.tau);
    let (a, tau) = (&mut values.a[..], &mut values.tau[..]);
    let mut state = State { input, data: &mut memory.data, a, tau };
    terms.update_gradient(&state, &knot.pull);
    let bent = has_force && terms.by_tau.iter().any(|y| *y != 0.0);
    if !bent || inverse_curvature(&problem.model, state.data, &terms.by_tau, &mut memory.work, forces).is_ok() {
        terms.update_bend(&mut state, &knot.pull);
        update_log_jacobians(input.rotations, input.q[0], input.q[1], &mut memory.before);
        memory.after.clear();
        if let Some(q_next) = input.q_next {
            update_log_jacobians(input.rotations, input.q[1], q_next, &mut memory.after);
        }
        let chain = Chain::new(input, [&memory.before, &memory.after]);
        chain.add(terms, bent.then_some(&*forces), map, knot);
        if !is_finite(input.problem.model.size.nv, knot) {
            clear(input.problem.model.size.nv, knot);
        }
    }
    memory.curvature = own;
}
