//! Contact rows.
//!
//! The relative velocity of the two bodies at the contact point, in the contact frame, is S v; its
//! first `dim` components (normal, two tangential, one torsional, two rolling) are the rows of an
//! elliptic contact. A pyramidal contact has the rows normal ± μⱼ tangentⱼ. Regularizers of
//! friction follow from that of the normal: (1) elliptic R₁ = R₀ / impratio, Rⱼ = R₁ μ₁² / μⱼ², (2)
//! pyramidal 2 μ² R₀ for all edges, with (3) μ = μ₁ √(R₁ / R₀) = μ₁ / √impratio.

use super::impedance::Settings;
use crate::data::{Block, Constraints, Contact, Data, RowKind, Spring};
use crate::ids::{GeomId, Span};
use crate::kinematics::jacobian::last_dof;
use crate::model::Model;
use crate::options::Cone;
use saltus_math::{Mat3, Motion, Vec3};

/// Marks columns that move the first body.
const OF_FIRST: u32 = 1 << 31;

/// Appends the rows of all contacts that exert force; sets `first_row` and `mu` of the contacts.
pub(super) fn push(model: &Model, data: &Data, settings: &Settings, contacts: &mut [Contact], rows: &mut Constraints) {
    let shape = |contact: &Contact| match (contact.dim, model.options.row_cone()) {
        (1, _) => (RowKind::ContactFrictionless, 1),
        (dim, Cone::Pyramidal) => (RowKind::ContactPyramidal, 2 * (usize::from(dim) - 1)),
        (dim, Cone::Elliptic) => (RowKind::ContactElliptic, usize::from(dim)),
    };
    // Reserves space for all rows at once: growing ten vectors by a few rows per contact costs more
    // than filling them.
    let mut row = rows.len();
    let most: usize = contacts.iter().filter(|c| !c.in_gap).map(|c| shape(c).1).sum();
    rows.resize_rows(row + most);
    for (k, contact) in contacts.iter_mut().enumerate() {
        contact.first_row = -1;
        contact.mu = 0.0;
        if contact.in_gap {
            continue;
        }
        let bodies = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()].idx());
        let first_col = rows.col.len();
        push_columns(model, bodies, &mut rows.col);
        let cols = rows.col.len() - first_col;
        if cols == 0 {
            continue;
        }
        let (kind, n) = shape(contact);
        let values = rows.J.len();
        let block = Block {
            kind,
            id: k as u32,
            rows: Span::new(row, n),
            cols: Span::new(first_col, cols),
            values: values as u32,
        };
        rows.blocks.push(block);
        rows.J.resize(values + n * cols, 0.0);
        row += n;
        contact.first_row = block.rows.start as i32;
        let com = bodies.map(|b| data.position.com[model.bodies.root[b].idx()]);
        fill_jacobian(&data.position.S, contact, com, &block, rows);
        rows.diag[block.rows.start as usize] = diagonal(model, contact, &block);
        fill_softness(settings, contact, &block, rows);
    }
    rows.resize_rows(row);
}

/// Approximate diagonal of J M⁻¹ Jᵀ at the first row.
pub(super) fn diagonal(model: &Model, contact: &Contact, block: &Block) -> f64 {
    let inv_weight = |g: GeomId| model.bodies.inv_weight[model.geoms.body[g.idx()].idx()][0];
    let translation = inv_weight(contact.geom1) + inv_weight(contact.geom2);
    match block.kind {
        RowKind::ContactPyramidal => translation + contact.friction[0] * contact.friction[0] * translation,
        _ => translation,
    }
}

/// Dofs that move exactly one of the two bodies, ascending; those of the first are marked. Common
/// ancestors move both bodies alike at the contact point.
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

/// Jacobian columns of the relative motion at a contact, in its frame.
struct Columns<'a> {
    S: &'a [Motion],
    frame: &'a Mat3,
    /// From the origin of each body's c-frame to the contact.
    arm: [Vec3; 2],
}

impl Columns<'_> {
    /// Relative motion along and about the axes of the contact frame; unmarks the column.
    #[inline(always)]
    fn next(&self, col: &mut u32) -> (Vec3, Vec3) {
        let of_first = *col & OF_FIRST != 0;
        *col &= !OF_FIRST;
        let S = self.S[*col as usize].shifted(self.arm[usize::from(!of_first)]);
        let sign = if of_first { -1.0 } else { 1.0 };
        (S.lin * sign, S.ang * sign)
    }
}

