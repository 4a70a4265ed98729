//! Velocity, acceleration and force of a step, and ∂τ by its local unknowns.

use super::{KnotInput, KnotMemory, KnotResult, stride};
use crate::problem::tangent::{Rotations, update_log_jacobians};
use saltus_math::{Mat3, Vec3};
use saltus_sim::derivative::Inverse;
use saltus_sim::derivative::point::{PointError, inverse_at};
use saltus_sim::inverse_forces_from;
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
        if input.is_at_end() {
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
    out.exact = true;
    if input.mode.jacobian() && input.q_next.is_some() {
        let KnotMemory { data, work, tau_q, tau_v, tau_a, .. } = memory;
        let matrices = Inverse { dtau_dq: tau_q, dtau_dv: tau_v, dtau_da: tau_a };
        out.exact = inverse_at(model, data, false, work, matrices)?.exact();
    } else {
        saltus_sim::divergence::check_state(model, data)?;
        inverse_forces_from(model, data, Stage::None, &mut NoCallbacks)?;
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

/// (1) of the parent module, row by row: with b and f the derivatives of a force by the velocities
/// before and after,
///   b = τ_v − τ_a/h, f = τ_a/h   (evaluated at the end: b = −τ_a/h, f = τ_v + τ_a/h),
/// and ∂v, ∂v' by their nodes.
fn update_tau_x(input: &KnotInput<'_>, memory: &mut KnotMemory, tau_x: &mut [f64]) {
    let (n, h) = (input.problem.model.size.nv, input.problem.h());
    let (ld, end) = (stride(n), input.is_at_end());
    let KnotMemory { tau_q, tau_v, tau_a, before, after, by_before: b, by_after: f, .. } = memory;
    let (of_v, of_a) = (1.0 / h, 1.0 / (h * h));
    for i in 0..n {
        let own = i * n..(i + 1) * n;
        let (by_q, by_v, by_a) = (&tau_q[own.clone()], &tau_v[own.clone()], &tau_a[own]);
        let row = &mut tau_x[i * ld..(i + 1) * ld];
        row[3 * n..].fill(0.0);
        let (x0, rest) = row.split_at_mut(n);
        let (x1, x2) = rest.split_at_mut(n);
        let x2 = &mut x2[..n];
        let (with_v, without) = if end { (&mut *f, &mut *b) } else { (&mut *b, &mut *f) };
        let sign = if end { 1.0 } else { -1.0 };
        for j in 0..n {
            with_v[j] = of_v * by_v[j] + sign * of_a * by_a[j];
            without[j] = -sign * of_a * by_a[j];
        }
        for j in 0..n {
            x0[j] = -b[j];
            x1[j] = b[j] - f[j];
            x2[j] = f[j];
        }
        turn(input.rotations, [&*before, &*after], [b, f], [&mut *x0, &mut *x1, &mut *x2]);
        let at = if end { x2 } else { x1 };
        at.iter_mut().zip(by_q).for_each(|(x, q)| *x += q);
    }
}

/// The columns of rotations: b and f times the Jacobians of the differences that their velocities
/// are.
fn turn(rotations: &Rotations, [before, after]: [&[Mat3]; 2], [b, f]: [&[f64]; 2], [x0, x1, x2]: [&mut [f64]; 3]) {
    for (r, &(_, d)) in rotations.at.iter().enumerate() {
        let vector = |x: &[f64]| Vec3::new(x[d], x[d + 1], x[d + 2]);
        let (b, f) = (vector(b), vector(f));
        // Rows times J_r⁻¹ for the second node of a difference, times −J_r⁻ᵀ for the first.
        let first = |jacobian: &Mat3, x: Vec3| -(*jacobian * x);
        let second = |jacobian: &Mat3, x: Vec3| jacobian.transpose() * x;
        let columns = [first(&before[r], b), second(&before[r], b) + first(&after[r], f), second(&after[r], f)];
        for (x, column) in [&mut *x0, &mut *x1, &mut *x2].into_iter().zip(columns) {
            x[d..d + 3].copy_from_slice(&column.to_array());
        }
    }
}
