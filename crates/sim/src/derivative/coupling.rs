//! Coupling between rows under the invertible law.
//!
//! Impulses are functions of z = J (v + h a + y), where y = M̂⁻¹ Jᵀ p, and p are the slopes of the
//! velocity barriers at J (v + h a): all rows are coupled. The rest of `derivative` holds y
//! constant: rows use a' = a + y/h. The remaining terms are
//!   ∂τ += W ∂y,   M̂ ∂y = −∂N,   N = M̂ y − Jᵀ p at constant y,                              (1)
//! with h W = Jᵀ C J, the contribution of rows to ∂τ/∂a. N has the form of an equation of motion,
//! with forces p.

use super::chain::{At, Chain};
use super::contact::Changes;
use super::discrete::{Discrete, add_effective_inertia};
use super::equation::Sums;
use super::factor::Factor;
use super::inertia::add_dense;
use super::response::Answers;
use super::sweep::{Matrices, Sweep};
use super::tendon::Tendons;
use super::terms::Terms;
use super::{DerivativeError, Inexact, Report};
use super::{contact, rows};
use crate::data::Data;
use crate::dynamics::tendon_armature;
use crate::law::invertible::Linear;
use crate::model::Model;
use crate::options::Integrator;
use crate::options::law::Law;

/// Linearization of the law at the current acceleration, and working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Coupling {
    /// Whether the law is the invertible one, and whether its rows are coupled.
    pub is_invertible: bool,
    pub active: bool,
    law: Linear,
    pub y: Vec<f64>,
    /// a'.
    pub a: Vec<f64>,
    /// M̂, nv × nv, and its factors.
    matrix: Vec<f64>,
    factor: Factor,
    /// M̂⁻¹ W, a row of its transpose, and its product with ∂N/∂a.
    share: Vec<f64>,
    weights: Vec<f64>,
    line: Vec<f64>,
    /// ∂N; with respect to v without the contribution of rows, which is ∂N/∂a over h because rows
    /// depend on v + h a.
    N: Matrices,
    /// With respect to activations and controls, nv × (na + nu); empty if zero.
    by_input: Vec<f64>,
    discrete: Discrete,
    pub chain: Chain,
    sweep: Sweep,
    terms: Terms,
    tendons: Tendons,
}

impl Coupling {
    /// Computes y and the rows' responses.
    pub fn update(&mut self, model: &Model, data: &Data) -> Result<(), DerivativeError> {
        self.is_invertible = model.options.laws.law == Law::Invertible && !data.constraints.is_empty();
        self.active = false;
        self.by_input.clear();
        if !self.is_invertible {
            return Ok(());
        }
        let (nv, a, h) = (model.size.nv, &data.acceleration.a, model.options.timestep);
        self.law.update_barrier(model, data, a);
        self.active = self.law.is_coupled();
        if !self.active {
            self.a.clone_from(a);
            self.law.update_response(model, data, a);
            return Ok(());
        }
        self.matrix.clear();
        self.matrix.resize(nv * nv, 0.0);
        if is_discrete(model) {
            add_effective_inertia(model, data, &mut self.matrix);
        } else {
            add_dense(model, &data.inertia.M, 1.0, &mut self.matrix);
        }
        if !self.factor.factor(&self.matrix, nv) {
            return Err(DerivativeError::Unsupported("where the inertia is singular"));
        }
        self.y.clear();
        self.y.resize(nv, 0.0);
        data.constraints.add_transposed(self.law.p(), &mut self.y);
        self.factor.solve(&mut self.y, 1);
        self.a.clear();
        self.a.extend(a.iter().zip(&self.y).map(|(a, y)| a + y / h));
        self.law.update_response(model, data, &self.a);
        Ok(())
    }

