//! Derivatives of the accelerations by which steps advance: M̂ a* = M a, M̂ = M + h D.
//!
//!   M̂ (∂a* − ∂a) = −h D ∂a + ∂M (a − a*) − h ∂D a*.                                          (1)
//! D is constant except for the terms of `implicit` and, under `implicit` (and for isolated free
//! bodies under `implicitfast`), the derivative ∂c/∂v of the bias.

use super::factor::Factor;
use super::implicit::{Implicit as Product, Scheme};
use super::inertia::{Products, add_dense};
use super::sweep::Matrices;
use super::{Inexact, Report};
use crate::data::Data;
use crate::dynamics::derivatives::{Damping, calc_dof_damping, has_dof_damping};
use crate::dynamics::tendon_armature;
use crate::model::Model;
use crate::options::{Implicit, ImplicitBias};

/// M̂ and the terms that (1) adds to M ∂a.
#[derive(Clone, Debug, Default)]
pub(super) struct StepMetric {
    pub factor: Factor,
    /// h D = M̂ − M: entries (row, column, value).
    pub change: Vec<(u32, u32, f64)>,
    /// ∂M (a − a*) − h ∂D a* with respect to q and v, nv × nv.
    pub by: Matrices,
    /// The same with respect to activations and controls, nv × (na + nu); empty if zero.
    pub by_input: Vec<f64>,
    /// a*.
    pub a_step: Vec<f64>,
    /// M̂: in the pattern of M, or dense.
    matrix: Vec<f64>,
    damping: Damping,
    dof: Vec<f64>,
    products: Products,
    pub implicit: Product,
    /// a − a*.
    difference: Vec<f64>,
}

impl StepMetric {
    /// Computes everything; None if M̂ = M.
    pub fn update(&mut self, model: &Model, data: &Data, report: &mut Report) -> Option<&mut Self> {
        let scheme = Scheme::of_step(model).filter(|s| *s != Scheme::Euler || has_dof_damping(model))?;
        self.change.clear();
        match model.options.implicit() {
            Implicit::Damping { bias: ImplicitBias::All } => self.list_damping(model, data, |_| true),
            Implicit::Damping { bias: ImplicitBias::FreeBodies } => self.list_symmetric_damping(model, data),
            _ => self.list_dampers(model, data),
        }
        if !self.factor(model, &data.inertia.M) {
            report.add(Inexact::Model("the effective inertia of the step is singular"));
            return None;
        }
        self.a_step.clear();
        let acceleration = &data.acceleration;
        self.a_step.extend(acceleration.tau_smooth.iter().zip(&acceleration.tau_constraint).map(|(s, c)| s + c));
        self.factor.solve(&mut self.a_step, 1);
        self.set_damping_change(model, data, scheme, report);
        self.difference.clear();
        self.difference.extend(acceleration.a.iter().zip(&self.a_step).map(|(a, step)| a - step));
        self.products.add_inertia(model, data, &self.difference, &mut self.by.q);
        for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t] && tendon_armature(model, t) != 0.0) {
            report.add(Inexact::Tendon(t));
        }
        Some(self)
    }

    /// Factors M̂ = M + change.
    fn factor(&mut self, model: &Model, M: &[f64]) -> bool {
        let (nv, pattern) = (model.size.nv, &model.mass_pattern);
        self.matrix.clear();
        if self.damping_is_general(model) {
            self.matrix.resize(nv * nv, 0.0);
            add_dense(model, M, 1.0, &mut self.matrix);
            for &(i, j, d) in &self.change {
                self.matrix[i as usize * nv + j as usize] += d;
            }
            return self.factor.factor(&self.matrix, nv);
        }
        self.matrix.extend_from_slice(M);
        for &(i, j, d) in self.change.iter().filter(|(i, j, _)| j <= i) {
            let row = pattern.range(i as usize);
            let at = if i == j { row.len() - 1 } else { pattern.col[row.clone()].partition_point(|c| *c < j) };
            self.matrix[row.start + at] += d;
        }
        self.factor.factor_tree(pattern, &self.matrix)
    }

    /// Whether D has entries outside the pattern of M, or is not symmetric.
    fn damping_is_general(&self, model: &Model) -> bool {
        match model.options.implicit() {
            Implicit::Damping { bias: ImplicitBias::All } => true,
            Implicit::Damping { bias: ImplicitBias::FreeBodies } => {
                self.change.iter().any(|(i, ..)| is_alone(model, *i as usize))
            }
            _ => false,
        }
    }

    /// Lists h D of joint dampers.
    fn list_dampers(&mut self, model: &Model, data: &Data) {
        self.dof.resize(model.size.nv, 0.0);
        calc_dof_damping(model, data, &mut self.dof);
        let h = model.options.timestep;
        self.change.extend(self.dof.iter().enumerate().map(|(i, d)| (i as u32, i as u32, h * d)));
    }

    fn push(&mut self, i: usize, j: usize, d: f64) {
        if d != 0.0 {
            self.change.push((i as u32, j as u32, d));
        }
    }

    /// Lists h D for the trees that `chosen` accepts, including the bias in D.
    fn list_damping(&mut self, model: &Model, data: &Data, chosen: impl Fn(usize) -> bool) {
        let (nv, h) = (model.size.nv, model.options.timestep);
        self.damping.update(model, data, &chosen);
        for i in (0..nv).filter(|&i| chosen(model.dofs.tree[i].idx())) {
            for k in self.damping.tree.range(i) {
                let j = self.damping.tree.col[k] as usize;
                self.push(i, j, h * self.damping.D.lower[k]);
                if j != i {
                    self.push(j, i, h * self.damping.D.upper[k]);
                }
            }
        }
    }

    /// Lists h (D + Dᵀ)/2 within the pattern of M, and h D for isolated free bodies.
    fn list_symmetric_damping(&mut self, model: &Model, data: &Data) {
        let (nv, half) = (model.size.nv, 0.5 * model.options.timestep);
        self.list_damping(model, data, |t| model.stands_alone(t));
        let pattern = &model.mass_pattern;
        for i in (0..nv).filter(|&i| !is_alone(model, i)) {
            let row = pattern.range(i);
            let start = self.damping.tree.range(i).end - row.len();
            for (k, at) in row.enumerate() {
                let (j, D) = (pattern.col[at] as usize, &self.damping.D);
                if j == i {
                    self.push(i, i, 2.0 * half * D.lower[start + k]);
                } else {
                    let d = half * (D.lower[start + k] + D.upper[start + k]);
                    self.push(i, j, d);
                    self.push(j, i, d);
                }
            }
        }
    }

    /// −h ∂D a*.
    fn set_damping_change(&mut self, model: &Model, data: &Data, scheme: Scheme, report: &mut Report) {
        self.implicit.update(model, data, &self.a_step, scheme, report);
        let Product { out, by_input, .. } = &self.implicit;
        let by = [(&mut self.by.q, &out.q), (&mut self.by.v, &out.v), (&mut self.by_input, by_input)];
        for (target, source) in by {
            target.clear();
            target.extend(source.iter().map(|x| -x));
        }
        let chosen = |i: usize| model.has_implicit_bias(model.dofs.tree[i].idx());
        if (0..model.size.nv).any(chosen) {
            let h = model.options.timestep;
            self.products.add_bias(model, data, &self.a_step, chosen, -h, &mut self.by);
        }
    }
}

/// Whether dof `i` belongs to an isolated free body.
fn is_alone(model: &Model, i: usize) -> bool {
    model.stands_alone(model.dofs.tree[i].idx())
}
