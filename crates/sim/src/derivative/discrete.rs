//! Additional terms of inverse dynamics under discrete steps: (M̂ − M) a + h K v + h B a, B = ∂c/∂v
//! for isolated free bodies.

use super::Report;
use super::implicit::{Implicit, Scheme};
use super::inertia::{Products, add_dense};
use super::sweep::Matrices;
use crate::data::Data;
use crate::dynamics::derivatives::Damping;
use crate::dynamics::find_gyroscopic;
use crate::model::Model;

/// ∂((M̂ − M) a) and working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Discrete {
    pub implicit: Implicit,
    products: Products,
    damping: Damping,
    gyroscopic: Vec<bool>,
}

impl Discrete {
    /// Adds all terms at the acceleration of `data`.
    pub fn add(&mut self, model: &Model, data: &Data, out: &mut Matrices, report: &mut Report) {
        let (h, a) = (model.options.timestep, &data.acceleration.a);
        self.implicit.update(model, data, a, Scheme::Discrete { s: true }, report);
        add(&mut out.q, &self.implicit.out.q);
        add(&mut out.v, &self.implicit.out.v);
        add_effective_inertia(model, data, &mut out.a);
        add_dense(model, &data.inertia.M, -1.0, &mut out.a);
        find_gyroscopic(model, data, &mut self.gyroscopic);
        if !self.gyroscopic.contains(&true) {
            return;
        }
        let nv = model.size.nv;
        let chosen = |i: usize| self.gyroscopic[model.dofs.tree[i].idx()];
        self.damping.update_bias(model, data, |t| self.gyroscopic[t]);
        for i in (0..nv).filter(|&i| chosen(i)) {
            for k in self.damping.tree.range(i) {
                let j = self.damping.tree.col[k] as usize;
                out.a[i * nv + j] += h * self.damping.D.lower[k];
                if j != i {
                    out.a[j * nv + i] += h * self.damping.D.upper[k];
                }
            }
        }
        self.products.add_bias(model, data, a, chosen, h, out);
    }

    /// Adds ∂(M x) at constant x.
    pub fn add_inertia_product(&mut self, model: &Model, data: &Data, x: &[f64], out: &mut Matrices) {
        self.products.add_inertia(model, data, x, &mut out.q);
    }

    /// Adds ∂(M̂ x) at constant x; `by_input` holds the derivatives with respect to activations and
    /// controls.
    pub fn add_product(&mut self, model: &Model, data: &Data, x: &[f64], out: &mut Matrices, report: &mut Report) {
        self.add_inertia_product(model, data, x, out);
        self.implicit.update(model, data, x, Scheme::Discrete { s: false }, report);
        add(&mut out.q, &self.implicit.out.q);
        add(&mut out.v, &self.implicit.out.v);
    }
}

fn add(target: &mut [f64], source: &[f64]) {
    target.iter_mut().zip(source).for_each(|(t, x)| *t += x);
}

/// out += M̂.
pub(super) fn add_effective_inertia(model: &Model, data: &Data, out: &mut [f64]) {
    let nv = model.size.nv;
    add_dense(model, data.inertia.of_step().values, 1.0, out);
    for term in data.inertia.terms() {
        for (&i, x) in term.cols.iter().zip(term.values) {
            for (&j, y) in term.cols.iter().zip(term.values) {
                out[i as usize * nv + j as usize] += term.weight * x * y;
            }
        }
    }
}
