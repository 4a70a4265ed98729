//! Velocity, acceleration and force of a step, and ∂τ by its local unknowns.

use super::{KnotInput, KnotMemory, KnotResult, stride};
use crate::problem::Evaluation;
use crate::tangent::{Rotations, update_log_jacobians};
use saltus_math::Mat3;
use saltus_sim::derivative::Inverse;
use saltus_sim::derivative::batch::{PointError, inverse_at};
use saltus_sim::inverse::inverse_without_sensors_from;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::{NoCallbacks, Stage};

/// Values, and if they are asked for ∂τ; `memory.data` is at the state of the step.
pub(crate) fn update_dynamics(
    input: &KnotInput<'_>,
    memory: &mut KnotMemory,
    out: &mut KnotResult,
) -> Result<(), PointError> {
    let problem = input.problem;
    let (model, n, h) = (&problem.model, problem.model.size.nv, problem.h());
    out.v.resize(n, 0.0);
    out.a.clear();
    out.a.resize(n, 0.0);
    out.tau.resize(n, 0.0);
    difference(model, input.q[0], input.q[1], h, &mut out.v);
    let (mut q, mut v) = (input.q[1], &out.v);
    if let Some(q_next) = input.q_next {
        difference(model, input.q[1], q_next, h, &mut memory.v_next);
        for i in 0..n {
            out.a[i] = (memory.v_next[i] - out.v[i]) / h;
        }
        if problem.evaluation == Evaluation::End {
            (q, v) = (q_next, &memory.v_next);
        }
    }
    if input.mode.jacobian() {
        update_log_jacobians(input.rotations, input.q[0], input.q[1], &mut memory.before);
        memory.after.clear();
        if let Some(q_next) = input.q_next {
            update_log_jacobians(input.rotations, input.q[1], q_next, &mut memory.after);
        }
    }
    let data = &mut memory.data;
    data.state.q.copy_from_slice(q);
    data.state.v.copy_from_slice(v);
    data.state.time = input.t as f64 * h;
    data.acceleration.a.copy_from_slice(&out.a);
    data.stage = Stage::None;
    out.exact = true;
    if input.mode.jacobian() && input.q_next.is_some() {
        let KnotMemory { data, work, tau_q, tau_v, tau_a, .. } = memory;
        let matrices = Inverse { dtau_dq: tau_q, dtau_dv: tau_v, dtau_da: tau_a };
        out.exact = inverse_at(model, data, false, work, matrices)?.exact();
    } else {
        saltus_sim::divergence::check_state(model, data)?;
        inverse_without_sensors_from(model, data, Stage::None, &mut NoCallbacks)?;
    }
    match input.q_next {
        Some(_) => out.tau.copy_from_slice(&memory.data.acceleration.tau_inverse),
        None => out.tau.fill(0.0),
    }
    if input.mode.jacobian() && input.q_next.is_some() {
        out.tau_x.resize(n * stride(n), 0.0);
        update_tau_x(input, memory, &mut out.tau_x);
    }
    Ok(())
}

/// target[j] += Σ_i source_i ∂v_i/∂(node) h, for one node of a velocity: source times the Jacobian from the left.
fn multiply(rotations: &Rotations, jacobians: &[Mat3], second: bool, source: &[f64], scale: f64, target: &mut [f64]) {
    let sign = if second { scale } else { -scale };
    let mut next = 0;
    for (r, &(_, d)) in rotations.at.iter().enumerate() {
        for i in next..d {
            target[i] += sign * source[i];
        }
        let (s0, s1, s2) = (source[d], source[d + 1], source[d + 2]);
        let jacobian = if second { jacobians[r] } else { jacobians[r].transpose() };
        let product = jacobian.r0 * s0 + jacobian.r1 * s1 + jacobian.r2 * s2;
        target[d] += sign * product.x;
        target[d + 1] += sign * product.y;
        target[d + 2] += sign * product.z;
        next = d + 3;
    }
    for i in next..source.len() {
        target[i] += sign * source[i];
    }
}

/// (1) of the parent module.
fn update_tau_x(input: &KnotInput<'_>, memory: &KnotMemory, tau_x: &mut [f64]) {
    let (n, h) = (input.problem.model.size.nv, input.problem.h());
    let ld = stride(n);
    let (r, end) = (input.rotations, input.problem.evaluation == Evaluation::End);
    for i in 0..n {
        let own = i * n..(i + 1) * n;
        let (by_q, by_v, by_a) = (&memory.tau_q[own.clone()], &memory.tau_v[own.clone()], &memory.tau_a[own]);
        let row = &mut tau_x[i * ld..(i + 1) * ld];
        row.fill(0.0);
        let (x0, rest) = row.split_at_mut(n);
        let (x1, x2) = rest.split_at_mut(n);
        let x2 = &mut x2[..n];
        let a = 1.0 / (h * h);
        // a = (v' − v)/h
        multiply(r, &memory.before, false, by_a, -a, x0);
        multiply(r, &memory.before, true, by_a, -a, x1);
        multiply(r, &memory.after, false, by_a, a, x1);
        multiply(r, &memory.after, true, by_a, a, x2);
        if end {
            multiply(r, &memory.after, false, by_v, 1.0 / h, x1);
            multiply(r, &memory.after, true, by_v, 1.0 / h, x2);
            x2.iter_mut().zip(by_q).for_each(|(x, q)| *x += q);
        } else {
            multiply(r, &memory.before, false, by_v, 1.0 / h, x0);
            multiply(r, &memory.before, true, by_v, 1.0 / h, x1);
            x1.iter_mut().zip(by_q).for_each(|(x, q)| *x += q);
        }
    }
}
