//! Limits of joints and tendons: the residual is the distance to the limit, negative beyond it.

use super::impedance::Settings;
use crate::data::{Block, Constraints, Data, RowKind};
use crate::model::Model;
use crate::model::kinds::JointKind;
use saltus_math::{Quat, normalize};

/// Residual, margin, diagonal and solver parameters of a limit.
struct Limit<'a> {
    dist: f64,
    margin: f64,
    diag: f64,
    solref: [f64; 2],
    solimp: &'a [f64; 5],
}

pub(super) fn push(model: &Model, data: &Data, settings: &Settings, rows: &mut Constraints) {
    for j in (0..model.njoint()).filter(|&j| model.joints.limited[j]) {
        match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => push_scalar(model, data, settings, j, rows),
            JointKind::Ball => push_ball(model, data, settings, j, rows),
            JointKind::Free => {}
        }
    }
    for t in (0..model.ntendon()).filter(|&t| model.tendons.limited[t]) {
        push_tendon(model, data, settings, t, rows);
    }
}

fn of_joint(model: &Model, j: usize, dist: f64) -> Limit<'_> {
    let joints = &model.joints;
    let diag = model.dofs.inv_weight[joints.dof_start[j] as usize];
    Limit { dist, margin: joints.margin[j], diag, solref: joints.solref[j], solimp: &joints.solimp[j] }
}

/// Distance to the lower and upper limit, and the sign of its derivative.
fn sides(range: [f64; 2], value: f64) -> [(f64, f64); 2] {
    [(value - range[0], 1.0), (range[1] - value, -1.0)]
}

fn push_scalar(model: &Model, data: &Data, settings: &Settings, j: usize, rows: &mut Constraints) {
    let value = data.state.q[model.joints.q_start[j] as usize];
    for (dist, sign) in sides(model.joints.range[j], value) {
        if dist < model.joints.margin[j] + settings.reach {
            let block = rows.push_dof(RowKind::LimitJoint, j, model.joints.dof_start[j], sign);
            finish(settings, of_joint(model, j, dist), block, rows);
        }
    }
}

/// Limit of a ball joint: the angle of rotation, about any axis.
fn push_ball(model: &Model, data: &Data, settings: &Settings, j: usize, rows: &mut Constraints) {
    let i = model.joints.q_start[j] as usize;
    let (axis, angle) = normalize(Quat::from_slice(&data.state.q[i..i + 4]).normalized().log());
    let [a, b] = model.joints.range[j];
    let dist = a.max(b) - angle;
    if dist < model.joints.margin[j] + settings.reach {
        let (first, dof) = (rows.col.len(), model.joints.dof_start[j]);
        rows.col.extend(dof..dof + 3);
        let block = rows.push_block(RowKind::LimitJoint, j, 1, first);
        if let Some(block) = block {
            rows.J[block.all_values()].copy_from_slice(&(-axis).to_array());
        }
        finish(settings, of_joint(model, j, dist), block, rows);
    }
}

fn push_tendon(model: &Model, data: &Data, settings: &Settings, t: usize, rows: &mut Constraints) {
    let tendons = &model.tendons;
    for (dist, sign) in sides(tendons.range[t], data.position.tendon_length[t]) {
        if dist < tendons.margin[t] + settings.reach {
            let block = super::push_tendon(model, data, RowKind::LimitTendon, t, sign, rows);
            let (margin, diag) = (tendons.margin[t], tendons.inv_weight[t]);
            let (solref, solimp) = (tendons.solref_limit[t], &tendons.solimp_limit[t]);
            finish(settings, Limit { dist, margin, diag, solref, solimp }, block, rows);
        }
    }
}

fn finish(settings: &Settings, limit: Limit, block: Option<Block>, rows: &mut Constraints) {
    let Some(block) = block else { return };
    let row = block.rows.start as usize;
    rows.pos[row] = limit.dist;
    rows.margin[row] = limit.margin;
    let spring = settings.one_sided_spring(limit.solref, limit.solimp, limit.dist - limit.margin);
    rows.set_softness(settings, &block, limit.diag, spring);
}

/// Sign of the derivative of a tendon limit's residual with respect to the tendon's length, which
/// tells the lower from the upper limit.
pub(super) fn tendon_sign(model: &Model, data: &Data, rows: &Constraints, block: &Block) -> f64 {
    let t = block.id as usize;
    let [(lower, _), _] = sides(model.tendons.range[t], data.position.tendon_length[t]);
    if rows.pos[block.rows.start as usize] == lower { 1.0 } else { -1.0 }
}
