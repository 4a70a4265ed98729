//! yᵀ ∂ID: the gradient of a weighted sum of inverse dynamics, without forming its matrices.
//!
//! y is treated as a velocity: W = Σ S y is the corresponding motion of bodies, and
//! yᵀτ = Σ_b W_b · (F_b − f_b), F_b of `sweep` and f_b the wrenches of `terms`. With W⁻ that of the
//! frame before the block of k, W_b changes with q_k by S_k × W_b + ω_k, ω_k = W⁻ × S_k, as V does
//! in `chain`, and
//!   ∂(yᵀτ)/∂q_k = Ω·ω_k + N·η_k + B·Ṡ_k + Y·σ_k + K·S_k,
//!   ∂/∂v_k = N·ψ_k + B·S_k,   ∂/∂a_k = (N + Y)·S_k,                                           (1)
//! with sums over the descendant bodies of k, and over the bodies on which their motion generates
//! forces, of
//!   Ω = F − f,   N = (I − A)ᵀ W,   B = (B_b − B)ᵀ W,   Y = −Yᵀ W,   K = −Kᵀ W − W ×f f.        (2)
//! F rotates with its body and therefore does not contribute to K. Cost O(n) for the tree and O(1)
//! for each contact. Scalar forces are few: their matrices, without those of the tree, are
//! multiplied explicitly.

use super::chain::At;
use super::equation::{Forces, Unswept, linearize_unswept};
use super::sweep::{Gyro, Matrices};
use super::terms::{Slope, Terms};
use super::{DerivativeError, Report, Workspace, check_sizes};
use crate::data::Data;
use crate::model::Model;
use saltus_math::{Force, Mat6, Motion};

/// Destination of the gradient of yᵀ ID, nv entries each.
#[derive(Debug)]
pub struct Product<'a> {
    pub by_q: &'a mut [f64],
    pub by_v: &'a mut [f64],
    pub by_a: &'a mut [f64],
}

/// The sums of (2) over the descendants of a body; N separately for inertia and for the maps A.
#[derive(Clone, Copy, Debug)]
struct Sums {
    omega: Force,
    N: Force,
    A: Force,
    B: Force,
    Y: Force,
    K: Force,
}

impl Sums {
    const ZERO: Sums = {
        let none = Force::ZERO;
        Sums { omega: none, N: none, A: none, B: none, Y: none, K: none }
    };

    fn add(&mut self, other: &Sums) {
        self.omega += other.omega;
        self.N += other.N;
        self.A += other.A;
        self.B += other.B;
        self.Y += other.Y;
        self.K += other.K;
    }

    /// Subtracts the contribution, through the maps of its changes, of a wrench on a body with
    /// motion `W`.
    fn subtract(&mut self, slope: &Slope, A: Option<&Mat6>, W: Motion) {
        self.B -= slope.B.tmul(W);
        self.Y -= slope.Y.tmul(W);
        self.K -= slope.K.tmul(W);
        if let Some(A) = A {
            self.A -= A.tmul(W);
        }
    }
}

/// The motion that corresponds to y: W of bodies, and ω of dofs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lift<'w> {
    pub W: &'w [Motion],
    pub omega: &'w [Motion],
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjoint {
    W: Vec<Motion>,
    omega: Vec<Motion>,
    sums: Vec<Sums>,
    /// M y.
    line: Vec<f64>,
}

impl Adjoint {
    /// W and ω.
    fn update_motion(&mut self, model: &Model, data: &Data, y: &[f64]) {
        self.W.resize(model.nbody(), Motion::ZERO);
        self.omega.resize(model.size.nv, Motion::ZERO);
        self.W[0] = Motion::ZERO;
        for b in 1..model.nbody() {
            let mut W = self.W[model.bodies.parent[b].idx()];
            for j in model.bodies.joints[b].range() {
                let mut i = model.joints.dof_start[j] as usize;
                for &n in model.joints.kind[j].blocks() {
                    let before = W;
                    for k in i..i + n {
                        let S = data.position.S[k];
                        self.omega[k] = before.cross_motion(S);
                        W += S * y[k];
                    }
                    i += n;
                }
            }
            self.W[b] = W;
        }
    }

