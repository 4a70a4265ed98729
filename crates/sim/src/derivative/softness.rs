//! Under discrete steps the softness of the soft law's rows follows the metric: 1/D is scaled by
//!   (Σ J²/M̂ᵢᵢ)/(Σ J²/Mᵢᵢ),                                                                                         (1)
//! J being the row, of contacts the first. Forces are homogeneous in D, so that ID changes by −Jᵀ f ∂ log D (of contacts also
//! by what adhesion does to their references), and
//!   ∂ log D = Σ (2 J ∂J/M − J² ∂M/M²)/b − Σ (2 J ∂J/M̂ − J² ∂M̂/M̂²)/e,   b = Σ J²/M,   e = Σ J²/M̂,                    (2)
//! where Σ w ∂J is the derivative of J w at constant w, and as I^c behind dof k moves with it
//!   ∂M_cc/∂q_k = −2 (S_k × S_c) · I^c_k S_c   for k behind the block of c.

use super::chain::{At, Chain};
use super::contact::softness::{add_hardened, for_each_row_change};
use super::equality;
use super::implicit::Implicit;
use super::response::Answers;
use super::rows::{ball_limit_change, polynomial_slopes, tendon_sign};
use super::sweep::{Ancestors, Matrices};
use super::tendon::for_each_jacobian_change;
use super::{Inexact, Report};
use crate::constraint::is_scaled_by_step;
use crate::data::{Block, Data, RowKind};
use crate::dynamics::tendon_armature;
use crate::model::Model;
use crate::model::kinds::{EqualityType, JointKind};
use crate::options::law::Law;
use crate::options::{Enable, Integrator};
use saltus_math::{MIN_VAL, Vec3};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Softness {
    ancestors: Ancestors,
    implicit: Implicit,
    /// ∂M_cc/∂q_k · nv × nv.
    inertia: Vec<f64>,
    row: Row,
    /// The motions that the weights of ∂J make.
    chain: Chain,
    /// ∂ log D by q, v, and activations and controls.
    by_q: Vec<f64>,
    by_v: Vec<f64>,
    by_input: Vec<f64>,
}

/// A row, by dofs: what (2) has of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// ∂(Jᵀ f)/∂ log D.
    pub force: Vec<f64>,
    /// ∂ log D by J, M and M̂.
    pub by_J: Vec<f64>,
    pub by_M: Vec<f64>,
    pub by_hat: Vec<f64>,
}

/// Whether rows follow the metric here.
pub(super) fn is_active(model: &Model, data: &Data) -> bool {
    model.options.laws.law == Law::Soft
        && model.options.scheme() == Integrator::Discrete
        && !model.options.enable.has(Enable::DIAGEXACT)
        && !data.constraints.is_empty()
        && is_scaled_by_step(model, &data.inertia)
}

/// Where ∂ID goes: by q and v, and by activations and controls · nv × (na + nu), which may be empty.
pub(super) struct Target<'a> {
    pub slopes: &'a mut Matrices,
    pub by_input: &'a mut Vec<f64>,
}

/// A row of a block, of contacts the first.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub block: &'a Block,
    pub row: usize,
}

/// Rows whose softness is of their own: all, of contacts the first.
pub(super) fn rows_of(block: &Block) -> core::ops::Range<usize> {
    let contact = block.kind as i32 >= RowKind::ContactFrictionless as i32;
    0..if contact { 1 } else { block.rows.len as usize }
}

