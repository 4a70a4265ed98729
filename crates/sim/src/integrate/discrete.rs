//! Implicit in position and velocity, inside the constraint solve.
//!
//! The step's acceleration a = (v⁺ − v)/h solves
//!   M̂ a = τ_smooth − h K v + Jᵀ f,   M̂ = M + h D + h² K,                                                        (1)
//! with D and K the damping and stiffness of joints, tendons, actuators and the medium's drag, each term clamped to the
//! sign that keeps M̂ positive definite. The solver works in the metric M̂, and integration is v⁺ = v + h a.
//!
//! Terms inside the sparsity of M (joints, drag, tendons and actuators along one chain) join its factorization; the
//! others, w rᵀ r each, are solved for by Woodbury's identity: with U = √W R and P the part that is factored,
//!   (P + Uᵀ U)⁻¹ b = y − P⁻¹ Uᵀ (1 + U P⁻¹ Uᵀ)⁻¹ U y,   y = P⁻¹ b.                                               (2)
//!
//! A free body that stands alone, and that no constraint, tendon or actuator in the metric acts on, also gets its
//! gyroscopic derivative B = ∂c/∂v, which is not symmetric, after the solve:
//!   (M̂ + h B) a' = M̂ a on its 6×6 block.                                                                        (3)

use super::Workspace;
use super::advance::advance as advance_by;
use super::implicit::{solve6, stands_alone};
use crate::actuation::calc_slope;
use crate::data::{Data, Metric, MetricTerm};
use crate::dynamics::derivatives::{Damping, calc_dof_damping};
use crate::dynamics::passive::{calc_dof_stiffness, is_stretched, tendon_damper, tendon_spring, tendon_stretch};
use crate::ids::Span;
use crate::model::Model;
use crate::options::{Disable, Implicit};
use saltus_math::{MIN_VAL, ldl};

/// Fills `data.position.metric`. Needs the velocity stage and actuation.
pub(crate) fn update_metric(model: &Model, data: &mut Data) {
    let mut work = core::mem::take(&mut data.scratch.integrate);
    let mut metric = core::mem::take(&mut data.position.metric);
    metric.fit(model);
    metric.M.copy_from_slice(&data.position.M);
    add_dofs(model, data, &mut metric, &mut work.dof_damping);
    add_drag(model, data, &mut metric, &mut work.damping);
    metric.backbone.clear();
    metric.backbone.extend_from_slice(&metric.M);
    if model.options.implicit() == (Implicit::Discrete { lengths: true }) {
        add_tendons(model, data, &mut metric);
        add_actuators(model, data, &mut metric);
    }
    metric.fill_backbone_diagonal(model);
    metric.is_factored = false;
    data.scratch.integrate = work;
    data.position.metric = metric;
}

/// One step: the acceleration is that of the step already.
pub(super) fn advance(model: &Model, data: &mut Data, work: &mut Workspace) {
    work.a_step.copy_from_slice(&data.acceleration.a);
    advance_by(model, data, &work.a_step, None, None);
}

/// x ← M̂⁻¹ x. Needs the metric, which is factored when this is first asked for: inverse dynamics rarely does.
pub(crate) fn solve(model: &Model, data: &mut Data, x: &mut [f64]) {
    let metric = &mut data.position.metric;
    if !metric.is_factored {
        metric.LD.copy_from_slice(&metric.M);
        ldl::factor(&model.mass_pattern, &mut metric.LD, &mut metric.D_inv, MIN_VAL);
        data.scratch.integrate.woodbury.factor(model, metric);
        metric.is_factored = true;
    }
    ldl::solve(&model.mass_pattern, &metric.LD, &metric.D_inv, x);
    data.scratch.integrate.woodbury.correct(metric, x);
}

/// y = M̂ x. Needs the metric.
pub(crate) fn mul(model: &Model, metric: &Metric, x: &[f64], y: &mut [f64]) {
    ldl::mul(&model.mass_pattern, &metric.M, x, y);
    for term in &metric.terms {
        let (col, value) = (&metric.col[term.span.range()], &metric.value[term.span.range()]);
        let s: f64 = term.weight * col.iter().zip(value).map(|(&i, r)| r * x[i as usize]).sum::<f64>();
        for (&i, r) in col.iter().zip(value) {
            y[i as usize] += s * r;
        }
    }
}

