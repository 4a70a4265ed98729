//! Derivatives of M a + c − Σ Jᵀ f by q, v and a: one sweep over the tree.
//!
//! τ_j = S_j · Σ_{b behind j} (F_b − f_b), F_b = I_b A_b + V_b ×f I_b V_b, f_b the wrenches of `terms`. With B_b of
//! `dynamics::derivatives::bias` and the vectors of `chain`, for every b behind k
//!   ∂F_b/∂q_k = S_k ×f F_b + I_b η_k + B_b Ṡ_k,      ∂F_b/∂v_k = I_b ψ_k + B_b S_k,                                (1)
//! and S_j itself changes by S_k × S_j where k moves the axis of j. Sums over subtrees (superscript c; I and B with A and
//! B of the terms taken off, K and Y the negative of theirs) give, where the block of j is before that of k,
//!   ∂τ_j/∂q_k = S_j · (S_k ×f F^c_k + I^c_k η_k + B^c_k Ṡ_k + Y^c_k σ_k + K^c_k S_k),                             (2)
//! and where it is the same or behind it
//!   ∂τ_j/∂q_k = η_k · I^cᵀ_j S_j + Ṡ_k · B^cᵀ_j S_j + σ_k · Y^cᵀ_j S_j + S_k · (K^cᵀ_j S_j − S_j ×f f^c_j).         (3)
//! [Featherstone2008, §5.3; Singh2022]. Cost O(n · depth).

use super::chain::Chain;
use super::terms::{Slope, Terms};
use crate::data::Data;
use crate::kinematics::jacobian::dofs_of;
use crate::model::Model;
use saltus_math::{Force, Mat6, Motion, SpatialInertia, ldl::TreePattern};

/// ∂τ/∂q, ∂τ/∂v, ∂τ/∂a · nv × nv each, row-major: the row is the force.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrices {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    /// Each dof with all its ancestors.
    pub tree: TreePattern,
    /// B^c and F^c of bodies.
    B: Vec<Mat6>,
    F: Vec<Force>,
    /// Factors of (3) for each dof: η, Ṡ, σ, S against I^cᵀS, B^cᵀS, Y^cᵀS, K^cᵀS − S ×f f^c.
    right: Vec<[f64; 24]>,
    left: Vec<[f64; 24]>,
}

fn put(target: &mut [f64], x: [f64; 6]) {
    target.copy_from_slice(&x);
}

#[inline]
fn dot<const N: usize>(a: &[f64; N], b: &[f64]) -> f64 {
    let mut sum = [0.0; 4];
    let b = &b[..N];
    for (x, y) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for k in 0..4 {
            sum[k] += x[k] * y[k];
        }
    }
    let done = N - N % 4;
    let tail: f64 = a[done..].iter().zip(&b[done..]).map(|(x, y)| x * y).sum();
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + tail
}

impl Sweep {
    /// Adds the derivatives to `out`; M itself is not added to ∂τ/∂a. `terms` are summed over subtrees in place.
    pub fn add(&mut self, model: &Model, data: &Data, chain: &Chain, terms: &mut Terms, out: &mut Matrices) {
        self.prepare(model, data, chain, terms);
        let nv = model.size.nv;
        for i in 0..nv {
            let b = model.dofs.body[i].idx();
            let (I, S) = (&data.position.I_composite[b], data.position.S[i]);
            let term = terms.active[b].then(|| (&terms.slope[b], terms.wrench[b]));
            let columns = Columns::of(I, &self.B[b], self.F[b], term, terms.any_A, chain, S, i);
            let row = self.tree.range(i);
            let width = self.left[i];
            let narrow: &[f64; 12] = width.first_chunk().unwrap_or(&[0.0; 12]);
            for k in row {
                let j = self.tree.col[k] as usize;
                let right = &self.right[j];
                let S_j: &[f64; 6] = right.last_chunk().unwrap_or(&[0.0; 6]);
                let psi_j = chain.psi[j].to_array();
                out.q[i * nv + j] += if term.is_some() { dot(&width, right) } else { dot(narrow, right) };
                out.v[i * nv + j] += dot(&psi_j, &width[..6]) + dot(S_j, &width[6..12]);
                if j < i {
                    let same = chain.block[j] == chain.block[i];
                    out.q[j * nv + i] += if same { dot(&self.left[j], &self.right[i]) } else { dot(S_j, &columns.q) };
                    out.v[j * nv + i] += dot(S_j, &columns.v);
                }
                if term.is_some() {
                    let value = dot(S_j, &columns.a);
                    out.a[i * nv + j] += value;
                    if j < i {
                        out.a[j * nv + i] += value;
                    }
                }
            }
        }
        for cross in &terms.cross {
            add_cross(model, data, chain, cross.on, cross.by, &cross.slope, out);
        }
    }