fn fill_jacobian(S: &[Motion], contact: &Contact, com: [Vec3; 2], block: &Block, rows: &mut Constraints) {
    let n = block.cols.len as usize;
    let columns = Columns { S, frame: &contact.frame, arm: com.map(|c| contact.pos - c) };
    let frame = columns.frame;
    let cols = &mut rows.col[block.cols.range()];
    let J = &mut rows.J[block.all_values()];
    let [mu1, mu2, ..] = contact.friction;
    match (block.kind, contact.dim) {
        (RowKind::ContactPyramidal, 3) => {
            let (first, second) = J.split_at_mut(2 * n);
            let (a, b) = first.split_at_mut(n);
            let (c, d) = second.split_at_mut(n);
            for ((((col, a), b), c), d) in cols.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                let v = *frame * columns.next(col).0;
                let (t1, t2) = (mu1 * v.y, mu2 * v.z);
                (*a, *b, *c, *d) = (v.x + t1, v.x - t1, v.x + t2, v.x - t2);
            }
        }
        (RowKind::ContactPyramidal, dim) => {
            for (c, col) in cols.iter_mut().enumerate() {
                let (lin, ang) = columns.next(col);
                let (v, w) = (*frame * lin, *frame * ang);
                let friction = [v.y, v.z, w.x, w.y, w.z];
                for k in 0..usize::from(dim) - 1 {
                    let t = contact.friction[k] * friction[k];
                    J[2 * k * n + c] = v.x + t;
                    J[(2 * k + 1) * n + c] = v.x - t;
                }
            }
        }
        (_, 1) => {
            for (col, j) in cols.iter_mut().zip(J) {
                *j = frame.r0.dot(columns.next(col).0);
            }
        }
        (_, 3) => {
            let (a, rest) = J.split_at_mut(n);
            let (b, c) = rest.split_at_mut(n);
            for (((col, a), b), c) in cols.iter_mut().zip(a).zip(b).zip(c) {
                let v = *frame * columns.next(col).0;
                (*a, *b, *c) = (v.x, v.y, v.z);
            }
        }
        (_, dim) => {
            for (c, col) in cols.iter_mut().enumerate() {
                let (lin, ang) = columns.next(col);
                let (v, w) = (*frame * lin, *frame * ang);
                for (k, value) in [v.x, v.y, v.z, w.x, w.y, w.z].iter().take(usize::from(dim)).enumerate() {
                    J[k * n + c] = *value;
                }
            }
        }
    }
}

fn fill_softness(settings: &Settings, contact: &mut Contact, block: &Block, rows: &mut Constraints) {
    let span = block.rows.range();
    let row = span.start;
    let r = contact.dist - contact.include_margin;
    let spring = settings.one_sided_spring(contact.solref, &contact.solimp, r);
    if block.kind == RowKind::ContactElliptic {
        // Friction has no position error; it may have a reference of its own.
        let own = contact.solref_friction != [0.0; 2];
        let solref = if own { contact.solref_friction } else { contact.solref };
        let damping = settings.stiffness_and_damping(solref, &contact.solimp)[1];
        rows.spring[row] = spring;
        rows.spring[row + 1..span.end].fill(Spring { stiffness: 0.0, damping, ..spring });
        rows.pos[row] = contact.dist;
        rows.margin[row] = contact.include_margin;
    } else {
        rows.spring[span.clone()].fill(spring);
        rows.pos[span.clone()].fill(contact.dist);
        rows.margin[span.clone()].fill(contact.include_margin);
    }
    rows.kind[span.clone()].fill(block.kind);
    rows.id[span].fill(block.id);
    spread(settings, contact, block, rows);
}

/// Derives regularizers and diagonals of all rows of a contact from the diagonal of its first row.
pub(super) fn spread(settings: &Settings, contact: &mut Contact, block: &Block, rows: &mut Constraints) {
    let span = block.rows.range();
    let row = span.start;
    let d = rows.spring[row].impedance;
    let R = settings.regularizer(rows.spring[row], rows.diag[row]);
    rows.R[row] = R;
    let to_diag = d / (1.0 - d);
    rows.diag[row] = if settings.h > 0.0 { R * to_diag } else { rows.diag[row] };
    if block.kind == RowKind::ContactFrictionless {
        return;
    }
    let R_1 = R / settings.impratio;
    let mu1 = contact.friction[0];
    contact.mu = mu1 / settings.impratio.sqrt(); // (3)
    if block.kind == RowKind::ContactPyramidal {
        let edge = 2.0 * contact.mu * contact.mu * R; // (2)
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

/// Subtracts the velocities of the surfaces from the relative velocity of the bodies.
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

/// Adds the contribution of adhesion to the reference acceleration: R δ on the normal, shared by
/// the edges of a pyramid.
pub(crate) fn add_adhesion(contact: &Contact, block: &Block, R: &[f64], a_ref: &mut [f64]) {
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
