//! The constraint problem: rows, Jacobian, impedance, reference acceleration. Independent of the law that solves it.
//!
//! One file per kind of constraint; each appends its active rows, in the order of MuJoCo's: equalities, dry friction
//! (dofs, tendons), limits (joints, tendons), contacts.

mod contact;
mod equality;
mod force;
mod friction;
mod impedance;
mod limit;
mod rows;

pub use force::contact_force;
pub(crate) use force::{for_each_body_wrench, tendon_force};

use crate::data::{Block, Constraints, Data, RowKind, RowState};
use crate::model::Model;
use crate::options::{Disable, Enable};
use impedance::{Settings, regularizer};
use saltus_math::{MIN_VAL, ldl};

/// Fills the rows of `data.constraints` from the poses and contacts: everything that does not depend on v.
pub fn update_constraints(model: &Model, data: &mut Data) {
    let mut rows = core::mem::take(&mut data.constraints);
    let mut contacts = core::mem::take(&mut data.contacts);
    rows.clear();
    let off = |flag| model.options.disable.has(flag);
    if !off(Disable::CONSTRAINT) {
        let settings = Settings::new(model);
        if !off(Disable::EQUALITY) {
            equality::push(model, data, &settings, &mut rows);
        }
        rows.n_equality = rows.len();
        if !off(Disable::FRICTIONLOSS) {
            friction::push(model, data, &settings, &mut rows);
        }
        rows.n_friction = rows.len() - rows.n_equality;
        if !off(Disable::LIMIT) {
            limit::push(model, data, &settings, &mut rows);
        }
        rows.n_limit = rows.len() - rows.n_equality - rows.n_friction;
        contact::push(model, data, &settings, &mut contacts, &mut rows);
    }
    let n = rows.len();
    data.contacts = contacts;
    data.constraints = rows;
    if model.options.enable.has(Enable::DIAGEXACT) {
        update_exact_diagonal(model, data);
    }
    let rows = &mut data.constraints;
    rows.D.extend(rows.R.iter().map(|R| 1.0 / R));
    for v in [&mut rows.vel, &mut rows.a_ref, &mut rows.force] {
        v.resize(n, 0.0);
    }
    rows.state.resize(n, RowState::Satisfied);
}

/// Fills `vel` and `a_ref` of the rows.
pub fn update_reference(model: &Model, data: &mut Data) {
    let mut rows = core::mem::take(&mut data.constraints);
    let mut vel = core::mem::take(&mut rows.vel);
    rows.mul(&data.state.v, &mut vel);
    rows.vel = vel;
    let contacts = rows.blocks.partition_point(|b| (b.kind as i32) < RowKind::ContactFrictionless as i32);
    for block in &rows.blocks[contacts..] {
        contact::subtract_surface_velocity(&data.contacts[block.id as usize], block, &mut rows.vel);
    }
    for row in 0..rows.len() {
        let [k, b, d, _] = rows.kbip[row];
        rows.a_ref[row] = -b * rows.vel[row] - k * d * (rows.pos[row] - rows.margin[row]);
    }
    for block in &rows.blocks[contacts..] {
        contact::add_adhesion(&data.contacts[block.id as usize], block, &rows.R, &mut rows.a_ref);
    }
    equality::subtract_bias(model, data, &mut rows);
    data.constraints = rows;
}

/// Pushes the one-row block of a tendon's length, times `sign`.
fn push_tendon(
    model: &Model,
    data: &Data,
    kind: RowKind,
    t: usize,
    sign: f64,
    rows: &mut Constraints,
) -> Option<Block> {
    let (first, span) = (rows.col.len(), model.tendons.jac[t].range());
    rows.col.extend_from_slice(&model.tendons.jac_col[span.clone()]);
    let block = rows.push_block(kind, t, 1, first)?;
    for (j, value) in rows.J[block.all_values()].iter_mut().zip(&data.position.tendon_jac[span]) {
        *j = sign * value;
    }
    Some(block)
}

/// Replaces the approximate diagonal by that of J M⁻¹ Jᵀ, and the regularizers with it.
fn update_exact_diagonal(model: &Model, data: &mut Data) {
    let mut rows = core::mem::take(&mut data.constraints);
    let mut x = core::mem::take(&mut data.scratch.dof);
    for k in 0..rows.blocks.len() {
        let block = rows.blocks[k];
        for (r, row) in block.rows.range().enumerate() {
            x.fill(0.0);
            let (cols, J) = (&rows.col[block.cols.range()], &rows.J[block.row_values(r)]);
            for (c, j) in cols.iter().zip(J) {
                x[*c as usize] = *j;
            }
            ldl::solve(&model.mass_pattern, &data.position.LD, &data.position.D_inv, &mut x);
            let diag: f64 = cols.iter().zip(J).map(|(c, j)| j * x[*c as usize]).sum();
            rows.diag[row] = diag.max(MIN_VAL);
            rows.R[row] = regularizer(rows.kbip[row][2], rows.diag[row]);
        }
        if block.kind as i32 >= RowKind::ContactFrictionless as i32 {
            contact::spread(model, &mut data.contacts[block.id as usize], &block, &mut rows);
        }
    }
    data.scratch.dof = x;
    data.constraints = rows;
}
