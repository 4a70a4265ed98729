//! Equality constraints: connect, weld, joint, tendon.

use super::impedance::Settings;
use crate::data::{Block, Constraints, Data, RowKind};
use crate::kinematics::jacobian::{dofs_of, last_dof};
use crate::model::Model;
use crate::model::kinds::{EqualityType, ObjectKind};
use saltus_math::{Motion, Quat, Vec3};

/// Marks on columns: the dof moves the first or the second body.
const OF_FIRST: u32 = 1 << 31;
const OF_SECOND: u32 = 1 << 30;

pub(super) fn push(model: &Model, data: &Data, settings: &Settings, rows: &mut Constraints) {
    for e in (0..model.nequality()).filter(|&e| data.state.equality_active[e]) {
        match model.equalities.kind[e] {
            EqualityType::Connect | EqualityType::Weld => push_frames(model, data, settings, e, rows),
            EqualityType::Joint => push_joints(model, data, settings, e, rows),
            EqualityType::Tendon => push_tendons(model, data, settings, e, rows),
        }
    }
}

/// A point and an orientation fixed in a body.
#[derive(Clone, Copy)]
pub(crate) struct Anchor {
    pub body: usize,
    pub p: Vec3,
    pub quat: Quat,
}

/// The two frames that a connect or weld holds together; their orientations are equal if it is
/// satisfied.
pub(crate) fn anchors(model: &Model, data: &Data, e: usize) -> [Anchor; 2] {
    let eq = &model.equalities;
    let (x, prm) = (&data.position, &eq.data[e]);
    let (first, second) = (eq.object1[e] as usize, eq.object2[e].unwrap_or(0) as usize);
    if eq.object_kind[e] == ObjectKind::Site {
        return [first, second].map(|s| Anchor { body: model.sites.body[s].idx(), p: x.p_WS[s], quat: x.quat_WS[s] });
    }
    let weld = eq.kind[e] == EqualityType::Weld;
    let at = |k: usize| Vec3::new(prm[k], prm[k + 1], prm[k + 2]);
    // A weld's anchor is a point of the second body, a connect's one of the first.
    let (local1, local2) = if weld { (at(3), at(0)) } else { (at(0), at(3)) };
    let relative = if weld { Quat::from_slice(&prm[6..10]) } else { Quat::IDENTITY };
    let point = |b: usize, local: Vec3| x.p_WB[b] + x.R_WB[b] * local;
    [
        Anchor { body: first, p: point(first, local1), quat: x.quat_WB[first] * relative },
        Anchor { body: second, p: point(second, local2), quat: x.quat_WB[second] },
    ]
}

pub(crate) fn torque_scale(model: &Model, e: usize) -> f64 {
    model.equalities.data[e][10]
}

/// Vector part of ½ q₂* v q₁: the rate v between two orientations, as residuals measure it.
pub(crate) fn between(q1: Quat, q2: Quat, v: Quat) -> Vec3 {
    (q2.conj() * v * q1).vec() * 0.5
}

pub(crate) fn pure(v: Vec3) -> Quat {
    Quat::new(0.0, v.x, v.y, v.z)
}

/// p₁ − p₂, and for welds the vector part of q₂* q₁ times the torque scale.
fn push_frames(model: &Model, data: &Data, settings: &Settings, e: usize, rows: &mut Constraints) {
    let [a, b] = anchors(model, data, e);
    let weld = model.equalities.kind[e] == EqualityType::Weld;
    let (scale, n) = (torque_scale(model, e), if weld { 6 } else { 3 });
    let first_col = rows.col.len();
    push_columns(model, [a.body, b.body], &mut rows.col);
    let Some(block) = rows.push_block(RowKind::Equality, e, n, first_col) else { return };
    let row = block.rows.start as usize;
    (a.p - b.p).write_to_slice(&mut rows.pos[row..]);
    if weld {
        ((b.quat.conj() * a.quat).vec() * scale).write_to_slice(&mut rows.pos[row + 3..]);
    }

    let n_col = block.cols.len as usize;
    let arm = [a, b].map(|x| x.p - data.position.com[model.bodies.root[x.body].idx()]);
    let J = &mut rows.J[block.all_values()];
    for (c, col) in rows.col[block.cols.range()].iter_mut().enumerate() {
        let marks = *col;
        *col &= !(OF_FIRST | OF_SECOND);
        let S = data.position.S[*col as usize];
        let mut relative = Motion::ZERO;
        if marks & OF_FIRST != 0 {
            relative += S.shifted(arm[0]);
        }
        if marks & OF_SECOND != 0 {
            relative -= S.shifted(arm[1]);
        }
        let turn = if weld { between(a.quat, b.quat, pure(relative.ang)) * scale } else { Vec3::ZERO };
        let column = [relative.lin.to_array(), turn.to_array()];
        for (k, value) in column.as_flattened().iter().take(n).enumerate() {
            J[k * n_col + c] = *value;
        }
    }

    let norm = rows.pos[row..row + n].iter().map(|r| r * r).sum::<f64>().sqrt();
    finish(model, settings, e, &block, norm, rows);
    if weld {
        let diag = diagonal(model, e, 3);
        let R = settings.regularizer(rows.spring[row], diag);
        rows.diag[row + 3..row + 6].fill(diag);
        rows.R[row + 3..row + 6].fill(R);
    }
}

