//! Forces of contacts from the forces of their rows.

use crate::data::{Contact, Data, RowKind};

/// Force and torque of a contact in its frame, from geom 1 on geom 2: normal, two tangents; spin, two rolls. Zero if
/// the contact has no rows. The normal component is negative where the contact pulls.
pub fn contact_force(data: &Data, contact: &Contact) -> [f64; 6] {
    let mut wrench = [0.0; 6];
    let rows = &data.constraints;
    let Ok(first) = usize::try_from(contact.first_row) else { return wrench };
    let Some(kind) = rows.kind.get(first) else { return wrench };
    let dim = usize::from(contact.dim).min(6);
    if *kind == RowKind::ContactPyramidal {
        let Some(edges) = rows.force.get(first..first + 2 * (dim - 1)) else { return wrench };
        for (k, edge) in edges.chunks_exact(2).enumerate() {
            wrench[0] += edge[0] + edge[1];
            wrench[k + 1] = contact.friction[k] * (edge[0] - edge[1]);
        }
    } else {
        let Some(force) = rows.force.get(first..first + dim) else { return wrench };
        wrench[..dim].copy_from_slice(force);
    }
    wrench[0] -= contact.adhesion;
    wrench
}
