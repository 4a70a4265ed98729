//! Derivatives of one step: of x⁺ = (q⁺, v⁺, act⁺) with respect to x = (q, v, act) and the
//! controls.
//!
//! ∂a is that of `acceleration`. The integrator computes a* from a (`metric`), v⁺ = v + h a*, and
//! q⁺ = q ⊕ h w with w between v and v⁺. For rotations
//!   ∂q⁺ = exp(−h w) ∂q + h J_r(h w) ∂w   in the axes of the child.

use super::acceleration::by_state;
use super::activation::{Input, for_each_next_slope};
use super::metric::StepMetric;
use super::{DerivativeError, Report, Workspace};
use super::{sensor, so3};
use crate::actuation::is_disabled;
use crate::data::Data;
use crate::finite_difference::Transition;
use crate::model::Model;
use crate::model::kinds::JointKind;
use crate::options::law::Law;
use crate::options::{Disable, Integrator};
use core::ops::Range;
use saltus_math::{Mat3, Quat, Vec3};

/// Derivatives of one step from the current state, as defined in
/// [`finite_difference::transition`](crate::finite_difference::transition). `data` holds the
/// results of forward dynamics at that state. The derivative is that of the exact solution; the
/// report states if the constraint solver did not converge to it.
pub fn transition<'w>(
    model: &Model,
    data: &Data,
    work: &'w mut Workspace,
    out: Transition<'_>,
) -> Result<&'w Report, DerivativeError> {
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let n = 2 * nv + na;
    check_size("A", out.A.as_deref(), n * n)?;
    check_size("B", out.B.as_deref(), n * nu)?;
    check_size("C", out.C.as_deref(), model.size.nsensordata * n)?;
    check_size("D", out.D.as_deref(), model.size.nsensordata * nu)?;
    let share = share_of_end(model)?;
    let Workspace { acceleration, step, stages, sensor, report, .. } = work;
    report.clear();
    let slopes = by_state(model, data, acceleration, report)?;
    let Transition { A, B, C, D } = out;
    if C.is_some() || D.is_some() {
        sensor::write(slopes.equation.at, slopes.by_state, &mut sensor.direct, report, C, D)?;
    }
    if A.is_none() && B.is_none() {
        return Ok(report);
    }
    if model.options.scheme() == Integrator::Rk4 {
        stages.begin_by_state(model, data, slopes.by_state);
        stages.run_by_state(model, data, acceleration, report)?;
        stages.write(A, 0, n);
        stages.write(B, n, nu);
        return Ok(report);
    }
    let end = advance(model, data, slopes.by_state, step, report);
    if let Some(A) = A {
        write_matrix(model, data, end, share, A, 0..n);
    }
    if let Some(B) = B {
        write_matrix(model, data, end, share, B, n..n + nu);
    }
    Ok(report)
}

/// Working memory: M̂, and ∂a*.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    metric: StepMetric,
    columns: Vec<f64>,
}

/// Weight of v⁺ in the velocity w that advances q.
pub(super) fn share_of_end(model: &Model) -> Result<f64, DerivativeError> {
    let laws = &model.options.laws;
    if laws.law == Law::Invertible && laws.invertible.restitution > 0.0 {
        return Err(DerivativeError::Unsupported("of steps with restitution; invertible_restitution must be 0"));
    }
    match model.options.scheme() {
        Integrator::Explicit => Ok(0.0),
        Integrator::Midpoint => Ok(0.5),
        Integrator::Euler
        | Integrator::Implicit
        | Integrator::ImplicitFast
        | Integrator::SemiImplicit
        | Integrator::Discrete
        | Integrator::Rk4 => Ok(1.0),
        Integrator::Interleaved => Err(DerivativeError::Unsupported("of steps of the interleaved integrator")),
    }
}

fn check_size(name: &'static str, x: Option<&[f64]>, expected: usize) -> Result<(), DerivativeError> {
    match x {
        Some(x) if x.len() != expected => Err(DerivativeError::Size { name, found: x.len(), expected }),
        _ => Ok(()),
    }
}

/// a*, and its derivatives with respect to q, v, act and u, nv × (2 nv + na + nu).
#[derive(Clone, Copy)]
struct StepAcceleration<'w> {
    a: &'w [f64],
    by_state: &'w [f64],
}

