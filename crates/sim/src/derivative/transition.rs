//! Derivatives of one step: x⁺ = (q⁺, v⁺, act⁺) by x = (q, v, act) and the controls.
//!
//! At the acceleration that solves ID(q, v, a, act, u) = τ_applied, H ∂a = −∂ID with H = ∂ID/∂a, the Hessian of the
//! constraint problem. The integrator makes a* of a (`metric`), v⁺ = v + h a*, and q⁺ = q ⊕ h w with w between v and v⁺. For rotations
//!   ∂q⁺ = exp(−h w) ∂q + h J_r(h w) ∂w   in the axes of the child.

use super::activation::{Input, for_each_force_slope, for_each_next_slope};
use super::actuation::is_clamped;
use super::chain::At;
use super::{DerivativeError, Forces, Report, Workspace, update_core};
use super::{runge_kutta, sensor, so3, solution};
use crate::actuation::{is_disabled, is_saturated};
use crate::data::{Data, RowKind};
use crate::dynamics::tendon_armature;
use crate::finite_difference::Transition;
use crate::model::Model;
use crate::model::kinds::JointKind;
use crate::options::law::Law;
use crate::options::{Disable, Integrator};
use saltus_math::{Mat3, Quat, Vec3};

/// Derivatives of one step from the present state, in the definitions of
/// [`finite_difference::transition`](crate::finite_difference::transition). `data` holds the results of forward dynamics
/// at that state. The derivative is that of the exact solution; the report says so where the constraint solver did not
/// converge to it.
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
    update_acceleration(model, data, work)?;
    let Transition { A, B, C, D } = out;
    if C.is_some() || D.is_some() {
        let Workspace { chain, columns, direct, report, .. } = &mut *work;
        sensor::write(At { model, data, chain }, columns, direct, report, (C, D))?;
    }
    if A.is_some() || B.is_some() {
        if model.options.scheme() == Integrator::Rk4 {
            runge_kutta::write(model, data, work, (A, B))?;
        } else {
            advance(model, data, work);
            write(model, data, work, share, (A, B));
        }
    }
    Ok(&work.report)
}

/// ∂a by q, v, act and u in `work.columns` · nv × (2 nv + na + nu).
pub(super) fn update_acceleration(model: &Model, data: &Data, work: &mut Workspace) -> Result<(), DerivativeError> {
    update_core(model, data, Forces { actuation: true, applied: true }, work)?;
    fill_right_hand_side(model, data, work);
    if !factor_hessian(model, data, work) {
        return Err(DerivativeError::Unsupported("where the Hessian of the constraint problem is singular"));
    }
    work.factor.solve(&mut work.columns, 2 * model.size.nv + model.size.na + model.size.nu);
    solution::report(model, data, work);
    Ok(())
}

/// Factors ∂ID/∂a.
pub(super) fn factor_hessian(model: &Model, data: &Data, work: &mut Workspace) -> bool {
    let (nv, tree) = (model.size.nv, &work.sweep.tree);
    if !is_of_tree(model, data, work) {
        return work.factor.factor(&work.core.a, nv);
    }
    work.lower.clear();
    for (i, row) in work.core.a.chunks_exact(nv.max(1)).enumerate() {
        work.lower.extend(tree.col[tree.range(i)].iter().map(|&j| row[j as usize]));
    }
    work.factor.factor_tree(tree, &work.lower)
}

/// Whether ∂ID/∂a is symmetric and couples dofs with their ancestors only.
fn is_of_tree(model: &Model, data: &Data, work: &Workspace) -> bool {
    let couples = |kind| matches!(kind, RowKind::Equality | RowKind::FrictionTendon | RowKind::LimitTendon);
    let tree = &work.sweep.tree;
    let yes = !work.coupling.active
        && model.options.scheme() != Integrator::Discrete
        && work.terms.cross.is_empty()
        && !work.terms.any_A
        && (0..model.ntendon()).all(|t| tendon_armature(model, t) == 0.0)
        && !data.constraints.blocks.iter().any(|b| couples(b.kind));
    let (nv, a) = (model.size.nv, &work.core.a);
    debug_assert!(
        !yes || (0..nv).all(|i| {
            let row = &tree.col[tree.range(i)];
            (0..i).all(|j| {
                let (x, y) = (a[i * nv + j], a[j * nv + i]);
                (x - y).abs() <= 1e-9 * a[i * nv + i].abs().max(a[j * nv + j].abs())
                    && (x == 0.0 || row.contains(&(j as u32)))
            })
        })
    );
    yes
}

/// Which part of the velocity that moves q is that of the end of the step.
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

