//! Jacobians of points and frames, and their time derivatives. Dense output: 3 × nv, row major.
//! O(depth) each.

use crate::data::Data;
use crate::ids::BodyId;
use crate::model::{Model, kinds::JointKind};
use saltus_math::{Motion, Vec3};

/// Dofs that move a body, from the last one up to the root.
pub fn dofs_of(model: &Model, body: usize) -> impl Iterator<Item = usize> + '_ {
    core::iter::successors(last_dof(model, body), |&i| model.dofs.parent[i].map(|d| d.idx()))
}

/// The last dof that moves a body.
#[inline]
pub fn last_dof(model: &Model, body: usize) -> Option<usize> {
    let mut b = body;
    while b != 0 && model.bodies.dofs[b].is_empty() {
        b = model.bodies.parent[b].idx();
    }
    model.bodies.dofs[b].range().next_back()
}

/// Calls `f(dof, angular, linear)` with the Jacobian columns of a point fixed in a body.
#[inline]
pub(crate) fn for_each_column(
    model: &Model,
    data: &Data,
    body: usize,
    point: Vec3,
    mut f: impl FnMut(usize, Vec3, Vec3),
) {
    let r = point - data.position.com[model.bodies.root[body].idx()];
    for i in dofs_of(model, body) {
        let S = data.position.S[i].shifted(r);
        f(i, S.ang, S.lin);
    }
}

/// Writes column `i` of a 3 × nv row-major matrix.
#[inline]
fn write_column(matrix: &mut [f64], nv: usize, i: usize, column: Vec3) {
    matrix[i] = column.x;
    matrix[nv + i] = column.y;
    matrix[2 * nv + i] = column.z;
}

/// Translational (`jac_p`) and rotational (`jac_r`) Jacobian of a world point fixed in `body`.
/// Needs `update_com`.
pub fn calc_point(
    model: &Model,
    data: &Data,
    body: BodyId,
    point: Vec3,
    jac_p: Option<&mut [f64]>,
    jac_r: Option<&mut [f64]>,
) {
    let nv = model.size.nv;
    let (mut jac_p, mut jac_r) = (cleared(jac_p), cleared(jac_r));
    for_each_column(model, data, body.idx(), point, |i, ang, lin| {
        if let Some(m) = jac_p.as_deref_mut() {
            write_column(m, nv, i, lin);
        }
        if let Some(m) = jac_r.as_deref_mut() {
            write_column(m, nv, i, ang);
        }
    });
}

/// Time derivative of [`calc_point`] at the current velocity. Needs the body velocities.
pub fn calc_point_dot(
    model: &Model,
    data: &Data,
    body: BodyId,
    point: Vec3,
    jac_p: Option<&mut [f64]>,
    jac_r: Option<&mut [f64]>,
) {
    let nv = model.size.nv;
    let (mut jac_p, mut jac_r) = (cleared(jac_p), cleared(jac_r));
    let r = point - data.position.com[model.bodies.root[body.idx()].idx()];
    let p_dot = data.velocity.V[body.idx()].shifted(r).lin;
    for i in dofs_of(model, body.idx()) {
        let S = data.position.S[i];
        let S_dot = axis_rate(model, data, i);
        if let Some(m) = jac_p.as_deref_mut() {
            write_column(m, nv, i, S_dot.shifted(r).lin + S.ang.cross(p_dot));
        }
        if let Some(m) = jac_r.as_deref_mut() {
            write_column(m, nv, i, S_dot.ang);
        }
    }
}

/// Exact rate of a motion axis: the rotation axes of ball and free joints also rotate with the
/// joint's own rotation, but not with subsequent joints of the same body.
fn axis_rate(model: &Model, data: &Data, i: usize) -> Motion {
    let j = model.dofs.joint[i].idx();
    let first = model.joints.dof_start[j] as usize;
    let rotation = match model.joints.kind[j] {
        JointKind::Ball => first..first + 3,
        JointKind::Free if i >= first + 3 => first + 3..first + 6,
        JointKind::Free | JointKind::Slide | JointKind::Hinge => first..first,
    };
    let S = &data.position.S;
    let mut own = Motion::ZERO;
    for k in rotation {
        own += S[k] * data.state.v[k];
    }
    data.velocity.S_dot[i] + own.cross_motion(S[i])
}

/// Jacobian of the centre of mass of the subtree that starts at `body`: the mass-weighted mean of
/// its bodies'. O(n·depth).
pub fn calc_subtree_com(model: &Model, data: &Data, body: BodyId, jac_p: &mut [f64]) {
    let nv = model.size.nv;
    jac_p.fill(0.0);
    let total = model.bodies.subtree_mass[body.idx()];
    if total < saltus_math::MIN_VAL {
        return;
    }
    let mut in_subtree = body.idx();
    // Ids are in depth-first order: the subtree is contiguous and ends at the first body whose
    // parent precedes it.
    while in_subtree < model.nbody() && (in_subtree == body.idx() || model.bodies.parent[in_subtree] >= body) {
        let weight = model.bodies.mass[in_subtree] / total;
        for_each_column(model, data, in_subtree, data.position.p_WI[in_subtree], |i, _, lin| {
            jac_p[i] += weight * lin.x;
            jac_p[nv + i] += weight * lin.y;
            jac_p[2 * nv + i] += weight * lin.z;
        });
        in_subtree += 1;
    }
}

/// τ += Jᵀ (force, torque) for a wrench at a world point of `body`.
pub fn apply_wrench(model: &Model, data: &Data, body: usize, point: Vec3, force: Vec3, torque: Vec3, tau: &mut [f64]) {
    for_each_column(model, data, body, point, |i, ang, lin| tau[i] += lin.dot(force) + ang.dot(torque));
}

fn cleared(matrix: Option<&mut [f64]>) -> Option<&mut [f64]> {
    let matrix = matrix?;
    matrix.fill(0.0);
    Some(matrix)
}
