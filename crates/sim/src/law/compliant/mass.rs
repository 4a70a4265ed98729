//! Inverse effective mass of rows that do not belong to contacts. It does not depend on the state.

use crate::constraint::equality::{anchors, torque_scale};
use crate::data::{Block, Data, RowKind};
use crate::model::Model;
use crate::model::kinds::EqualityType;
use saltus_math::MIN_VAL;

/// Inverse effective mass A of row `row` of a block. It is that of the constraint problem, except
/// for connects and welds, whose anchors may be far from their bodies: there it is the inverse mass
/// at the anchor, 1/m + r²/I with r from the origin of the body, where the rotational term is the
/// larger one. The angular rows of a weld are half of the rotation times the torque scale.
pub(super) fn inverse_mass(model: &Model, data: &Data, block: &Block, row: usize) -> f64 {
    let (rows, id) = (&data.constraints, block.id as usize);
    let own = rows.diag[row].max(MIN_VAL);
    let is_frame = block.kind == RowKind::Equality
        && matches!(model.equalities.kind[id], EqualityType::Connect | EqualityType::Weld);
    if !is_frame {
        return own;
    }
    if row - block.rows.start as usize >= 3 {
        let scale = 0.5 * torque_scale(model, id);
        return own * (scale * scale).max(1.0);
    }
    let turning = anchors(model, data, id).map(|anchor| {
        let arm = anchor.p - data.position.p_WB[anchor.body];
        arm.length_squared() * model.bodies.inv_weight[anchor.body][1]
    });
    own + turning[0] + turning[1]
}
