//! Derivatives of M a + c − Σ Jᵀ f with respect to q, v and a, in one sweep over the tree.
//!
//! τ_j = S_j · Σ (F_b − f_b) over the descendant bodies b of j, F_b = I_b A_b + V_b ×f I_b V_b, f_b
//! the wrenches of `terms`. With B_b of `dynamics::derivatives::bias` and the vectors of `chain`,
//! for every descendant b of k
//!   ∂F_b/∂q_k = S_k ×f F_b + I_b η_k + B_b Ṡ_k,      ∂F_b/∂v_k = I_b ψ_k + B_b S_k,         (1)
//! and S_j itself changes by S_k × S_j if k moves the axis of j. Sums over subtrees (superscript c;
//! A and B of the terms are subtracted from I and B, K and Y are those of the terms with negative
//! sign) give, if the block of j is before that of k,
//!   ∂τ_j/∂q_k = S_j · (S_k ×f F^c_k + I^c_k η_k + B^c_k Ṡ_k + Y^c_k σ_k + K^c_k S_k),       (2)
//! and if it is the same or a later one
//!   ∂τ_j/∂q_k = η_k · I^cᵀ_j S_j + Ṡ_k · B^cᵀ_j S_j + σ_k · Y^cᵀ_j S_j
//!             + S_k · (K^cᵀ_j S_j − S_j ×f f^c_j).                                           (3)
//! [Featherstone2008, §5.3; Singh2022]. Cost O(n · depth).

use super::chain::At;
use super::terms::{Cross, Terms};
use crate::data::Data;
use crate::ids::DofId;
use crate::kinematics::jacobian::dofs_of;
use crate::model::Model;
use saltus_math::{Force, Mat3, Motion, SpatialInertia, Vec3, ldl::TreePattern};

/// ∂τ/∂q, ∂τ/∂v, ∂τ/∂a, nv × nv each, row-major: row i is the force on dof i.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrices {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

impl Matrices {
    pub fn clear(&mut self, nv: usize) {
        for x in [&mut self.q, &mut self.v, &mut self.a] {
            x.clear();
            x.resize(nv * nv, 0.0);
        }
    }
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    ancestors: Ancestors,
    /// Inertial B^c and F^c of bodies.
    gyro: Vec<Gyro>,
    F: Vec<Force>,
    /// Factors of (3) for each dof: η, Ṡ, σ, S with I^cᵀS, B^cᵀS, Y^cᵀS, K^cᵀS − S ×f f^c; then
    /// ψ, S for v.
    right: Vec<[f64; 36]>,
    left: Vec<[f64; 24]>,
    /// Zero inertias, one per body.
    none: Vec<SpatialInertia>,
}

/// Each dof with all its ancestors.
#[derive(Clone, Debug, Default)]
pub(super) struct Ancestors {
    tree: TreePattern,
    /// Parents of the dofs of the model for which the tree was built.
    parents: Vec<Option<DofId>>,
}

impl Ancestors {
    /// The pattern of a model; rebuilt only if the tree differs from the last one.
    pub fn of(&mut self, model: &Model) -> &TreePattern {
        if self.parents != model.dofs.parent {
            self.parents.clone_from(&model.dofs.parent);
            self.tree.rebuild(self.parents.iter().map(|p| p.map(|d| d.0)));
        }
        &self.tree
    }
}

/// A dof that is not part of the model, before the joints of a body, with the vectors of `chain`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtraDof {
    pub body: usize,
    pub S: Motion,
    pub S_dot: Motion,
    pub sigma: Motion,
    pub eta: Motion,
}

/// Descendants of a body, itself included. Ids are in depth-first order.
pub(super) fn subtree(model: &Model, b: usize) -> core::ops::Range<usize> {
    let parents = &model.bodies.parent;
    let end = (b + 1..model.nbody()).find(|&i| parents[i].idx() < b);
    b..end.unwrap_or(model.nbody())
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
            sum[k] = x[k].mul_add(y[k], sum[k]);
        }
    }
    let done = N - N % 4;
    let tail: f64 = a[done..].iter().zip(&b[done..]).map(|(x, y)| x * y).sum();
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + tail
}