/// Dofs that move one of two bodies or both, ascending and marked.
fn push_columns(model: &Model, bodies: [usize; 2], col: &mut Vec<u32>) {
    let first = col.len();
    let [mut i, mut j] = bodies.map(|b| last_dof(model, b).map_or(-1, |d| d as i64));
    let parent = |d: i64| model.dofs.parent[d as usize].map_or(-1, |p| i64::from(p.0));
    while i.max(j) >= 0 {
        let (dof, of_first, of_second) = (i.max(j), i >= j, j >= i);
        col.push(dof as u32 | if of_first { OF_FIRST } else { 0 } | if of_second { OF_SECOND } else { 0 });
        if of_first {
            i = parent(dof);
        }
        if of_second {
            j = parent(dof);
        }
    }
    col[first..].reverse();
}

fn finish(model: &Model, settings: &Settings, e: usize, block: &Block, residual: f64, rows: &mut Constraints) {
    let spring = settings.spring(model.equalities.solref[e], &model.equalities.solimp[e], residual);
    rows.set_softness(settings, block, diagonal(model, e, 0), spring);
}

/// Approximate diagonal of J M⁻¹ Jᵀ at row `r`: the sum over both objects, independent of the slope
/// between them.
pub(super) fn diagonal(model: &Model, e: usize, r: usize) -> f64 {
    let eq = &model.equalities;
    let object = |id: u32| {
        let id = id as usize;
        let body = |b: usize| model.bodies.inv_weight[b][usize::from(r >= 3)];
        match eq.object_kind[e] {
            ObjectKind::Joint => model.dofs.inv_weight[model.joints.dof_start[id] as usize],
            ObjectKind::Tendon => model.tendons.inv_weight[id],
            ObjectKind::Site => body(model.sites.body[id].idx()),
            _ => body(id),
        }
    };
    object(eq.object1[e]) + eq.object2[e].map_or(0.0, object)
}

/// Value and slope of the quartic polynomial of a joint or tendon equality.
fn polynomial(c: &[f64; 12], x: f64) -> (f64, f64) {
    let value = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
    (value, c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4])))
}

/// y − y₀ − f(x − x₀).
fn push_joints(model: &Model, data: &Data, settings: &Settings, e: usize, rows: &mut Constraints) {
    let eq = &model.equalities;
    let value = |j: u32| {
        let i = model.joints.q_start[j as usize] as usize;
        data.state.q[i] - model.q0[i]
    };
    let dof = |j: u32| model.joints.dof_start[j as usize];
    let y = dof(eq.object1[e]);
    let (f, slope) = polynomial(&eq.data[e], eq.object2[e].map_or(0.0, value));
    let residual = value(eq.object1[e]) - f;
    let first = rows.col.len();
    let mut J = [1.0, -slope];
    rows.col.push(y);
    if let Some(x) = eq.object2[e].map(dof) {
        rows.col.push(x);
        if x < y {
            rows.col.swap(first, first + 1);
            J.swap(0, 1);
        }
    }
    let Some(block) = rows.push_block(RowKind::Equality, e, 1, first) else { return };
    rows.J[block.all_values()].copy_from_slice(&J[..block.cols.len as usize]);
    rows.pos[block.rows.start as usize] = residual;
    finish(model, settings, e, &block, residual, rows);
}

fn push_tendons(model: &Model, data: &Data, settings: &Settings, e: usize, rows: &mut Constraints) {
    let (eq, tendons) = (&model.equalities, &model.tendons);
    let stretch = |t: usize| data.position.tendon_length[t] - tendons.length0[t];
    let (y, x) = (eq.object1[e] as usize, eq.object2[e].map(|t| t as usize));
    let (f, slope) = polynomial(&eq.data[e], x.map_or(0.0, stretch));
    let first = rows.col.len();
    let span_y = tendons.jac[y].range();
    rows.col.extend_from_slice(&tendons.jac_col[span_y.clone()]);
    if let Some(x) = x {
        for c in &tendons.jac_col[tendons.jac[x].range()] {
            if !tendons.jac_col[span_y.clone()].contains(c) {
                rows.col.push(*c);
            }
        }
        rows.col[first..].sort_unstable();
    }
    let Some(block) = rows.push_block(RowKind::Equality, e, 1, first) else { return };
    let mut add = |t: usize, scale: f64| {
        let (cols, span) = (&rows.col[block.cols.range()], tendons.jac[t].range());
        for (c, j) in tendons.jac_col[span.clone()].iter().zip(&data.position.tendon_jac[span]) {
            if let Ok(k) = cols.binary_search(c) {
                rows.J[block.values as usize + k] += scale * j;
            }
        }
    };
    add(y, 1.0);
    if let Some(x) = x {
        add(x, -slope);
    }
    let residual = stretch(y) - f;
    rows.pos[block.rows.start as usize] = residual;
    finish(model, settings, e, &block, residual, rows);
}

