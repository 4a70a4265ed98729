//! The constraint problem: rows, Jacobian, impedance, reference acceleration. Independent of the
//! contact law.
//!
//! One file per kind of constraint; each appends its active rows, in MuJoCo's order: equalities,
//! dry friction (dofs, tendons), limits (joints, tendons), contacts.

mod contact;
pub(crate) mod equality;
mod force;
mod friction;
mod impedance;
mod limit;
mod rows;

pub use crate::data::contact_force;
pub(crate) use contact::add_adhesion;
pub(crate) use force::{for_each_body_wrench, tendon_force};
pub(crate) use impedance::Settings;

use crate::data::{Block, Constraints, Contact, Data, RowKind, RowState};
use crate::inertia::Inertia;
use crate::model::Model;
use crate::options::{Disable, Enable};
use saltus_math::{MIN_VAL, ldl};

/// Fills the velocity-independent part of the rows of `data.constraints`, from poses and contacts.
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
    let settings = Settings::new(model);
    for row in 0..rows.len() {
        rows.a_ref[row] = settings.reference(rows.spring[row], rows.pos[row] - rows.margin[row], rows.vel[row]);
    }
    for block in &rows.blocks[contacts..] {
        add_adhesion(&data.contacts[block.id as usize], block, &rows.R, &mut rows.a_ref);
    }
    equality::subtract_bias(model, data, &settings, &mut rows);
    data.constraints = rows;
}

/// Appends the one-row block of a tendon's length, times `sign`.
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

/// Replaces the approximate diagonal by that of J M⁻¹ Jᵀ, and updates the regularizers.
fn update_exact_diagonal(model: &Model, data: &mut Data) {
    let mut x = core::mem::take(&mut data.scratch.dof);
    let mut backbone = core::mem::take(&mut data.scratch.backbone);
    let Data { inertia, constraints: rows, contacts, .. } = data;
    let settings = Settings::new(model);
    let (mut LD, mut D_inv) = (&inertia.LD, &inertia.D_inv);
    if inertia.is_implicit() {
        backbone.0.clear();
        backbone.0.extend_from_slice(inertia.backbone());
        backbone.1.resize(model.size.nv, 0.0);
        ldl::factor(&model.mass_pattern, &mut backbone.0, &mut backbone.1, MIN_VAL);
        (LD, D_inv) = (&backbone.0, &backbone.1);
    }
    for k in 0..rows.blocks.len() {
        let block = rows.blocks[k];
        for r in 0..block.rows.len as usize {
            x.fill(0.0);
            let (cols, J) = (&rows.col[block.cols.range()], &rows.J[block.row_values(r)]);
            for (c, j) in cols.iter().zip(J) {
                x[*c as usize] = *j;
            }
            ldl::solve(&model.mass_pattern, LD, D_inv, &mut x);
            let diag: f64 = cols.iter().zip(J).map(|(c, j)| j * x[*c as usize]).sum();
            rows.diag[block.rows.start as usize + r] = diag.max(MIN_VAL);
        }
        soften(&settings, contacts, &block, rows);
    }
    data.scratch.dof = x;
    data.scratch.backbone = backbone;
}

/// Regularizers of a block from its diagonal.
fn soften(settings: &Settings, contacts: &mut [Contact], block: &Block, rows: &mut Constraints) {
    if block.kind as i32 >= RowKind::ContactFrictionless as i32 {
        contact::spread(settings, &mut contacts[block.id as usize], block, rows);
        return;
    }
    for row in block.rows.range() {
        let (spring, diag) = (rows.spring[row], rows.diag[row]);
        rows.R[row] = settings.regularizer(spring, diag);
        if settings.h > 0.0 {
            rows.diag[row] = rows.R[row] * spring.impedance / (1.0 - spring.impedance);
        }
    }
}

/// For the discrete integrator: recomputes regularizers and references for M̂ of `data.inertia`,
/// which is computed after the rows. The diagonal changes by the ratio of Σ J²/M̂ᵢᵢ to Σ J²/Mᵢᵢ.
pub fn update_discrete(model: &Model, data: &mut Data) {
    let settings = Settings::new(model);
    if settings.h == 0.0 || data.constraints.is_empty() {
        return;
    }
    if model.options.enable.has(Enable::DIAGEXACT) {
        update_exact_diagonal(model, data);
    } else {
        let Data { inertia, constraints: rows, contacts, .. } = data;
        for k in 0..rows.blocks.len() {
            let block = rows.blocks[k];
            let contact = block.kind as i32 >= RowKind::ContactFrictionless as i32;
            // The other rows of a contact follow from the first one.
            let n = if contact { 1 } else { block.rows.len as usize };
            for r in 0..n {
                let diag = match contact {
                    true => contact::diagonal(model, &contacts[block.id as usize], &block),
                    false => diagonal(model, &block, r),
                };
                rows.diag[block.rows.start as usize + r] = diag * inertia_ratio(model, inertia, rows, &block, r);
            }
            soften(&settings, contacts, &block, rows);
        }
    }
    let rows = &mut data.constraints;
    rows.D.clear();
    rows.D.extend(rows.R.iter().map(|R| 1.0 / R));
    update_reference(model, data);
}

/// Approximate diagonal of J M⁻¹ Jᵀ at row `r` of a block that is not a contact.
fn diagonal(model: &Model, block: &Block, r: usize) -> f64 {
    let id = block.id as usize;
    match block.kind {
        RowKind::Equality => equality::diagonal(model, id, r),
        RowKind::FrictionDof => model.dofs.inv_weight[id],
        RowKind::LimitJoint => model.dofs.inv_weight[model.joints.dof_start[id] as usize],
        _ => model.tendons.inv_weight[id],
    }
}

/// Whether the diagonal depends on the pose through M̂.
pub(crate) fn is_scaled_by_step(model: &Model, inertia: &Inertia) -> bool {
    (0..model.size.nv).map(|i| model.mass_pattern.diag(i)).any(|k| inertia.backbone()[k] != inertia.M[k])
}

/// Change of the diagonal of J M⁻¹ Jᵀ when M̂ replaces M, approximated with the diagonals of both.
fn inertia_ratio(model: &Model, inertia: &Inertia, rows: &Constraints, block: &Block, r: usize) -> f64 {
    if !inertia.is_implicit() {
        return 1.0;
    }
    let [mut bare, mut effective] = [0.0; 2];
    for (c, j) in rows.col[block.cols.range()].iter().zip(&rows.J[block.row_values(r)]) {
        let i = model.mass_pattern.diag(*c as usize);
        bare += j * j / inertia.M[i].max(MIN_VAL);
        effective += j * j / inertia.backbone()[i].max(MIN_VAL);
    }
    if bare > MIN_VAL { effective / bare } else { 1.0 }
}
