//! Rows of contacts.
//!
//! The relative velocity of the two bodies at the contact point, in the contact frame, is S v; its first `dim`
//! components (normal, two tangents, spin, two rolls) are the rows of an elliptic contact. A pyramidal one has the rows
//! normal ± μⱼ tangentⱼ. Regularizers of friction follow from that of the normal:
//! (1) elliptic R₁ = R₀ / impratio, Rⱼ = R₁ μ₁² / μⱼ², (2) pyramidal 2 μ² R₀ for all edges, with (3) μ = μ₁ √(R₁ / R₀).

use super::impedance::{Settings, regularizer};
use crate::data::{Block, Constraints, Contact, Data, RowKind};
use crate::kinematics::jacobian::last_dof;
use crate::model::Model;
use crate::options::Cone;
use saltus_math::{MIN_VAL, Vec3};

/// Marks columns that move the first body.
const OF_FIRST: u32 = 1 << 31;

/// The rows of all contacts that make force; sets `first_row` and `mu` of the contacts.
pub(super) fn push(model: &Model, data: &Data, settings: &Settings, contacts: &mut [Contact], rows: &mut Constraints) {
    for (k, contact) in contacts.iter_mut().enumerate() {
        contact.first_row = -1;
        contact.mu = 0.0;
        if contact.in_gap {
            continue;
        }
        let bodies = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()].idx());
        let first_col = rows.col.len();
        push_columns(model, bodies, &mut rows.col);
        let dim = contact.dim as usize;
        let (kind, n) = match (dim, model.options.cone) {
            (1, _) => (RowKind::ContactFrictionless, 1),
            (_, Cone::Pyramidal) => (RowKind::ContactPyramidal, 2 * (dim - 1)),
            (_, Cone::Elliptic) => (RowKind::ContactElliptic, dim),
        };
        let Some(block) = rows.push_block(kind, k, n, first_col) else { continue };
        contact.first_row = block.rows.start as i32;
        let com = bodies.map(|b| data.position.com[model.bodies.root[b].idx()]);
        fill_jacobian(data, contact, com, &block, rows);
        let translation = model.bodies.inv_weight[bodies[0]][0] + model.bodies.inv_weight[bodies[1]][0];
        fill_softness(model, settings, contact, &block, translation, rows);
    }
}

/// Dofs that move one of two bodies and not the other, ascending; those of the first are marked. Common ancestors move
/// the contact point of both alike.
fn push_columns(model: &Model, bodies: [usize; 2], col: &mut Vec<u32>) {
    let first = col.len();
    let [mut i, mut j] = bodies.map(|b| last_dof(model, b).map_or(-1, |d| d as i64));
    let parent = |d: i64| model.dofs.parent[d as usize].map_or(-1, |p| i64::from(p.0));
    while i != j {
        if i > j {
            col.push(i as u32 | OF_FIRST);
            i = parent(i);
        } else {
            col.push(j as u32);
            j = parent(j);
        }
    }
    col[first..].reverse();
}

fn fill_jacobian(data: &Data, contact: &Contact, com: [Vec3; 2], block: &Block, rows: &mut Constraints) {
    let (n, dim) = (block.cols.len as usize, contact.dim as usize);
    let frame = &contact.frame;
    let arm = com.map(|c| contact.pos - c);
    let cols = &mut rows.col[block.cols.range()];
    let J = &mut rows.J[block.values as usize..];
    for (c, col) in cols.iter_mut().enumerate() {
        let of_first = *col & OF_FIRST != 0;
        *col &= !OF_FIRST;
        let S = data.position.S[*col as usize].shifted(arm[usize::from(!of_first)]);
        let (ang, lin) = if of_first { (-S.ang, -S.lin) } else { (S.ang, S.lin) };
        let normal = frame.r0.dot(lin);
        let friction = |k: usize| match k {
            1 => frame.r1.dot(lin),
            2 => frame.r2.dot(lin),
            3 => frame.r0.dot(ang),
            4 => frame.r1.dot(ang),
            _ => frame.r2.dot(ang),
        };
        if block.kind == RowKind::ContactPyramidal {
            for k in 1..dim {
                let t = contact.friction[k - 1] * friction(k);
                J[(2 * k - 2) * n + c] = normal + t;
                J[(2 * k - 1) * n + c] = normal - t;
            }
        } else {
            J[c] = normal;
            for k in 1..dim {
                J[k * n + c] = friction(k);
            }
        }
    }
}