/// B of inertia: x ↦ V ×f I x + x ×f I V − I (V × x). It depends only on the angular part of x,
///   (([w] J − J [w] − [u][c] − [c][u] − [l]) x, −2 p × x),
/// V = (w, u), I = (J, c = first moment, mass), I V = (l, p).
#[derive(Clone, Copy, Debug)]
pub(super) struct Gyro {
    ang: Mat3,
    lin: Vec3,
}

impl Gyro {
    pub const ZERO: Gyro = Gyro { ang: Mat3::ZERO, lin: Vec3::ZERO };

    #[inline]
    pub fn of(I: &SpatialInertia, V: Motion, momentum: Force) -> Self {
        let (w, u, c) = (V.ang, V.lin, I.mc);
        // G = [w] J, J symmetric: [w] J − J [w] = G + Gᵀ.
        let (d, o) = (I.diag, I.off);
        let J = [Vec3::new(d.x, o.x, o.y), Vec3::new(o.x, d.y, o.z), Vec3::new(o.y, o.z, d.z)];
        let G = J.map(|column| w.cross(column));
        // [u][c] + [c][u] = c uᵀ + u cᵀ − 2 (u · c) 1.
        let s = 2.0 * u.dot(c);
        let l = momentum.ang;
        let symmetric = |i: usize, j: usize| G[j][i] + G[i][j] - c[i] * u[j] - u[i] * c[j];
        let (xx, yy, zz) = (symmetric(0, 0) + s, symmetric(1, 1) + s, symmetric(2, 2) + s);
        let (xy, xz, yz) = (symmetric(0, 1), symmetric(0, 2), symmetric(1, 2));
        let ang = Mat3::new(
            Vec3::new(xx, xy + l.z, xz - l.y),
            Vec3::new(xy - l.z, yy, yz + l.x),
            Vec3::new(xz + l.y, yz - l.x, zz),
        );
        Self { ang, lin: momentum.lin * -2.0 }
    }
    #[inline]
    pub fn mul(&self, x: Motion) -> Force {
        Force::new(self.ang * x.ang, self.lin.cross(x.ang))
    }
    /// Transposed.
    #[inline]
    pub fn tmul(&self, x: Motion) -> Force {
        Force::new(self.ang.tmul(x.ang) - self.lin.cross(x.lin), Vec3::ZERO)
    }
}

impl core::ops::AddAssign for Gyro {
    #[inline]
    fn add_assign(&mut self, b: Self) {
        self.ang = self.ang + b.ang;
        self.lin += b.lin;
    }
}

impl Sweep {
    /// Each dof of a model with all its ancestors.
    pub fn fit(&mut self, model: &Model) -> &TreePattern {
        self.ancestors.of(model)
    }

    /// The pattern of the model of the last [`prepare`](Self::prepare).
    pub fn tree(&self) -> &TreePattern {
        &self.ancestors.tree
    }

    /// Adds the derivatives to `out`; M itself is not added to ∂τ/∂a. `terms` are summed over
    /// subtrees in place.
    pub fn add(&mut self, at: At<'_>, terms: &mut Terms, out: &mut Matrices) {
        let At { data, .. } = at;
        self.prepare(at, terms);
        self.add_prepared(at, terms, out, &data.position.I_composite);
    }