impl Metric {
    fn fit(&mut self, model: &Model) {
        let nv = model.size.nv;
        self.M.resize(model.mass_pattern.nnz(), 0.0);
        self.LD.resize(model.mass_pattern.nnz(), 0.0);
        self.D_inv.resize(nv, 0.0);
        self.shift.clear();
        self.shift.resize(nv, 0.0);
        self.coupled.clear();
        self.coupled.resize(model.trees.dofs.len(), false);
        self.clear_terms();
    }
    fn clear_terms(&mut self) {
        self.terms.clear();
        self.col.clear();
        self.value.clear();
    }
    /// The backbone has all of the diagonal of M̂.
    fn fill_backbone_diagonal(&mut self, model: &Model) {
        let pattern = &model.mass_pattern;
        for i in 0..model.size.nv {
            self.backbone[pattern.diag(i)] = self.M[pattern.diag(i)];
        }
        for term in &self.terms {
            for (&i, r) in self.col[term.span.range()].iter().zip(&self.value[term.span.range()]) {
                self.backbone[pattern.diag(i as usize)] += term.weight * r * r;
            }
        }
    }
    /// Forgets everything, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.clear_terms();
        for x in [&mut self.M, &mut self.backbone, &mut self.LD, &mut self.D_inv, &mut self.shift] {
            x.clear();
        }
    }

    /// Adds stiffness k and damping b along the row r of length rate `rate`: (h b + h² k) rᵀ r to M̂, h k r · rate to the
    /// shift. Negative k or b count as zero.
    fn add_row(&mut self, model: &Model, (k, b): (f64, f64), rate: f64, cols: &[u32], values: &[f64]) {
        let (h, k, b) = (model.options.timestep, k.max(0.0), b.max(0.0));
        let weight = h * b + h * h * k;
        if weight <= 0.0 || weight.is_nan() {
            return;
        }
        for (&i, r) in cols.iter().zip(values) {
            self.shift[i as usize] += h * k * rate * r;
            self.coupled[model.dofs.tree[i as usize].idx()] |= *r != 0.0;
        }
        let pattern = &model.mass_pattern;
        let row = |i: u32| &pattern.col[pattern.range(i as usize)];
        let moving = || cols.iter().zip(values).filter(|(_, r)| **r != 0.0).map(|(&i, _)| i);
        // Inside the pattern if the last dof has all others as ancestors.
        let inside = moving().next_back().is_none_or(|last| moving().all(|i| row(last).binary_search(&i).is_ok()));
        if inside {
            for (&i, &ri) in cols.iter().zip(values).filter(|(_, r)| **r != 0.0) {
                for k in pattern.range(i as usize) {
                    if let Ok(at) = cols.binary_search(&pattern.col[k]) {
                        self.M[k] += weight * ri * values[at];
                    }
                }
            }
        } else {
            self.terms.push(MetricTerm { weight, span: Span::new(self.col.len(), cols.len()) });
            self.col.extend_from_slice(cols);
            self.value.extend_from_slice(values);
        }
    }
}

fn add_dofs(model: &Model, data: &Data, metric: &mut Metric, slope: &mut Vec<f64>) {
    let (h, off) = (model.options.timestep, model.options.disable);
    slope.resize(model.size.nv, 0.0);
    if !off.has(Disable::DAMPER) {
        calc_dof_damping(model, data, slope);
        for (i, b) in slope.iter().enumerate() {
            metric.M[model.mass_pattern.diag(i)] += h * b.max(0.0);
        }
    }
    if !off.has(Disable::SPRING) {
        calc_dof_stiffness(model, &data.state.q, slope);
        for (i, k) in slope.iter().enumerate() {
            let k = k.max(0.0);
            metric.M[model.mass_pattern.diag(i)] += h * h * k;
            metric.shift[i] += h * k * data.state.v[i];
        }
    }
}

/// The symmetric part of the drag of the medium.
fn add_drag(model: &Model, data: &Data, metric: &mut Metric, damping: &mut Damping) {
    if !damping.update_drag(model, data) {
        return;
    }
    let half = 0.5 * model.options.timestep;
    for i in 0..model.size.nv {
        let row = model.mass_pattern.range(i);
        let start = damping.tree.range(i).end - row.len();
        for (k, x) in metric.M[row].iter_mut().enumerate() {
            *x += half * (damping.D.lower[start + k] + damping.D.upper[start + k]);
        }
    }
}

