//! Second derivatives of yᵀ ID of a tree with contacts, in closed form.
//!
//! yᵀτ = Σ_b ℓ_b, ℓ_b = W · (I A + V ×f I V) for inertia and −f · c(W) for contacts
//! (`contact::bend`), with the motion W of y (`product`) and Z = Y + b V, on which contacts depend.
//! Expressed in a frame that moves with the bodies, a twist S_j of all descendants of dof j changes
//! in ℓ_b only V, Z, A, W, by Ṡ_j, ζ_j = σ_j + b Ṡ_j, Ṡ_j × V + η_j, ω_j, and the position relative
//! to the ground. For k in the same block as j or a descendant, in that moving frame,
//!   ∂Ṡ_k = Ṡ_j × S_k,   ∂ζ_k = ζ_j × S_k,   ∂ω_k = ω_j × S_k,
//!   ∂η_k = η_j × S_k + 2 Ṡ_j × Ṡ_k,                                                          (1)
//! and, with B = Σ B_bᵀ W, N = Σ I W, G = Σ B_b of the motion W in the place of V, Ω and by_Z the
//! derivatives with respect to W and Z,
//!   ∂²/∂q_j∂q_k = ω_j·(S_k ×f Ω + I η_k + B_b Ṡ_k + WX S_k + WZ ζ_k)
//!               + η_j·(S_k ×f N + I ω_k)
//!               + Ṡ_j·(S_k ×f B + 2 Ṡ_k ×f N + B_bᵀ ω_k − G Ṡ_k)
//!               + S_j·(XXᵀ S_k + ZXᵀ ζ_k + WXᵀ ω_k)
//!               + ζ_j·(S_k ×f by_Z + ZX S_k + ZZ ζ_k + WZᵀ ω_k),                             (2)
//!   ∂²/∂q_j∂v_k = ω_j·(I ψ_k + B_b S_k) + Ṡ_j·(2 S_k ×f N − G S_k),
//!   ∂²/∂q_j∂a_k = ω_j·I S_k,                                                                 (3)
//!   ∂²/∂v_j∂v_k = S_j·(2 S_k ×f N − G S_k),
//! and for j in an earlier block than k the same with q_k: (2) with ψ_j, S_j (or S_j, 0) in the
//! place of η_j, Ṡ_j. Within one block the last has S_k ×f N once. Contacts depend on v and a
//! through Z: the derivatives are b and 1 times those with respect to Z. All are products of a
//! vector of j with one of k, O(n · depth) of them.

use super::Curvature;
use crate::data::RowKind;
use crate::derivative::chain::At;
use crate::derivative::contact::bend::{self, Curve};
use crate::derivative::equation::Unswept;
use crate::derivative::product::Lift;
use crate::derivative::sweep::Gyro;
use crate::law::invertible::Distance;
use saltus_math::{Force, ldl::TreePattern};

/// Sums over the descendants of a body, itself included.
#[derive(Clone, Copy, Debug)]
struct Sums {
    omega: Force,
    N: Force,
    B: Force,
    /// B_b of V and of W.
    gyro: Gyro,
    turn: Gyro,
}

impl Sums {
    const ZERO: Sums = Sums { omega: Force::ZERO, N: Force::ZERO, B: Force::ZERO, gyro: Gyro::ZERO, turn: Gyro::ZERO };
}

/// The vectors of a dof that are multiplied with those of earlier dofs.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// Factors of ω, η, Ṡ, and of S, ζ for contacts, in (2).
    q: [f64; 30],
    /// Factors of ω, Ṡ for v (3), and of S for two v of one block.
    v: [f64; 12],
    v_same: [f64; 6],
    /// Factor of ω for a.
    a: [f64; 6],
    /// Factors of ω, S, ζ for Z.
    z: [f64; 18],
}

/// The vectors of a dof that are multiplied with those of later dofs: ω, η, Ṡ, S, ζ, and ψ.
#[derive(Clone, Copy, Debug)]
struct Right {
    all: [f64; 30],
    psi: [f64; 6],
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    sums: Vec<Sums>,
    /// Curvatures of contacts, if there are any.
    curves: Vec<Curve>,
    active: Vec<bool>,
    damping: f64,
    left: Vec<Left>,
    right: Vec<Right>,
}

const OMEGA: usize = 0;
const ETA: usize = 6;
const S_DOT: usize = 12;
const S: usize = 18;
const ZETA: usize = 24;

