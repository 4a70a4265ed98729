//! Products of the inertia matrix and of the velocity derivative of the bias with a vector, and
//! their derivatives.
//!
//! ∂(M x) is a Newton–Euler derivative at rest. c is quadratic in v, so that with any w = s x
//!   (∂c/∂v) x = (c(v + w) − c(v − w)) / 2s,  ∂/∂v ((∂c/∂v) x) = (∂c/∂v at v = x).              (1)

use super::chain::{At, Chain};
use super::sweep::{Matrices, Sweep};
use super::terms::Terms;
use crate::data::Data;
use crate::model::Model;
use saltus_math::{Force, Motion};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    sweep: Sweep,
    chain: Chain,
    terms: Terms,
    matrices: Matrices,
    velocity: Vec<f64>,
    at_rest: Vec<f64>,
    body: Vec<Motion>,
    force: Vec<Force>,
}

impl Products {
    /// by_q += ∂(M x), without tendons.
    pub fn add_inertia(&mut self, model: &Model, data: &Data, x: &[f64], by_q: &mut [f64]) {
        let (nv, nbody, position) = (model.size.nv, model.nbody(), &data.position);
        let tree = self.sweep.fit(model);
        self.body.resize(nbody, Motion::ZERO);
        self.force.resize(nbody, Force::ZERO);
        self.chain.eta.resize(nv, Motion::ZERO);
        self.chain.block.resize(nv, 0);
        self.body[0] = Motion::ZERO;
        for b in 1..nbody {
            let mut Y = self.body[model.bodies.parent[b].idx()];
            for j in model.bodies.joints[b].range() {
                let mut i = model.joints.dof_start[j] as usize;
                for &n in model.joints.kind[j].blocks() {
                    let before = Y;
                    for k in i..i + n {
                        self.chain.eta[k] = before.cross_motion(position.S[k]);
                        self.chain.block[k] = i as u32;
                        Y += position.S[k] * x[k];
                    }
                    i += n;
                }
            }
            self.body[b] = Y;
            self.force[b] = position.I[b].mul(Y);
        }
        for b in (1..nbody).rev() {
            let f = self.force[b];
            self.force[model.bodies.parent[b].idx()] += f;
        }
        let eta = &self.chain.eta;
        for i in 0..nv {
            let b = model.dofs.body[i].idx();
            let (I, S) = (&position.I_composite[b], position.S[i]);
            let momentum = I.mul(S);
            let column = S.cross_force(self.force[b]) + I.mul(eta[i]);
            let own = I.mul(eta[i]);
            for k in tree.range(i) {
                let j = tree.col[k] as usize;
                by_q[i * nv + j] += eta[j].dot(momentum);
                if j < i {
                    let same = self.chain.block[i] == self.chain.block[j];
                    by_q[j * nv + i] += position.S[j].dot(if same { own } else { column });
                }
            }
        }
    }

    /// Adds scale ∂((∂c/∂v) x) with respect to q and v, with x set to zero at dofs that are not
    /// `chosen`.
    pub fn add_bias(
        &mut self,
        model: &Model,
        data: &Data,
        x: &[f64],
        chosen: impl Fn(usize) -> bool,
        scale: f64,
        out: &mut Matrices,
    ) {
        let nv = model.size.nv;
        // (1). The scale makes v and w of similar magnitude.
        let size = |x: &[f64]| x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        let share = (size(&data.state.v) + 1.0) / size(x).max(1.0);
        self.at_rest.clear();
        self.at_rest.resize(nv, 0.0);
        for pass in 0..3 {
            let (base, w) = [(1.0, share), (1.0, -share), (0.0, 1.0)][pass];
            let moved = |i: usize| if chosen(i) { w * x[i] } else { 0.0 };
            self.velocity.clear();
            self.velocity.extend(data.state.v.iter().enumerate().map(|(i, v)| base * v + moved(i)));
            self.chain.update(model, &data.position.S, &self.velocity, &self.at_rest, false);
            self.terms.clear(model.nbody());
            self.matrices.clear(nv);
            let at = At { model, data, chain: &self.chain };
            self.sweep.add(at, &mut self.terms, &mut self.matrices);
            let (target, source, weight) = match pass {
                0 => (&mut out.q, &self.matrices.q, scale / (2.0 * share)),
                1 => (&mut out.q, &self.matrices.q, -scale / (2.0 * share)),
                _ => (&mut out.v, &self.matrices.v, scale),
            };
            target.iter_mut().zip(source).for_each(|(t, x)| *t += weight * x);
        }
    }
}

/// dense += scale M, M in its sparse pattern.
pub(super) fn add_dense(model: &Model, M: &[f64], scale: f64, dense: &mut [f64]) {
    let (nv, pattern) = (model.size.nv, &model.mass_pattern);
    for i in 0..nv {
        for k in pattern.range(i) {
            let (j, m) = (pattern.col[k] as usize, scale * M[k]);
            dense[i * nv + j] += m;
            if i != j {
                dense[j * nv + i] += m;
            }
        }
    }
}