    /// Responses of the rows at constant y.
    pub fn answers<'a>(&'a self, model: &'a Model, data: &'a Data) -> Answers<'a> {
        Answers::of_invertible(model, data, &self.law, &self.a)
    }

    /// Responses of the barriers at the acceleration itself.
    pub fn barriers<'a>(&'a self, model: &'a Model, data: &'a Data) -> Answers<'a> {
        Answers::of_barriers(model, data, &self.law)
    }

    /// Sums of the barriers' forces, computed by [`add`](Self::add).
    pub fn sums(&self) -> Sums<'_> {
        Sums { sweep: &self.sweep, terms: &self.terms, tendons: &self.tendons }
    }

    /// Tendon terms of M̂ y.
    pub fn implicit_tendons(&self) -> &Tendons {
        &self.discrete.implicit.tendons
    }

    /// Adds (1) for one column `dN`. Call after [`add`](Self::add).
    pub fn add_column(&self, dN: &[f64], column: &mut [f64]) {
        let rows = self.share.chunks_exact(column.len().max(1));
        for (row, x) in rows.zip(dN).filter(|(_, x)| **x != 0.0) {
            column.iter_mut().zip(row).for_each(|(c, share)| *c -= share * x);
        }
    }

    /// Adds (1) to `out`; `rows` is h W, `geometry` contains the derivatives of contact geometry.
    pub fn add(
        &mut self,
        model: &Model,
        data: &Data,
        rows: &[f64],
        geometry: &mut Vec<Changes>,
        out: &mut Matrices,
        report: &mut Report,
    ) {
        let (nv, h) = (model.size.nv, model.options.timestep);
        self.update_change(model, data, geometry, report);
        self.share.clear();
        self.share.extend(rows.iter().map(|x| x / h));
        self.factor.solve(&mut self.share, nv);
        let width = model.size.na + model.size.nu;
        let by_input = if is_discrete(model) { &self.discrete.implicit.by_input[..] } else { &[] };
        self.by_input.resize(if by_input.is_empty() { 0 } else { nv * width }, 0.0);
        self.line.resize(nv, 0.0);
        let by_v = self.N.v.iter().any(|x| *x != 0.0);
        for i in 0..nv {
            // Row i of W M̂⁻¹; zero for dofs that no row acts on.
            self.weights.clear();
            self.weights.extend(self.share.iter().skip(i).step_by(nv));
            if self.weights.iter().all(|x| *x == 0.0) {
                continue;
            }
            let own = i * nv..(i + 1) * nv;
            subtract_product(&mut out.q[own.clone()], &self.weights, &self.N.q);
            if by_v {
                subtract_product(&mut out.v[own.clone()], &self.weights, &self.N.v);
            }
            self.line.fill(0.0);
            subtract_product(&mut self.line, &self.weights, &self.N.a);
            for ((a, v), x) in out.a[own.clone()].iter_mut().zip(&mut out.v[own]).zip(&self.line) {
                *a += x;
                *v += x / h;
            }
            if !by_input.is_empty() {
                subtract_product(&mut self.by_input[i * width..(i + 1) * width], &self.weights, by_input);
            }
        }
    }

    /// Contribution of (1) with respect to activations and controls, nv × (na + nu); empty if zero.
    pub fn by_input(&self) -> &[f64] {
        &self.by_input
    }

    /// ∂N.
    fn update_change(&mut self, model: &Model, data: &Data, geometry: &mut Vec<Changes>, report: &mut Report) {
        let Self { law, y, N, discrete, chain, sweep, terms, tendons, .. } = self;
        N.clear(model.size.nv);
        chain.update(model, &data.position.S, &data.state.v, &data.acceleration.a, false);
        terms.clear(model.nbody());
        tendons.clear(model);
        tendons.light = true;
        let answers = Answers::of_barriers(model, data, law);
        rows::add(model, data, &answers, tendons, N);
        let at = At { model, data, chain };
        contact::add(at, &answers, geometry, terms, report);
        tendons.finish(at, &answers, answers.a, N, report);
        sweep.add_terms(at, terms, N);
        N.v.fill(0.0);
        for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t] && tendon_armature(model, t) != 0.0) {
            report.add(Inexact::Tendon(t));
        }
        if is_discrete(model) {
            discrete.add_product(model, data, y, N, report);
        } else {
            discrete.add_inertia_product(model, data, y, N);
        }
    }
}

fn is_discrete(model: &Model) -> bool {
    model.options.scheme() == Integrator::Discrete
}

/// target −= Σ weights[k] · (row k of `rows`), four rows at a time.
fn subtract_product(target: &mut [f64], weights: &[f64], rows: &[f64]) {
    let m = target.len().max(1);
    let (fours, rest) = weights.as_chunks::<4>();
    let (blocks, tail) = rows.split_at(fours.len() * 4 * m);
    for (w, block) in fours.iter().zip(blocks.chunks_exact(4 * m)) {
        let (ab, cd) = block.split_at(2 * m);
        let ((a, b), (c, d)) = (ab.split_at(m), cd.split_at(m));
        for ((((t, a), b), c), d) in target.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *t -= (w[0] * a + w[1] * b) + (w[2] * c + w[3] * d);
        }
    }
    for (w, row) in rest.iter().zip(tail.chunks_exact(m)) {
        target.iter_mut().zip(row).for_each(|(t, x)| *t -= w * x);
    }
}