impl Softness {
    /// Adds everything.
    pub fn add(&mut self, at: At<'_>, answers: &Answers<'_>, target: Target<'_>, report: &mut Report) {
        let At { model, data, .. } = at;
        if !is_active(model, data) {
            return;
        }
        for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t] && tendon_armature(model, t) != 0.0) {
            report.add(Inexact::Tendon(t));
        }
        let (nv, width) = (model.size.nv, model.size.na + model.size.nu);
        let Target { slopes: out, by_input } = target;
        self.update_inertia(at);
        self.implicit.update_diagonal(at);
        if !self.implicit.by_input.is_empty() {
            by_input.resize(nv * width, 0.0);
        }
        for block in &data.constraints.blocks {
            for row in rows_of(block) {
                let place = Place { block, row };
                if !self.row.update(at, answers, place) {
                    continue;
                }
                self.update_change(at, place);
                for (i, f) in self.row.force.iter().enumerate().filter(|(_, f)| **f != 0.0) {
                    subtract(&mut out.q[i * nv..(i + 1) * nv], *f, &self.by_q);
                    subtract(&mut out.v[i * nv..(i + 1) * nv], *f, &self.by_v);
                    if let Some(line) = by_input.get_mut(i * width..(i + 1) * width) {
                        subtract(line, *f, &self.by_input);
                    }
                }
            }
        }
    }

    fn update_inertia(&mut self, At { model, data, chain }: At<'_>) {
        let (nv, position) = (model.size.nv, &data.position);
        let tree = self.ancestors.of(model);
        self.inertia.clear();
        self.inertia.resize(nv * nv, 0.0);
        for k in 0..nv {
            let (S, I) = (position.S[k], &position.I_composite[model.dofs.body[k].idx()]);
            for c in tree.range(k).map(|i| tree.col[i] as usize) {
                if chain.block[c] != chain.block[k] {
                    let axis = position.S[c];
                    self.inertia[c * nv + k] = -2.0 * S.cross_motion(axis).dot(I.mul(axis));
                }
            }
        }
    }

    /// (2).
    fn update_change(&mut self, at: At<'_>, place: Place<'_>) {
        let (nv, width) = (at.model.size.nv, at.model.size.na + at.model.size.nu);
        for (x, n) in [(&mut self.by_q, nv), (&mut self.by_v, nv), (&mut self.by_input, width)] {
            x.clear();
            x.resize(n, 0.0);
        }
        for &c in &at.data.constraints.col[place.block.cols.range()] {
            let c = c as usize;
            let (of_M, of_hat) = (self.row.by_M[c], self.row.by_hat[c]);
            let (own, implicit) = (c * nv..(c + 1) * nv, &self.implicit);
            subtract(&mut self.by_q, -(of_M + of_hat), &self.inertia[own.clone()]);
            subtract(&mut self.by_q, -of_hat, &implicit.out.q[own.clone()]);
            subtract(&mut self.by_v, -of_hat, &implicit.out.v[own]);
            if let Some(by_input) = implicit.by_input.get(c * width..(c + 1) * width) {
                subtract(&mut self.by_input, -of_hat, by_input);
            }
        }
        self.add_row_change(at, place);
    }

    /// Σ w ∂J.
    fn add_row_change(&mut self, at: At<'_>, Place { block, row }: Place<'_>) {
        let At { model, data, .. } = at;
        let (id, w) = (block.id as usize, &self.row.by_J);
        let by_q = &mut self.by_q;
        match block.kind {
            RowKind::ContactFrictionless | RowKind::ContactPyramidal | RowKind::ContactElliptic => {
                self.chain.update(model, &data.position.S, w, w, false);
                for_each_row_change(At { chain: &self.chain, ..at }, block, |k, change| by_q[k] += change);
            }
            RowKind::Equality => match model.equalities.kind[id] {
                EqualityType::Connect | EqualityType::Weld => {
                    self.chain.update(model, &data.position.S, w, w, false);
                    let at = At { chain: &self.chain, ..at };
                    equality::for_each_row_change(at, block, |k, change| by_q[k] += change[row / 3][row % 3]);
                }
                EqualityType::Joint => {
                    if let Some(x) = model.equalities.object2[id].map(|j| j as usize) {
                        let (i, d) = (model.joints.q_start[x] as usize, model.joints.dof_start[x] as usize);
                        let stretch = data.state.q[i] - model.q0[i];
                        by_q[d] -= w[d] * polynomial_slopes(&model.equalities.data[id], stretch).1;
                    }
                }
                EqualityType::Tendon => add_tendons(at, id, w, by_q),
            },
            RowKind::LimitJoint if model.joints.kind[id] == JointKind::Ball => {
                let d = model.joints.dof_start[id] as usize;
                let change = ball_limit_change(model, data, id).tmul(Vec3::from_slice(&w[d..]));
                by_q[d..d + 3].iter_mut().zip(change.to_array()).for_each(|(x, change)| *x += change);
            }
            RowKind::FrictionDof | RowKind::LimitJoint => {}
            RowKind::FrictionTendon => add_tendon(at, id, 1.0, w, by_q),
            RowKind::LimitTendon => add_tendon(at, id, tendon_sign(model, data, block), w, by_q),
        }
    }
}