    /// Sums over subtrees, and the factors of (3).
    fn prepare(&mut self, model: &Model, data: &Data, chain: &Chain, terms: &mut Terms) {
        let (nv, nbody, position) = (model.size.nv, model.nbody(), &data.position);
        if self.tree.len() != nv {
            self.tree.rebuild(model.dofs.parent.iter().map(|p| p.map(|d| d.0)));
        }
        self.B.resize(nbody, Mat6::ZERO);
        self.F.resize(nbody, Force::ZERO);
        self.right.resize(nv, [0.0; 24]);
        self.left.resize(nv, [0.0; 24]);
        for b in 1..nbody {
            let (I, V) = (&position.I[b], chain.V[b]);
            let momentum = I.mul(V);
            self.F[b] = I.mul(chain.A[b]) + V.cross_force(momentum);
            self.B[b] = velocity_map(I, V, momentum);
        }
        for b in (1..nbody).rev() {
            let parent = model.bodies.parent[b].idx();
            if terms.active[b] {
                let slope = terms.slope[b];
                for (x, y) in self.B[b].0.iter_mut().flatten().zip(slope.B.0.iter().flatten()) {
                    *x -= y;
                }
            }
            if parent > 0 {
                let (B, F) = (self.B[b], self.F[b]);
                self.B[parent] += B;
                self.F[parent] += F;
                if terms.active[b] {
                    let (mut slope, wrench) = (terms.slope[b], terms.wrench[b]);
                    // Its B is in the sum already.
                    slope.B = Mat6::ZERO;
                    terms.add_slope(parent, parent, &slope);
                    terms.add_wrench(parent, wrench);
                }
            }
        }
        for i in 0..nv {
            let b = model.dofs.body[i].idx();
            let S = position.S[i];
            let left = &mut self.left[i];
            let mut inertial = position.I_composite[b].mul(S);
            if terms.active[b] {
                let slope = &terms.slope[b];
                if terms.any_A {
                    inertial += -slope.A.tmul(S);
                }
                put(&mut left[12..18], (-slope.Y.tmul(S)).to_array());
                put(&mut left[18..24], (-slope.K.tmul(S) - S.cross_force(terms.wrench[b])).to_array());
            } else {
                left[12..].fill(0.0);
            }
            put(&mut left[..6], inertial.to_array());
            put(&mut left[6..12], self.B[b].tmul(S).to_array());
            let right = &mut self.right[i];
            put(&mut right[..6], chain.eta[i].to_array());
            put(&mut right[6..12], chain.S_dot[i].to_array());
            put(&mut right[12..18], chain.sigma[i].to_array());
            put(&mut right[18..], S.to_array());
        }
    }
}

/// x ↦ V ×f I x + x ×f I V − I (V × x).
fn velocity_map(I: &SpatialInertia, V: Motion, momentum: Force) -> Mat6 {
    Mat6::from_fn(|x| V.cross_force(I.mul(x)) + x.cross_force(momentum) - I.mul(V.cross_motion(x)))
}

/// What (2) multiplies S_j with, and the same for v and a (terms only).
struct Columns {
    q: [f64; 6],
    v: [f64; 6],
    a: [f64; 6],
}

impl Columns {
    #[allow(clippy::too_many_arguments)]
    fn of(
        I: &SpatialInertia,
        B: &Mat6,
        F: Force,
        term: Option<(&Slope, Force)>,
        any_A: bool,
        chain: &Chain,
        S: Motion,
        i: usize,
    ) -> Self {
        let mut q = S.cross_force(F) + I.mul(chain.eta[i]) + B.mul(chain.S_dot[i]);
        let mut v = I.mul(chain.psi[i]) + B.mul(S);
        let mut a = Force::ZERO;
        if let Some((slope, _)) = term {
            q += -(slope.K.mul(S) + slope.Y.mul(chain.sigma[i]));
            a = -slope.Y.mul(S);
            if any_A {
                q += -slope.A.mul(chain.eta[i]);
                v += -slope.A.mul(chain.psi[i]);
                a += -slope.A.mul(S);
            }
        }
        Self { q: q.to_array(), v: v.to_array(), a: a.to_array() }
    }
}

/// A wrench on body `on` that depends on the motion of body `by`.
fn add_cross(model: &Model, data: &Data, chain: &Chain, on: usize, by: usize, slope: &Slope, out: &mut Matrices) {
    let (nv, S) = (model.size.nv, &data.position.S);
    for k in dofs_of(model, by) {
        let q =
            slope.K.mul(S[k]) + slope.B.mul(chain.S_dot[k]) + slope.Y.mul(chain.sigma[k]) + slope.A.mul(chain.eta[k]);
        let v = slope.B.mul(S[k]) + slope.A.mul(chain.psi[k]);
        let a = slope.Y.mul(S[k]) + slope.A.mul(S[k]);
        for j in dofs_of(model, on) {
            out.q[j * nv + k] -= S[j].dot(q);
            out.v[j * nv + k] -= S[j].dot(v);
            out.a[j * nv + k] -= S[j].dot(a);
        }
    }
}