#[inline]
fn dot<const N: usize>(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (&a[..N], &b[..N]);
    let mut sum = [0.0; 6];
    for (x, y) in a.chunks_exact(6).zip(b.chunks_exact(6)) {
        for k in 0..6 {
            sum[k] = x[k].mul_add(y[k], sum[k]);
        }
    }
    ((sum[0] + sum[3]) + (sum[1] + sum[4])) + (sum[2] + sum[5])
}

fn put(target: &mut [f64], x: [f64; 6]) {
    target[..6].copy_from_slice(&x);
}

impl Tree {
    /// Computes the contacts' contribution; false if there are rows of another kind.
    pub fn gather(&mut self, equation: &Unswept<'_>, y: Lift<'_>) -> bool {
        let At { model, data, chain } = equation.at;
        self.active.clear();
        self.active.resize(model.nbody(), false);
        self.curves.resize(model.nbody(), Curve::default());
        self.damping = 0.0;
        if data.constraints.is_empty() {
            return true;
        }
        let (answers, distance) = (equation.answers, Distance::of_model(model));
        let Some(damping) = answers.bent_damping() else { return false };
        self.damping = damping;
        for block in &data.constraints.blocks {
            if (block.kind as i32) < RowKind::ContactFrictionless as i32 {
                return false;
            }
            let contact = &data.contacts[block.id as usize];
            let Some(side) = bend::find_side(model, data, contact) else { return false };
            let b = side.body;
            let motions = [chain.Y[b] + chain.V[b] * damping, y.W[b]];
            let curve = bend::curve(model, data, &answers, &distance, block, &side, motions);
            self.put(b, &curve);
        }
        true
    }

    fn put(&mut self, b: usize, curve: &Curve) {
        if self.active[b] {
            self.curves[b].add(curve);
        } else {
            self.active[b] = true;
            self.curves[b].clone_from(curve);
        }
    }

    /// Adds the second derivatives to `out`. Call after [`gather`](Self::gather).
    pub fn add(&mut self, at: At<'_>, tree: &TreePattern, y: Lift<'_>, out: &mut Curvature) {
        let At { model, chain, .. } = at;
        self.sum_up(at, y);
        self.update_vectors(at, y);
        let nv = model.size.nv;
        for k in 0..nv {
            let active = self.active[model.dofs.body[k].idx()];
            for j in tree.range(k).map(|i| tree.col[i] as usize) {
                let same = chain.block[j] == chain.block[k];
                self.add_pair(j, k, same, active, nv, out);
            }
        }
    }

    fn sum_up(&mut self, At { model, data, chain }: At<'_>, y: Lift<'_>) {
        let nbody = model.nbody();
        self.sums.resize(nbody, Sums::ZERO);
        self.sums[0] = Sums::ZERO;
        for b in 1..nbody {
            let (I, V, W) = (&data.position.I[b], chain.V[b], y.W[b]);
            let (momentum, N) = (I.mul(V), I.mul(W));
            let gyro = Gyro::of(I, V, momentum);
            self.sums[b] = Sums {
                omega: I.mul(chain.A[b]) + V.cross_force(momentum),
                N,
                B: gyro.tmul(W),
                gyro,
                turn: Gyro::of(I, W, N),
            };
        }
        for b in (1..nbody).rev() {
            let parent = model.bodies.parent[b].idx();
            let Sums { omega, N, B, gyro, turn } = self.sums[b];
            let sums = &mut self.sums[parent];
            sums.omega += omega;
            sums.N += N;
            sums.B += B;
            sums.gyro += gyro;
            sums.turn += turn;
            if self.active[b] && parent > 0 {
                let curve = self.curves[b];
                self.put(parent, &curve);
            }
        }
    }