/// a_ref −= J̇ v for connects and welds: their anchors rotate with the bodies, so J a alone is not
/// their acceleration.
pub(super) fn subtract_bias(model: &Model, data: &Data, settings: &Settings, rows: &mut Constraints) {
    let Constraints { blocks, a_ref, spring, .. } = rows;
    for block in blocks.iter().take_while(|b| b.kind == RowKind::Equality) {
        let e = block.id as usize;
        let weld = match model.equalities.kind[e] {
            EqualityType::Connect => false,
            EqualityType::Weld => true,
            _ => continue,
        };
        let [a, b] = anchors(model, data, e);
        let ([V_a, A_a], [V_b, A_b]) = (motion(model, data, &a), motion(model, data, &b));
        let row = block.rows.start as usize;
        let s = settings.implicit_factor(spring[row]);
        subtract(&mut a_ref[row..row + 3], (A_a.lin - A_b.lin) / s);
        if weld {
            // d/dt ½ q₂* ω q₁ with ω = ω₁ − ω₂.
            let omega = pure(V_a.ang - V_b.ang);
            let (left, right) = (pure(V_b.ang * -0.5) * omega, omega * pure(V_a.ang * 0.5));
            let rate = between(a.quat, b.quat, left)
                + between(a.quat, b.quat, right)
                + between(a.quat, b.quat, pure(A_a.ang - A_b.ang));
            subtract(&mut a_ref[row + 3..row + 6], rate * (torque_scale(model, e) / s));
        }
    }
}

fn subtract(target: &mut [f64], v: Vec3) {
    for (t, x) in target.iter_mut().zip(v.to_array()) {
        *t -= x;
    }
}

/// Velocity of an anchor, and its acceleration at zero generalized acceleration.
fn motion(model: &Model, data: &Data, anchor: &Anchor) -> [Motion; 2] {
    let arm = anchor.p - data.position.com[model.bodies.root[anchor.body].idx()];
    let V = data.velocity.V[anchor.body].shifted(arm);
    let mut A = Motion::ZERO;
    for i in dofs_of(model, anchor.body) {
        A += data.velocity.S_dot[i] * data.state.v[i];
    }
    let A = A.shifted(arm);
    [V, Motion::new(A.ang, A.lin + V.ang.cross(V.lin))]
}

/// Calls `add(body, point, force, torque)` for the wrenches of connects and welds.
pub(super) fn for_each_body_wrench(model: &Model, data: &Data, mut add: impl FnMut(usize, Vec3, Vec3, Vec3)) {
    let rows = &data.constraints;
    for block in rows.blocks.iter().take_while(|b| b.kind == RowKind::Equality) {
        let (e, f) = (block.id as usize, &rows.force[block.rows.range()]);
        let torque_of = |a: &Anchor, b: &Anchor| match f {
            // The transpose of `between`.
            [_, _, _, x, y, z] => (b.quat * pure(Vec3::new(*x, *y, *z)) * a.quat.conj()).vec() * 0.5,
            _ => Vec3::ZERO,
        };
        if let (EqualityType::Connect | EqualityType::Weld, [x, y, z, ..]) = (model.equalities.kind[e], f) {
            let [a, b] = anchors(model, data, e);
            let (force, torque) = (Vec3::new(*x, *y, *z), torque_of(&a, &b) * torque_scale(model, e));
            add(a.body, a.p, force, torque);
            add(b.body, b.p, -force, -torque);
        }
    }
}

/// Derivative of the residual of a tendon equality with respect to the length of tendon `t`; 0 if
/// the equality does not involve it.
pub(super) fn tendon_share(model: &Model, data: &Data, e: usize, t: usize) -> f64 {
    let eq = &model.equalities;
    if eq.kind[e] != EqualityType::Tendon {
        return 0.0;
    }
    if eq.object1[e] as usize == t {
        return 1.0;
    }
    if eq.object2[e] != Some(t as u32) {
        return 0.0;
    }
    let stretch = data.position.tendon_length[t] - model.tendons.length0[t];
    -polynomial(&eq.data[e], stretch).1
}