impl Row {
    /// Fills everything; false where the softness does not change, or does not matter.
    pub fn update(&mut self, at: At<'_>, answers: &Answers<'_>, place: Place<'_>) -> bool {
        let At { model, data, .. } = at;
        for x in [&mut self.force, &mut self.by_J, &mut self.by_M, &mut self.by_hat] {
            x.clear();
            x.resize(model.size.nv, 0.0);
        }
        self.update_force(at, answers, place);
        self.force.iter().any(|f| *f != 0.0) && self.update_slopes(model, data, place)
    }

    fn update_force(&mut self, at: At<'_>, answers: &Answers<'_>, place: Place<'_>) {
        let (Place { block, row }, rows) = (place, &at.data.constraints);
        let f = match block.kind {
            RowKind::ContactFrictionless | RowKind::ContactPyramidal | RowKind::ContactElliptic => {
                return add_hardened(at, answers, block, &mut self.force);
            }
            RowKind::Equality if block.rows.len > 1 => {
                let (main, _) = answers.frames(block);
                main.force[row / 3][row % 3]
            }
            _ => {
                let (f, stiffness) = answers.row(block);
                // Dry friction that slips has its largest force.
                if stiffness.acceleration == 0.0 { 0.0 } else { f }
            }
        };
        for (&c, J) in rows.col[block.cols.range()].iter().zip(&rows.J[block.row_values(row)]) {
            self.force[c as usize] += J * f;
        }
    }

    /// The slopes of (2); false where the metric is the inertia.
    fn update_slopes(&mut self, model: &Model, data: &Data, Place { block, row }: Place<'_>) -> bool {
        let (rows, inertia) = (&data.constraints, &data.inertia);
        let (cols, J) = (&rows.col[block.cols.range()], &rows.J[block.row_values(row)]);
        let diagonals = |c: u32| {
            let i = model.mass_pattern.diag(c as usize);
            [inertia.M[i].max(MIN_VAL), inertia.backbone()[i].max(MIN_VAL)]
        };
        let [mut bare, mut effective] = [0.0; 2];
        for (&c, J) in cols.iter().zip(J) {
            let [M, M_hat] = diagonals(c);
            bare += J * J / M;
            effective += J * J / M_hat;
        }
        if bare <= MIN_VAL {
            return false;
        }
        for (&c, J) in cols.iter().zip(J) {
            let ([M, M_hat], c) = (diagonals(c), c as usize);
            self.by_J[c] = 2.0 * J * (1.0 / (M * bare) - 1.0 / (M_hat * effective));
            self.by_M[c] = -J * J / (M * M * bare);
            self.by_hat[c] = J * J / (M_hat * M_hat * effective);
        }
        true
    }
}

/// by_q += scale Σ w ∂J of a tendon.
fn add_tendon(at: At<'_>, t: usize, scale: f64, w: &[f64], by_q: &mut [f64]) {
    if at.model.tendons.spatial[t] {
        for_each_jacobian_change(at, t, |j, k, change| by_q[k] += scale * w[j] * change);
    }
}

/// The same of an equality: ∂J = ∂J_y − p' ∂J_x − p'' J_xᵀ J_x.
fn add_tendons(at: At<'_>, e: usize, w: &[f64], by_q: &mut [f64]) {
    let At { model, data, .. } = at;
    add_tendon(at, model.equalities.object1[e] as usize, 1.0, w, by_q);
    let Some(x) = model.equalities.object2[e].map(|t| t as usize) else { return };
    let stretch = data.position.tendon_length[x] - model.tendons.length0[x];
    let (slope, curvature) = polynomial_slopes(&model.equalities.data[e], stretch);
    add_tendon(at, x, -slope, w, by_q);
    let span = model.tendons.jac[x].range();
    let (cols, J) = (&model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span]);
    let along: f64 = cols.iter().zip(J).map(|(&c, J)| J * w[c as usize]).sum();
    cols.iter().zip(J).for_each(|(&c, J)| by_q[c as usize] -= curvature * along * J);
}

/// target −= s · source.
fn subtract(target: &mut [f64], s: f64, source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(t, x)| *t -= s * x);
}