fn add_tendons(model: &Model, data: &Data, metric: &mut Metric) {
    let off = model.options.disable;
    for t in 0..model.ntendon() {
        let rate = data.velocity.tendon_velocity[t];
        let stretch = tendon_stretch(model, t, data.position.tendon_length[t]);
        let spring = !off.has(Disable::SPRING) && is_stretched(model, t, data.position.tendon_length[t]);
        let k = if spring { tendon_spring(model, t).spring_slope(stretch) } else { 0.0 };
        let b = if off.has(Disable::DAMPER) { 0.0 } else { tendon_damper(model, t).damper_slope(rate) };
        let span = model.tendons.jac[t].range();
        let (cols, jac) = (&model.tendons.jac_col[span.clone()], &data.position.tendon_jac[span]);
        metric.add_row(model, (k, b), rate, cols, jac);
    }
}

fn add_actuators(model: &Model, data: &Data, metric: &mut Metric) {
    for a in 0..model.nactuator() {
        let slope = calc_slope(model, data, a);
        let span = model.actuators.moment[a].range();
        let (cols, moment) = (&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
        metric.add_row(model, (-slope.length, -slope.velocity), data.velocity.actuator_velocity[a], cols, moment);
    }
}

/// Gyroscopic derivatives of free bodies (3), applied to the acceleration that the solver found.
pub(crate) fn add_gyroscopic(model: &Model, data: &mut Data) {
    for_each_free_body(model, data, |_, metric, gyroscopic, a| {
        let force = product(metric, a);
        let block = core::array::from_fn(|i| core::array::from_fn(|j| metric[i][j] + gyroscopic[i][j]));
        if let Some(solution) = solve6(block, &force) {
            a.copy_from_slice(&solution);
        }
    });
}

/// τ += h B a: what (3) adds to the inverse.
pub(crate) fn add_gyroscopic_force(model: &Model, data: &mut Data, tau: &mut [f64]) {
    for_each_free_body(model, data, |first, _, gyroscopic, a| {
        for (tau, force) in tau[first..first + 6].iter_mut().zip(product(gyroscopic, a)) {
            *tau += force;
        }
    });
}

type Block = [[f64; 6]; 6];

fn product(block: &Block, x: &[f64]) -> [f64; 6] {
    core::array::from_fn(|i| block[i].iter().zip(x).map(|(b, x)| b * x).sum())
}

/// Calls `f(first dof, M̂, h B, a)` for each free body that (3) applies to.
fn for_each_free_body(model: &Model, data: &mut Data, mut f: impl FnMut(usize, &Block, &Block, &mut [f64])) {
    let mut work = core::mem::take(&mut data.scratch.integrate);
    find_gyroscopic(model, data, &mut work.gyroscopic);
    if work.gyroscopic.contains(&true) {
        let mut a = core::mem::take(&mut data.acceleration.a);
        work.damping.update_bias(model, data, |t| work.gyroscopic[t]);
        for t in (0..work.gyroscopic.len()).filter(|&t| work.gyroscopic[t]) {
            let dofs = model.trees.dofs[t].range();
            let (metric, gyroscopic) = free_blocks(model, &data.position.metric, &work.damping, dofs.start);
            f(dofs.start, &metric, &gyroscopic, &mut a[dofs]);
        }
        data.acceleration.a = a;
    }
    data.scratch.integrate = work;
}

/// Which trees (3) applies to. Needs the metric.
pub(crate) fn find_gyroscopic(model: &Model, data: &Data, trees: &mut Vec<bool>) {
    trees.clear();
    let coupled = &data.position.metric.coupled;
    trees.extend((0..coupled.len()).map(|t| stands_alone(model, t) && !coupled[t]));
    for &i in &data.constraints.col {
        trees[model.dofs.tree[i as usize].idx()] = false;
    }
}

/// M̂ and h B of the free body whose dofs start at `first`.
fn free_blocks(model: &Model, metric: &Metric, bias: &Damping, first: usize) -> (Block, Block) {
    let (mut M, mut B) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
    let h = model.options.timestep;
    for i in 0..6 {
        for (j, k) in bias.tree.range(first + i).enumerate() {
            B[j][i] = h * bias.D.upper[k];
            B[i][j] = h * bias.D.lower[k];
        }
        for k in model.mass_pattern.range(first + i) {
            let j = model.mass_pattern.col[k] as usize - first;
            (M[i][j], M[j][i]) = (metric.M[k], metric.M[k]);
        }
    }
    (M, B)
}
