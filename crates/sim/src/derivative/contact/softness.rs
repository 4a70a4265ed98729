//! The first row of a contact, which determines its softness under discrete steps: derivatives of
//! J y, and of the force with respect to the hardness.

use super::feature::Features;
use super::geometry::{self, Changes, unit, write_changes};
use super::{Body, local, motion_change};
use crate::data::{Block, Contact, RowKind};
use crate::derivative::chain::At;
use crate::derivative::response::Answers;
use crate::derivative::sweep::{ExtraDof, subtree};
use crate::kinematics::jacobian::dofs_of;
use saltus_math::Motion;

/// The row expressed in the six directions of the contact.
pub(super) fn row(contact: &Contact, block: &Block) -> [f64; 6] {
    let slide = if block.kind == RowKind::ContactPyramidal { contact.friction[0] } else { 0.0 };
    [1.0, slide, 0.0, 0.0, 0.0, 0.0]
}

pub(super) fn dot(row: &[f64; 6], x: &[f64; 6]) -> f64 {
    row.iter().zip(x).map(|(r, x)| r * x).sum()
}

/// Calls `f(k, ∂(J y)/∂q_k)`, y that of the chain; the dofs of the two bodies are visited one after
/// the other.
pub(in crate::derivative) fn for_each_row_change(at: At<'_>, block: &Block, mut f: impl FnMut(usize, f64)) {
    let At { model, data, chain } = at;
    let contact = &data.contacts[block.id as usize];
    let bodies = [0, 1].map(|k| Body::of(at, contact, k));
    let mut changes = Changes::default();
    write_changes(&Features::of(model, data, contact), contact.dist, [0, 1].map(|k| bodies[k].moves), &mut changes);
    let relative = bodies[1].Y - bodies[0].Y;
    let row = row(contact, block);
    let local = |m: Motion, body: &Body| {
        let m = m.shifted(body.r);
        let (lin, ang) = (contact.frame * m.lin, contact.frame * m.ang);
        [lin.x, lin.y, lin.z, ang.x, ang.y, ang.z]
    };
    for (body, changes) in bodies.iter().zip(&changes).filter(|(b, _)| b.moves) {
        let by_twist: [f64; 6] = core::array::from_fn(|axis| {
            dot(&row, &motion_change(relative, body.Y, body.sign, &changes[axis], unit(axis)))
        });
        for k in dofs_of(model, body.id) {
            let by_axis = dot(&row, &local(chain.sigma[k], body)) * body.sign;
            f(k, dot(&by_twist, &local(data.position.S[k], body)) + by_axis);
        }
    }
}

/// Derivative of J y with respect to a dof that is not part of the model.
pub(in crate::derivative) fn row_change_by(at: At<'_>, block: &Block, dof: &ExtraDof) -> f64 {
    let At { model, data, .. } = at;
    let contact = &data.contacts[block.id as usize];
    let (behind, row, features) = (subtree(model, dof.body), row(contact, block), Features::of(model, data, contact));
    let bodies = [0, 1].map(|k| Body::of(at, contact, k));
    let relative = bodies[1].Y - bodies[0].Y;
    let mut sum = 0.0;
    for (k, body) in bodies.iter().enumerate().filter(|(_, b)| behind.contains(&b.id)) {
        let local = |m: Motion| {
            let m = m.shifted(body.r);
            Motion::new(contact.frame * m.ang, contact.frame * m.lin)
        };
        let (twist, sigma) = (local(dof.S), local(dof.sigma) * body.sign);
        let change = geometry::change(&features, contact.dist, k, twist);
        sum += dot(&row, &motion_change(relative, body.Y, body.sign, &change, twist));
        sum += row[0] * sigma.lin.x + row[1] * sigma.lin.y;
    }
    sum
}

/// column += Jᵀ ∂f with respect to the logarithm of the hardness D of all rows. Adhesion
/// contributes to the reference in proportion to R = 1/D.
pub(in crate::derivative) fn add_hardened(at: At<'_>, answers: &Answers<'_>, block: &Block, column: &mut [f64]) {
    let At { model, data, .. } = at;
    let (rows, contact) = (&data.constraints, &data.contacts[block.id as usize]);
    let response = answers.contact(block);
    let share = if block.kind == RowKind::ContactPyramidal { f64::from(block.rows.len) } else { 1.0 };
    let pull = rows.R[block.rows.start as usize] * contact.adhesion.max(0.0) / share;
    let change: [f64; 6] = core::array::from_fn(|i| response.force[i] - response.H[i][0] * pull);
    for body in [0, 1].map(|k| Body::of(at, contact, k)).iter().filter(|b| b.moves) {
        let wrench = local::wrench(&change, &contact.frame, body.r, body.sign);
        dofs_of(model, body.id).for_each(|j| column[j] += data.position.S[j].dot(wrench));
    }
}