    /// The same without inertia.
    pub fn add_terms(&mut self, at: At<'_>, terms: &mut Terms, out: &mut Matrices) {
        let At { model, data, .. } = at;
        self.prepare(at, terms);
        self.none.resize(model.nbody(), SpatialInertia::ZERO);
        self.gyro.fill(Gyro::ZERO);
        self.F.fill(Force::ZERO);
        for (i, left) in self.left.iter_mut().enumerate() {
            let (b, S) = (model.dofs.body[i].idx(), data.position.S[i]);
            left[..12].fill(0.0);
            if terms.active[b] {
                put(&mut left[6..12], (-terms.slope[b].B.tmul(S)).to_array());
                if terms.any_A {
                    put(&mut left[..6], (-terms.A[b].tmul(S)).to_array());
                }
            }
        }
        let none = core::mem::take(&mut self.none);
        self.add_prepared(at, terms, out, &none);
        self.none = none;
    }

    fn add_prepared(&self, at: At<'_>, terms: &Terms, out: &mut Matrices, inertia: &[SpatialInertia]) {
        let At { model, data, chain } = at;
        let (nv, tree) = (model.size.nv, &self.ancestors.tree);
        for i in 0..nv {
            let b = model.dofs.body[i].idx();
            let S = data.position.S[i];
            let I = &inertia[b];
            let active = terms.active[b];
            let mut q = S.cross_force(self.F[b]) + I.mul(chain.eta[i]) + self.gyro[b].mul(chain.S_dot[i]);
            let mut v = I.mul(chain.psi[i]) + self.gyro[b].mul(S);
            let mut a = Force::ZERO;
            if active {
                let slope = &terms.slope[b];
                q -= slope.K.mul(S) + slope.B.mul(chain.S_dot[i]) + slope.Y.mul(chain.sigma[i]);
                v -= slope.B.mul(S);
                a -= slope.Y.mul(S);
                if terms.any_A {
                    let A = &terms.A[b];
                    q -= A.mul(chain.eta[i]);
                    v -= A.mul(chain.psi[i]);
                    a -= A.mul(S);
                }
            }
            let (q, v, a) = (q.to_array(), v.to_array(), a.to_array());
            let left = self.left[i];
            let narrow: &[f64; 12] = left.first_chunk().unwrap_or(&[0.0; 12]);
            for k in tree.range(i) {
                let j = tree.col[k] as usize;
                let right = &self.right[j];
                let S_j: &[f64; 6] = right[18..24].first_chunk().unwrap_or(&[0.0; 6]);
                out.q[i * nv + j] += if active { dot(&left, &right[..24]) } else { dot(narrow, &right[..12]) };
                out.v[i * nv + j] += dot(narrow, &right[24..]);
                if j < i {
                    let same = chain.block[j] == chain.block[i];
                    out.q[j * nv + i] += if same { dot(&self.left[j], &self.right[i][..24]) } else { dot(S_j, &q) };
                    out.v[j * nv + i] += dot(S_j, &v);
                }
                if active {
                    let value = dot(S_j, &a);
                    out.a[i * nv + j] += value;
                    if j < i {
                        out.a[j * nv + i] += value;
                    }
                }
            }
        }
        for cross in &terms.cross {
            add_cross(at, cross, out);
        }
    }

    /// Adds the column of a dof that is not part of the model, before the joints of body `b`. Call
    /// after [`add`](Self::add) or [`prepare`](Self::prepare).
    pub fn add_column(&self, model: &Model, data: &Data, terms: &Terms, dof: &ExtraDof, column: &mut [f64]) {
        let ExtraDof { body: b, S, S_dot, sigma, eta } = *dof;
        let position = &data.position;
        let mut right = [0.0; 24];
        for (k, m) in [eta, S_dot, sigma, S].into_iter().enumerate() {
            put(&mut right[6 * k..6 * k + 6], m.to_array());
        }
        let behind = subtree(model, b);
        for j in behind.clone().flat_map(|b| model.bodies.dofs[b].range()) {
            column[j] += dot(&self.left[j], &right);
        }
        let mut q = S.cross_force(self.F[b]) + position.I_composite[b].mul(eta) + self.gyro[b].mul(S_dot);
        if terms.active[b] {
            let slope = &terms.slope[b];
            q -= slope.K.mul(S) + slope.B.mul(S_dot) + slope.Y.mul(sigma);
            if terms.any_A {
                q -= terms.A[b].mul(eta);
            }
        }
        for j in dofs_of(model, model.bodies.parent[b].idx()) {
            column[j] += position.S[j].dot(q);
        }
        for cross in terms.cross.iter().filter(|c| behind.contains(&c.by)) {
            let mut q = cross.slope.K.mul(S) + cross.slope.B.mul(S_dot) + cross.slope.Y.mul(sigma);
            if let Some(A) = &cross.A {
                q += A.mul(eta);
            }
            dofs_of(model, cross.on).for_each(|j| column[j] -= position.S[j].dot(q));
        }
    }

