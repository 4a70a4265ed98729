//! The inverse of the soft law, in closed form: the force of each row or cone is a function of its
//! own x = J a − a_ref.

use super::cost::{self, Cone};
use crate::data::{Constraints, Contact, Data, RowKind, RowState};

/// Forces of the rows and their generalized force for the current `acceleration.a`; each row or
/// cone depends on its own x = J a − a_ref. Used by the soft law and, with other references and
/// regularizers, by the impulse law.
pub(in crate::law) fn invert(data: &mut Data) {
    let rows = &mut data.constraints;
    let mut force = core::mem::take(&mut rows.force);
    let mut state = core::mem::take(&mut rows.state);
    force.resize(rows.len(), 0.0);
    state.resize(rows.len(), RowState::Satisfied);
    let mut x = core::mem::take(&mut data.scratch.row);
    x.resize(rows.len(), 0.0);
    rows.mul(&data.acceleration.a, &mut x);
    for (x, a_ref) in x.iter_mut().zip(&rows.a_ref) {
        *x -= a_ref;
    }
    constraint_forces(rows, &data.contacts, &x, &mut force, &mut state);
    data.acceleration.tau_constraint.fill(0.0);
    rows.add_transposed(&force, &mut data.acceleration.tau_constraint);
    (rows.force, rows.state, data.scratch.row) = (force, state, x);
}

/// Forces and states of the rows at x = J a − a_ref; returns the cost s(x).
pub fn constraint_forces(
    rows: &Constraints,
    contacts: &[Contact],
    x: &[f64],
    force: &mut [f64],
    state: &mut [RowState],
) -> f64 {
    let mut total = 0.0;
    for block in &rows.blocks {
        let own = block.rows.range();
        if block.kind == RowKind::ContactElliptic {
            let cone = Cone::of_contact(&contacts[block.id as usize], 0);
            let (cost, s) = cone.evaluate(&x[own.clone()], &rows.D[own.clone()], &mut force[own.clone()]);
            total += cost;
            state[own].fill(s);
            continue;
        }
        for i in own {
            let D = rows.D[i];
            let (cost, f, s) = match block.kind {
                RowKind::Equality => cost::equality(x[i], D),
                RowKind::FrictionDof | RowKind::FrictionTendon => {
                    cost::friction(x[i], D, rows.R[i], rows.friction_loss[i])
                }
                _ => cost::one_sided(x[i], D),
            };
            total += cost;
            (force[i], state[i]) = (f, s);
        }
    }
    total
}