/// a* from a, and ∂a* from ∂a.
fn advance<'w>(
    model: &Model,
    data: &'w Data,
    by_state: &'w [f64],
    memory: &'w mut Memory,
    report: &mut Report,
) -> StepAcceleration<'w> {
    let Memory { metric, columns } = memory;
    let Some(metric) = metric.update(model, data, report) else {
        return StepAcceleration { a: &data.acceleration.a, by_state };
    };
    let nv = model.size.nv;
    let m = by_state.len() / nv.max(1);
    let width = m - 2 * nv;
    columns.clear();
    for i in 0..nv {
        columns.extend_from_slice(&metric.by.q[i * nv..(i + 1) * nv]);
        columns.extend_from_slice(&metric.by.v[i * nv..(i + 1) * nv]);
        columns.extend_from_slice(metric.by_input.get(i * width..(i + 1) * width).unwrap_or_default());
        columns.resize((i + 1) * m, 0.0);
    }
    for &(i, j, d) in &metric.change {
        let (i, j) = (i as usize, j as usize);
        add_row(&mut columns[i * m..(i + 1) * m], -d, &by_state[j * m..(j + 1) * m]);
    }
    metric.factor.solve(columns, m);
    add_row(columns, 1.0, by_state);
    StepAcceleration { a: &metric.a_step, by_state: columns }
}

fn add_row(target: &mut [f64], s: f64, source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(t, x)| *t += s * x);
}

/// Writes the columns `range` of (x, u).
fn write_matrix(
    model: &Model,
    data: &Data,
    end: StepAcceleration<'_>,
    share: f64,
    out: &mut [f64],
    range: Range<usize>,
) {
    let width = range.len();
    if width == 0 {
        return;
    }
    let (nv, h) = (model.size.nv, model.options.timestep);
    let m = 2 * nv + model.size.na + model.size.nu;
    let of_state = range.start == 0;
    let (dq, rest) = out.split_at_mut(nv * width);
    let (dv, da) = rest.split_at_mut(nv * width);
    let pairs = dq.chunks_exact_mut(width).zip(dv.chunks_exact_mut(width)).zip(end.by_state.chunks_exact(m.max(1)));
    for (i, ((dq, dv), columns)) in pairs.enumerate() {
        // ∂v⁺, and above it h ∂w.
        for ((q, v), x) in dq.iter_mut().zip(dv.iter_mut()).zip(&columns[range.clone()]) {
            let step = h * x;
            (*v, *q) = (step, h * share * step);
        }
        if of_state {
            dv[nv + i] += 1.0;
            dq[nv + i] += h;
        }
    }
    for j in 0..model.njoint() {
        let d = model.joints.dof_start[j] as usize;
        let (straight, turn) = match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => (d..d + 1, None),
            JointKind::Free => (d..d + 3, Some(d + 3)),
            JointKind::Ball => (d..d, Some(d)),
        };
        if of_state {
            straight.for_each(|i| dq[i * width + i] += 1.0);
        }
        if let Some(d) = turn {
            let w = |k: usize| h * (data.state.v[d + k] + share * h * end.a[d + k]);
            let columns_of_turn = of_state.then_some(d);
            turn_rows(&mut dq[d * width..(d + 3) * width], width, columns_of_turn, Vec3::new(w(0), w(1), w(2)));
        }
    }
    write_activations(model, data, da, range);
}

/// Three rows h ∂w → J_r(x) h ∂w + exp(−x) ∂q, x = h w, in the columns of the rotation that starts
/// at dof `d`, if present.
pub(super) fn turn_rows(rows: &mut [f64], m: usize, d: Option<usize>, x: Vec3) {
    let J = so3::right_jacobian(x);
    for c in 0..m {
        let y = J * Vec3::new(rows[c], rows[m + c], rows[2 * m + c]);
        (rows[c], rows[m + c], rows[2 * m + c]) = (y.x, y.y, y.z);
    }
    let Some(d) = d else { return };
    let back: Mat3 = Quat::IDENTITY.integrate(x, 1.0).to_mat3().transpose();
    for (r, row) in [back.r0, back.r1, back.r2].into_iter().enumerate() {
        for c in 0..3 {
            rows[r * m + d + c] += row[c];
        }
    }
}

/// Rows of act⁺, columns `range`.
fn write_activations(model: &Model, data: &Data, rows: &mut [f64], range: Range<usize>) {
    let (first, width) = (range.start, range.len());
    let (nv, na) = (model.size.nv, model.size.na);
    let off = model.options.disable.has(Disable::ACTUATION);
    rows.fill(0.0);
    for a in 0..model.nactuator() {
        for i in model.actuators.act[a].range() {
            let row = &mut rows[i * width..(i + 1) * width];
            let mut put = |column: usize, slope: f64| {
                if let Some(x) = column.checked_sub(first).and_then(|c| row.get_mut(c)) {
                    *x += slope;
                }
            };
            if off || is_disabled(model, a) {
                put(2 * nv + i, 1.0);
                continue;
            }
            for_each_next_slope(model, data, a, i, |input, slope| match input {
                Input::Act(k) => put(2 * nv + k, slope),
                Input::Ctrl(k) => put(2 * nv + na + k, slope),
                Input::Length => {
                    let span = model.actuators.moment[a].range();
                    let cols = &model.actuators.moment_col[span.clone()];
                    for (&c, x) in cols.iter().zip(&data.position.actuator_moment[span]) {
                        put(c as usize, slope * x);
                    }
                }
            });
        }
    }
}
