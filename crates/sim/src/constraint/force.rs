//! Forces of contacts and equalities on bodies, from the forces of their rows.

use super::{equality, limit};
use crate::data::{Data, RowKind, contact_force};
use crate::model::Model;
use saltus_math::Vec3;

/// Calls `add(body, point, force, torque)` for the wrenches of contacts, connects and welds on
/// bodies, world axes.
pub(crate) fn for_each_body_wrench(model: &Model, data: &Data, mut add: impl FnMut(usize, Vec3, Vec3, Vec3)) {
    for contact in data.contacts.iter().filter(|c| c.first_row >= 0) {
        let f = contact_force(data, contact);
        let force = contact.frame.tmul(Vec3::new(f[0], f[1], f[2]));
        let torque = contact.frame.tmul(Vec3::new(f[3], f[4], f[5]));
        add(model.geoms.body[contact.geom1.idx()].idx(), contact.pos, -force, -torque);
        add(model.geoms.body[contact.geom2.idx()].idx(), contact.pos, force, torque);
    }
    equality::for_each_body_wrench(model, data, add);
}

/// Force of all rows that act on a tendon, along its length.
pub(crate) fn tendon_force(model: &Model, data: &Data, t: usize) -> f64 {
    let rows = &data.constraints;
    let mut force = 0.0;
    for block in &rows.blocks {
        let f = rows.force.get(block.rows.start as usize).copied().unwrap_or(0.0);
        force += match block.kind {
            RowKind::Equality => f * equality::tendon_share(model, data, block.id as usize, t),
            RowKind::FrictionTendon if block.id as usize == t => f,
            RowKind::LimitTendon if block.id as usize == t => f * limit::tendon_sign(model, data, rows, block),
            RowKind::ContactFrictionless | RowKind::ContactPyramidal | RowKind::ContactElliptic => break,
            _ => 0.0,
        };
    }
    force
}
