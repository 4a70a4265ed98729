//! Dry friction of dofs and tendons: one row each, no residual, force within ±η.

use super::impedance::Settings;
use crate::data::{Block, Constraints, Data, RowKind, Spring};
use crate::model::Model;

pub(super) fn push(model: &Model, data: &Data, settings: &Settings, rows: &mut Constraints) {
    let dofs = &model.dofs;
    for i in (0..model.size.nv).filter(|&i| dofs.friction_loss[i] > 0.0) {
        let block = rows.push_dof(RowKind::FrictionDof, i, i as u32, 1.0);
        let spring = settings.spring(dofs.solref[i], &dofs.solimp[i], 0.0);
        finish(settings, rows, block, dofs.friction_loss[i], dofs.inv_weight[i], spring);
    }
    let tendons = &model.tendons;
    for t in (0..model.ntendon()).filter(|&t| tendons.friction_loss[t] > 0.0) {
        let block = super::push_tendon(model, data, RowKind::FrictionTendon, t, 1.0, rows);
        let spring = settings.spring(tendons.solref_friction[t], &tendons.solimp_friction[t], 0.0);
        finish(settings, rows, block, tendons.friction_loss[t], tendons.inv_weight[t], spring);
    }
}

fn finish(settings: &Settings, rows: &mut Constraints, block: Option<Block>, loss: f64, diag: f64, spring: Spring) {
    let Some(block) = block else { return };
    // Dry friction has no position error and no spring.
    let spring = Spring { stiffness: 0.0, ..spring };
    rows.friction_loss[block.rows.start as usize] = loss;
    rows.set_softness(settings, &block, diag, spring);
}