    /// Sums over subtrees, and the factors of (3).
    pub fn prepare(&mut self, At { model, data, chain }: At<'_>, terms: &mut Terms) {
        let (nv, nbody, position) = (model.size.nv, model.nbody(), &data.position);
        self.ancestors.of(model);
        self.gyro.resize(nbody, Gyro::ZERO);
        self.F.resize(nbody, Force::ZERO);
        self.right.resize(nv, [0.0; 36]);
        self.left.resize(nv, [0.0; 24]);
        for b in 1..nbody {
            let (I, V) = (&position.I[b], chain.V[b]);
            let momentum = I.mul(V);
            self.F[b] = I.mul(chain.A[b]) + V.cross_force(momentum);
            self.gyro[b] = Gyro::of(I, V, momentum);
        }
        for b in (1..nbody).rev() {
            let parent = model.bodies.parent[b].idx();
            if parent > 0 {
                let (gyro, F) = (self.gyro[b], self.F[b]);
                self.gyro[parent] += gyro;
                self.F[parent] += F;
                terms.pass_on(b, parent);
            }
        }
        for i in 0..nv {
            let b = model.dofs.body[i].idx();
            let S = position.S[i];
            let left = &mut self.left[i];
            let mut inertial = position.I_composite[b].mul(S);
            let mut gyro = self.gyro[b].tmul(S);
            if terms.active[b] {
                let slope = &terms.slope[b];
                gyro -= slope.B.tmul(S);
                if terms.any_A {
                    inertial -= terms.A[b].tmul(S);
                }
                put(&mut left[12..18], (-slope.Y.tmul(S)).to_array());
                put(&mut left[18..24], (-slope.K.tmul(S) - S.cross_force(terms.wrench[b])).to_array());
            } else {
                left[12..].fill(0.0);
            }
            put(&mut left[..6], inertial.to_array());
            put(&mut left[6..12], gyro.to_array());
            let right = &mut self.right[i];
            put(&mut right[..6], chain.eta[i].to_array());
            put(&mut right[6..12], chain.S_dot[i].to_array());
            put(&mut right[12..18], chain.sigma[i].to_array());
            put(&mut right[18..24], S.to_array());
            put(&mut right[24..30], chain.psi[i].to_array());
            put(&mut right[30..], S.to_array());
        }
    }
}

/// Adds a wrench on one body that depends on the motion of another.
fn add_cross(At { model, data, chain }: At<'_>, cross: &Cross, out: &mut Matrices) {
    let (nv, S, slope) = (model.size.nv, &data.position.S, &cross.slope);
    for k in dofs_of(model, cross.by) {
        let mut q = slope.K.mul(S[k]) + slope.B.mul(chain.S_dot[k]) + slope.Y.mul(chain.sigma[k]);
        let mut v = slope.B.mul(S[k]);
        let mut a = slope.Y.mul(S[k]);
        if let Some(A) = &cross.A {
            q += A.mul(chain.eta[k]);
            v += A.mul(chain.psi[k]);
            a += A.mul(S[k]);
        }
        for j in dofs_of(model, cross.on) {
            out.q[j * nv + k] -= S[j].dot(q);
            out.v[j * nv + k] -= S[j].dot(v);
            out.a[j * nv + k] -= S[j].dot(a);
        }
    }
}