    /// Fills yᵀ ∂ID. Returns the motion that corresponds to y, unless rows are coupled, where it is
    /// not needed.
    pub fn multiply(&mut self, equation: &Unswept<'_>, y: &[f64], out: &mut Product<'_>) -> Option<Lift<'_>> {
        [&mut *out.by_q, &mut *out.by_v, &mut *out.by_a].into_iter().for_each(|x| x.fill(0.0));
        add_matrices(y, equation.slopes, out);
        let terms = equation.terms?;
        let At { model, data, .. } = equation.at;
        self.line.resize(model.size.nv, 0.0);
        data.inertia.mul(model, y, &mut self.line);
        out.by_a.iter_mut().zip(&self.line).for_each(|(a, x)| *a += x);
        self.add(equation.at, terms, y, out);
        Some(Lift { W: &self.W, omega: &self.omega })
    }

    /// Adds (1) without M y. `terms` are those of single bodies.
    fn add(&mut self, At { model, data, chain }: At<'_>, terms: &Terms, y: &[f64], out: &mut Product<'_>) {
        self.update_motion(model, data, y);
        let nbody = model.nbody();
        self.sums.clear();
        self.sums.resize(nbody, Sums::ZERO);
        for b in 1..nbody {
            let (I, V, W) = (&data.position.I[b], chain.V[b], self.W[b]);
            let momentum = I.mul(V);
            let sums = &mut self.sums[b];
            sums.omega = I.mul(chain.A[b]) + V.cross_force(momentum);
            sums.N = I.mul(W);
            sums.B = Gyro::of(I, V, momentum).tmul(W);
            if terms.active[b] {
                let f = terms.wrench[b];
                sums.omega -= f;
                sums.K -= W.cross_force(f);
                sums.subtract(&terms.slope[b], terms.any_A.then(|| &terms.A[b]), W);
            }
        }
        for cross in &terms.cross {
            self.sums[cross.by].subtract(&cross.slope, cross.A.as_ref(), self.W[cross.on]);
        }
        for b in (1..nbody).rev() {
            let (parents, rest) = self.sums.split_at_mut(b);
            parents[model.bodies.parent[b].idx()].add(&rest[0]);
        }
        for k in 0..model.size.nv {
            let (S, sums) = (data.position.S[k], &self.sums[model.dofs.body[k].idx()]);
            let inertial = sums.N + sums.A;
            out.by_q[k] += self.omega[k].dot(sums.omega)
                + chain.eta[k].dot(inertial)
                + chain.S_dot[k].dot(sums.B)
                + chain.sigma[k].dot(sums.Y)
                + S.dot(sums.K);
            out.by_v[k] += chain.psi[k].dot(inertial) + S.dot(sums.B);
            out.by_a[k] += S.dot(sums.A + sums.Y);
        }
    }
}

/// The gradient of yᵀ ID with respect to q, v and a, ID being that of [`super::inverse`]: equal to
/// y times its matrices.
pub fn inverse_product<'w>(
    model: &Model,
    data: &Data,
    actuation: bool,
    y: &[f64],
    work: &'w mut Workspace,
    mut out: Product<'_>,
) -> Result<&'w Report, DerivativeError> {
    let sizes = [("y", y.len()), ("by_q", out.by_q.len()), ("by_v", out.by_v.len()), ("by_a", out.by_a.len())];
    check_sizes(model, &sizes, model.size.nv)?;
    let Workspace { acceleration, adjoint, report, .. } = work;
    report.clear();
    let forces = Forces { actuation, applied: false };
    let unswept = linearize_unswept(model, data, forces, &mut acceleration.equation, report)?;
    adjoint.multiply(&unswept, y, &mut out);
    Ok(report)
}

/// Adds yᵀ times the matrices.
fn add_matrices(y: &[f64], matrices: &Matrices, out: &mut Product<'_>) {
    for (target, matrix) in
        [(&mut *out.by_q, &matrices.q), (&mut *out.by_v, &matrices.v), (&mut *out.by_a, &matrices.a)]
    {
        for (row, y) in matrix.chunks_exact(y.len().max(1)).zip(y).filter(|(_, y)| **y != 0.0) {
            target.iter_mut().zip(row).for_each(|(t, x)| *t += y * x);
        }
    }
}