    fn update_vectors(&mut self, At { model, data, chain }: At<'_>, y: Lift<'_>) {
        self.left.clear();
        self.right.clear();
        for k in 0..model.size.nv {
            let b = model.dofs.body[k].idx();
            let (axis, omega, I, sums) = (data.position.S[k], y.omega[k], &data.position.I_composite[b], &self.sums[b]);
            let (S_dot, eta, psi) = (chain.S_dot[k], chain.eta[k], chain.psi[k]);
            let zeta = chain.sigma[k] + S_dot * self.damping;
            let mut right = Right { all: [0.0; 30], psi: psi.to_array() };
            for (i, m) in [omega, eta, S_dot, axis, zeta].into_iter().enumerate() {
                put(&mut right.all[6 * i..], m.to_array());
            }
            self.right.push(right);
            let mut left = Left { q: [0.0; 30], v: [0.0; 12], v_same: [0.0; 6], a: [0.0; 6], z: [0.0; 18] };
            let mut by_omega = axis.cross_force(sums.omega) + I.mul(eta) + sums.gyro.mul(S_dot);
            let carried = axis.cross_force(sums.N);
            put(&mut left.q[ETA..], (carried + I.mul(omega)).to_array());
            let by_S_dot = axis.cross_force(sums.B) + S_dot.cross_force(sums.N) * 2.0 + sums.gyro.tmul(omega)
                - sums.turn.mul(S_dot);
            put(&mut left.q[S_DOT..], by_S_dot.to_array());
            if self.active[b] {
                let curve = &self.curves[b];
                by_omega += axis.cross_force(curve.by_W) + curve.WX.mul(axis) + curve.WZ.mul(zeta);
                let by_S = curve.XX.tmul(axis) + curve.ZX.tmul(zeta) + curve.WX.tmul(omega);
                let by_zeta =
                    axis.cross_force(curve.by_Z) + curve.ZX.mul(axis) + curve.ZZ.mul(zeta) + curve.WZ.tmul(omega);
                put(&mut left.q[S..], by_S.to_array());
                put(&mut left.q[ZETA..], by_zeta.to_array());
                for (i, f) in [curve.WZ.mul(axis), curve.ZX.tmul(axis), curve.ZZ.mul(axis)].into_iter().enumerate() {
                    put(&mut left.z[6 * i..], f.to_array());
                }
            }
            put(&mut left.q[OMEGA..], by_omega.to_array());
            let once = carried - sums.turn.mul(axis);
            put(&mut left.v[..], (I.mul(psi) + sums.gyro.mul(axis)).to_array());
            put(&mut left.v[6..], (once + carried).to_array());
            left.v_same = once.to_array();
            left.a = I.mul(axis).to_array();
            self.left.push(left);
        }
    }

    /// Adds the pair of dof `k` and dof `j`, which is in an earlier block or the same, not a
    /// descendant.
    fn add_pair(&self, j: usize, k: usize, same: bool, active: bool, nv: usize, out: &mut Curvature) {
        let (jk, kj) = (j * nv + k, k * nv + j);
        let ((left_j, left), (right, right_k)) = ((&self.left[j], &self.left[k]), (&self.right[j], &self.right[k]));
        let axis = &right.all[S..S + 6];
        let by_q = |left: &Left, right: &Right| {
            if active { dot::<30>(&left.q, &right.all) } else { dot::<18>(&left.q, &right.all) }
        };
        let by_v = |left: &Left, right: &Right| {
            dot::<6>(&left.v, &right.all[OMEGA..]) + dot::<6>(&left.v[6..], &right.all[S_DOT..])
        };
        let by_a = |left: &Left, right: &Right| dot::<6>(&left.a, &right.all[OMEGA..]);
        let by_z = |left: &Left, right: &Right| {
            dot::<6>(&left.z, &right.all[OMEGA..]) + dot::<12>(&left.z[6..], &right.all[S..])
        };
        out.qv[jk] += by_v(left, right);
        out.qa[jk] += by_a(left, right);
        let mut twice = by_q(left, right);
        if !same {
            out.qv[kj] += dot::<6>(&left.q[ETA..], &right.psi) + dot::<6>(&left.q[S_DOT..], axis);
            out.qa[kj] += dot::<6>(&left.q[ETA..], axis);
        } else if j != k {
            twice = 0.5 * (twice + by_q(left_j, right_k));
            out.qv[kj] += by_v(left_j, right_k);
            out.qa[kj] += by_a(left_j, right_k);
        }
        let mut v_twice = dot::<6>(if same { &left.v_same } else { &left.v[6..] }, axis);
        if active {
            let b = self.damping;
            let mut add_z = |at: usize, z: f64| {
                out.qa[at] += z;
                out.qv[at] += b * z;
            };
            add_z(jk, by_z(left, right));
            if !same {
                add_z(kj, dot::<6>(&left.q[ZETA..], axis));
            } else if j != k {
                add_z(kj, by_z(left_j, right_k));
            }
            let zz = dot::<6>(&left.z[12..], axis);
            v_twice += b * b * zz;
            for at in [jk, kj].into_iter().take(if j == k { 1 } else { 2 }) {
                out.va[at] += b * zz;
                out.aa[at] += zz;
            }
        }
        (out.qq[jk], out.qq[kj]) = (twice, twice);
        (out.vv[jk], out.vv[kj]) = (v_twice, v_twice);
    }
}
