//! The accelerations by which steps advance: M̂ a* = M a, M̂ = M + h D, and their derivatives.
//!
//!   M̂ (∂a* − ∂a) = −h D ∂a + ∂M (a − a*) − h ∂D a*.                                                               (1)
//! D is constant but for what `implicit` knows and, under `implicit` (and for free bodies that stand alone under
//! `implicitfast`), the derivative ∂c/∂v of the bias.

use super::factor::Factor;
use super::implicit::{Implicit, Scheme};
use super::inertia::Products;
use super::sweep::Sweep;
use super::{Inexact, Report};
use crate::data::Data;
use crate::dynamics::derivatives::{Damping, calc_dof_damping, has_dof_damping};
use crate::dynamics::tendon_armature;
use crate::integrate::stands_alone;
use crate::model::Model;
use crate::options::{Disable, Integrator};

/// M̂ and what (1) adds to M ∂a.
#[derive(Clone, Debug, Default)]
pub(super) struct StepMetric {
    /// Whether M̂ differs from M.
    pub active: bool,
    pub factor: Factor,
    /// h D = M̂ − M: entries (row, column, value).
    pub change: Vec<(u32, u32, f64)>,
    /// ∂M (a − a*) − h ∂D a* by q and v · nv × nv.
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
    /// The same by activations and controls · nv × (na + nu), if there is any.
    pub by_input: Vec<f64>,
    a_step: Vec<f64>,
    damping: Damping,
    dof: Vec<f64>,
    products: Products,
    pub implicit: Implicit,
    /// a − a*, or M̂ − M.
    difference: Vec<f64>,
}

impl StepMetric {
    /// Fills everything; where M̂ = M only the flag.
    pub fn update(&mut self, model: &Model, data: &Data, sweep: &mut Sweep, report: &mut Report) {
        let nv = model.size.nv;
        let off = model.options.disable;
        self.active = match model.options.scheme() {
            Integrator::Euler => !off.has(Disable::EULERDAMP) && !off.has(Disable::DAMPER) && has_dof_damping(model),
            Integrator::Implicit | Integrator::ImplicitFast => true,
            _ => false,
        };
        if !self.active {
            return;
        }
        self.factor.A.clear();
        self.factor.A.resize(nv * nv, 0.0);
        super::add_inertia(model, &data.position.M, 1.0, &mut self.factor.A);
        match model.options.scheme() {
            Integrator::Implicit => self.add_damping(model, data, |_| true),
            Integrator::ImplicitFast => self.add_symmetric_damping(model, data),
            _ => {
                self.dof.resize(nv, 0.0);
                calc_dof_damping(model, data, &mut self.dof);
                for (i, d) in self.dof.iter().enumerate() {
                    self.factor.A[i * nv + i] += model.options.timestep * d;
                }
            }
        }
        self.list_change(model, data);
        if !self.factor.factor(nv) {
            report.add(Inexact::Model("the effective inertia of the step is singular"));
            self.active = false;
            return;
        }
        self.a_step.clear();
        let acceleration = &data.acceleration;
        self.a_step.extend(acceleration.tau_smooth.iter().zip(&acceleration.tau_constraint).map(|(s, c)| s + c));
        self.factor.solve(&mut self.a_step, 1);
        for x in [&mut self.by_q, &mut self.by_v] {
            x.clear();
            x.resize(nv * nv, 0.0);
        }
        self.difference.clear();
        self.difference.extend(acceleration.a.iter().zip(&self.a_step).map(|(a, step)| a - step));
        self.products.add_inertia(model, data, sweep, &self.difference, &mut self.by_q);
        self.add_damping_change(model, data, sweep, report);
        for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t] && tendon_armature(model, t) != 0.0) {
            report.add(Inexact::Tendon(t));
        }
    }

    /// The acceleration of the step, where it differs from that of the dynamics.
    pub fn a_step(&self) -> &[f64] {
        &self.a_step
    }

    /// Lists what M̂ has more than M.
    fn list_change(&mut self, model: &Model, data: &Data) {
        let (nv, pattern) = (model.size.nv, &model.mass_pattern);
        self.difference.clear();
        self.difference.extend_from_slice(&self.factor.A);
        for i in 0..nv {
            for k in pattern.range(i) {
                let j = pattern.col[k] as usize;
                self.difference[i * nv + j] -= data.position.M[k];
                if i != j {
                    self.difference[j * nv + i] -= data.position.M[k];
                }
            }
        }
        self.change.clear();
        for (k, x) in self.difference.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            self.change.push(((k / nv) as u32, (k % nv) as u32, *x));
        }
    }

    /// A += h D for the trees that `chosen` accepts, D with the bias.
    fn add_damping(&mut self, model: &Model, data: &Data, chosen: impl Fn(usize) -> bool) {
        let (nv, h) = (model.size.nv, model.options.timestep);
        self.damping.update(model, data, &chosen);
        for i in (0..nv).filter(|&i| chosen(model.dofs.tree[i].idx())) {
            for k in self.damping.tree.range(i) {
                let j = self.damping.tree.col[k] as usize;
                self.factor.A[i * nv + j] += h * self.damping.D.lower[k];
                if j != i {
                    self.factor.A[j * nv + i] += h * self.damping.D.upper[k];
                }
            }
        }
    }

    /// A += h (D + Dᵀ)/2 inside the pattern of M, and h D for free bodies that stand alone.
    fn add_symmetric_damping(&mut self, model: &Model, data: &Data) {
        let (nv, half) = (model.size.nv, 0.5 * model.options.timestep);
        self.add_damping(model, data, |t| stands_alone(model, t));
        let (pattern, Damping { tree, D, .. }) = (&model.mass_pattern, &self.damping);
        for i in (0..nv).filter(|&i| !stands_alone(model, model.dofs.tree[i].idx())) {
            let row = pattern.range(i);
            let start = tree.range(i).end - row.len();
            for (k, at) in row.enumerate() {
                let j = pattern.col[at] as usize;
                if j == i {
                    self.factor.A[i * nv + i] += 2.0 * half * D.lower[start + k];
                } else {
                    let d = half * (D.lower[start + k] + D.upper[start + k]);
                    self.factor.A[i * nv + j] += d;
                    self.factor.A[j * nv + i] += d;
                }
            }
        }
    }

    /// −h ∂D a*.
    fn add_damping_change(&mut self, model: &Model, data: &Data, sweep: &mut Sweep, report: &mut Report) {
        let integrator = model.options.scheme();
        let scheme = if integrator == Integrator::Euler { Scheme::Euler } else { Scheme::Damped };
        self.implicit.update((model, data), &self.a_step, scheme, report);
        let subtract = |t: &mut [f64], x: &[f64]| t.iter_mut().zip(x).for_each(|(t, x)| *t -= x);
        subtract(&mut self.by_q, &self.implicit.out.q);
        subtract(&mut self.by_v, &self.implicit.out.v);
        self.by_input.clear();
        self.by_input.extend(self.implicit.by_input.iter().map(|x| -x));
        let chosen = |i: usize| match integrator {
            Integrator::Implicit => true,
            Integrator::ImplicitFast => stands_alone(model, model.dofs.tree[i].idx()),
            _ => false,
        };
        if (0..model.size.nv).any(chosen) {
            let (h, by) = (model.options.timestep, (&mut self.by_q[..], &mut self.by_v[..]));
            self.products.add_bias((model, data), sweep, (&self.a_step, chosen), -h, by);
        }
    }
}