/// −∂ID by q, v, act and u in `work.columns` · nv × (2 nv + na + nu).
fn fill_right_hand_side(model: &Model, data: &Data, work: &mut Workspace) {
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let m = 2 * nv + na + nu;
    work.columns.clear();
    for i in 0..nv {
        let row = i * nv..(i + 1) * nv;
        work.columns.extend(work.core.q[row.clone()].iter().map(|x| -x));
        work.columns.extend(work.core.v[row].iter().map(|x| -x));
        work.columns.resize((i + 1) * m, 0.0);
    }
    if model.options.scheme() == Integrator::Discrete {
        let rows = work.columns.chunks_exact_mut(m).zip(work.discrete.by_input().chunks_exact((na + nu).max(1)));
        for (row, by_input) in rows {
            row[2 * nv..].iter_mut().zip(by_input).for_each(|(x, d)| *x -= d);
        }
    }
    if work.coupling.active {
        let rows = work.columns.chunks_exact_mut(m).zip(work.coupling.by_input().chunks_exact((na + nu).max(1)));
        for (row, by_input) in rows {
            row[2 * nv..].iter_mut().zip(by_input).for_each(|(x, d)| *x -= d);
        }
    }
    if model.options.disable.has(Disable::ACTUATION) {
        return;
    }
    for a in (0..model.nactuator()).filter(|&a| !is_disabled(model, a) && !is_saturated(model, data, a)) {
        let span = model.actuators.moment[a].range();
        let cols = &model.actuators.moment_col[span.clone()];
        let moment = &data.position.actuator_moment[span];
        for_each_force_slope(model, data, a, |input, slope| {
            let column = match input {
                Input::Act(i) => 2 * nv + i,
                Input::Ctrl(i) => 2 * nv + na + i,
                Input::Length => return,
            };
            for (&i, x) in cols.iter().zip(moment) {
                if !is_clamped(model, data, i as usize) {
                    work.columns[i as usize * m + column] += slope * x;
                }
            }
        });
    }
}

/// `work.columns` from ∂a to ∂a*.
fn advance(model: &Model, data: &Data, work: &mut Workspace) {
    let Workspace { metric, sweep, report, columns, products, .. } = work;
    metric.update(model, data, sweep, report);
    if !metric.active {
        return;
    }
    let nv = model.size.nv;
    let m = columns.len() / nv.max(1);
    let width = m - 2 * nv;
    products.clear();
    for i in 0..nv {
        products.extend_from_slice(&metric.by_q[i * nv..(i + 1) * nv]);
        products.extend_from_slice(&metric.by_v[i * nv..(i + 1) * nv]);
        products.extend_from_slice(metric.by_input.get(i * width..(i + 1) * width).unwrap_or_default());
        products.resize((i + 1) * m, 0.0);
    }
    for &(i, j, d) in &metric.change {
        let (i, j) = (i as usize, j as usize);
        add_row(&mut products[i * m..(i + 1) * m], -d, &columns[j * m..(j + 1) * m]);
    }
    metric.factor.solve(products, m);
    add_row(columns, 1.0, products);
}

fn add_row(target: &mut [f64], s: f64, source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(t, x)| *t += s * x);
}

/// Writes A and B from ∂a*.
fn write(model: &Model, data: &Data, work: &Workspace, share: f64, (A, B): (Option<&mut [f64]>, Option<&mut [f64]>)) {
    let n = 2 * model.size.nv + model.size.na;
    let a_step = if work.metric.active { work.metric.a_step() } else { &data.acceleration.a };
    if let Some(A) = A {
        write_matrix(model, data, (&work.columns, a_step), share, A, (0, n));
    }
    if let Some(B) = B {
        write_matrix(model, data, (&work.columns, a_step), share, B, (n, model.size.nu));
    }
}

/// Writes the columns `first..first + width` of (x, u).
fn write_matrix(
    model: &Model,
    data: &Data,
    (columns, a_step): (&[f64], &[f64]),
    share: f64,
    out: &mut [f64],
    (first, width): (usize, usize),
) {
    if width == 0 {
        return;
    }
    let (nv, h) = (model.size.nv, model.options.timestep);
    let m = 2 * nv + model.size.na + model.size.nu;
    let of_state = first == 0;
    let (dq, rest) = out.split_at_mut(nv * width);
    let (dv, da) = rest.split_at_mut(nv * width);
    let pairs = dq.chunks_exact_mut(width).zip(dv.chunks_exact_mut(width)).zip(columns.chunks_exact(m.max(1)));
    for (i, ((dq, dv), columns)) in pairs.enumerate() {
        // ∂v⁺, and above it h ∂w.
        for ((q, v), x) in dq.iter_mut().zip(dv.iter_mut()).zip(&columns[first..first + width]) {
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
            let w = |k: usize| h * (data.state.v[d + k] + share * h * a_step[d + k]);
            let columns_of_turn = of_state.then_some(d);
            turn_rows(&mut dq[d * width..(d + 3) * width], width, columns_of_turn, Vec3::new(w(0), w(1), w(2)));
        }
    }
    write_activations(model, data, da, (first, width));
}

/// Three rows h ∂w → J_r(x) h ∂w + exp(−x) ∂q, x = h w, at the columns of the rotation that starts at dof `d`
/// if they are there.
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

/// Rows of act⁺, columns `first..first + width`.
fn write_activations(model: &Model, data: &Data, rows: &mut [f64], (first, width): (usize, usize)) {
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