fn fill_softness(
    model: &Model,
    settings: &Settings,
    contact: &mut Contact,
    block: &Block,
    translation: f64,
    rows: &mut Constraints,
) {
    let span = block.rows.range();
    let row = span.start;
    let r = contact.dist - contact.include_margin;
    let kbip = settings.kbip(contact.solref, &contact.solimp, r);
    let mu1 = contact.friction[0];
    let diag = match block.kind {
        RowKind::ContactPyramidal => translation + mu1 * mu1 * translation,
        _ => translation,
    };
    rows.kbip[span.clone()].fill(kbip);
    rows.diag[row] = diag;
    if block.kind == RowKind::ContactElliptic {
        // Friction returns to no position; it may have a reference of its own.
        let own = contact.solref_friction != [0.0; 2];
        let solref = if own { contact.solref_friction } else { contact.solref };
        let b = settings.spring(solref, &contact.solimp)[1];
        rows.kbip[row + 1..span.end].fill([0.0, b, kbip[2], kbip[3]]);
        rows.pos[row] = contact.dist;
        rows.margin[row] = contact.include_margin;
    } else {
        rows.pos[span.clone()].fill(contact.dist);
        rows.margin[span].fill(contact.include_margin);
    }
    spread(model, contact, block, rows);
}

/// Regularizers and diagonals of all rows of a contact from the diagonal of its first.
pub(super) fn spread(model: &Model, contact: &mut Contact, block: &Block, rows: &mut Constraints) {
    let span = block.rows.range();
    let row = span.start;
    let d = rows.kbip[row][2];
    let R = regularizer(d, rows.diag[row]);
    rows.R[row] = R;
    if block.kind == RowKind::ContactFrictionless {
        return;
    }
    let to_diag = d / (1.0 - d);
    let R_1 = R / model.options.impratio.max(MIN_VAL);
    let mu1 = contact.friction[0];
    contact.mu = mu1 * (R_1 / R).sqrt(); // (3)
    if block.kind == RowKind::ContactPyramidal {
        let edge = (2.0 * contact.mu * contact.mu * R).max(MIN_VAL); // (2)
        rows.R[span.clone()].fill(edge);
        rows.diag[span].fill(edge * to_diag);
    } else {
        for (k, row) in (row + 1..span.end).enumerate() {
            let mu = contact.friction[k];
            rows.R[row] = R_1 * (mu1 * mu1) / (mu * mu); // (1)
            rows.diag[row] = rows.R[row] * to_diag;
        }
    }
}

/// Velocities of the surfaces, taken off the relative velocity of the bodies.
pub(super) fn subtract_surface_velocity(contact: &Contact, block: &Block, vel: &mut [f64]) {
    let surface = contact.surface_velocity;
    if surface == [0.0; 3] {
        return;
    }
    let row = block.rows.start as usize;
    for k in 1..(contact.dim as usize).min(4) {
        match block.kind {
            RowKind::ContactPyramidal => {
                let t = contact.friction[k - 1] * surface[k - 1];
                vel[row + 2 * k - 2] += t;
                vel[row + 2 * k - 1] -= t;
            }
            RowKind::ContactElliptic => vel[row + k] += surface[k - 1],
            _ => {}
        }
    }
}

/// What adhesion adds to the reference: R δ on the normal, shared by the edges of a pyramid.
pub(super) fn add_adhesion(contact: &Contact, block: &Block, R: &[f64], a_ref: &mut [f64]) {
    if contact.adhesion <= 0.0 {
        return;
    }
    let span = block.rows.range();
    if block.kind == RowKind::ContactPyramidal {
        let share = contact.adhesion / f64::from(block.rows.len);
        for row in span {
            a_ref[row] += R[row] * share;
        }
    } else {
        a_ref[span.start] += R[span.start] * contact.adhesion;
    }
}
