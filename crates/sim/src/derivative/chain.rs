//! How the motion of bodies changes with q and v.
//!
//! A change of q in the tangent direction of dof k moves every body behind it by the twist S_k (world axes, a fixed
//! origin). Dofs that turn together (those of a ball, the rotations of a free joint) form a *block*; with V⁻, A⁻ and Y⁻
//! the velocity, acceleration and Y = Σ S y (y = a, or what rows see in its place) of the frame before the block of k, for every body b behind k
//!   ∂V_b = S_k × V_b + Ṡ_k,                Ṡ_k = V⁻ × S_k,
//!   ∂Y_b = S_k × Y_b + σ_k,                σ_k = Y⁻ × S_k,                                                       (1)
//!   ∂A_b = S_k × A_b + Ṡ_k × V_b + η_k,    η_k = A⁻ × S_k + V⁻ × Ṡ_k
//! by q_k, and ∂V_b = S_k, ∂A_b = ψ_k + S_k × V_b, ψ_k = Ṡ_k − S_k × V⁺ by v_k, V⁺ behind the block.

use crate::data::Data;
use crate::dynamics::world_acceleration;
use crate::model::Model;
use saltus_math::Motion;

/// The vectors of (1) · nv each, and A, Y of bodies · nbody. A counts gravity as an acceleration of the world.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub S_dot: Vec<Motion>,
    pub sigma: Vec<Motion>,
    pub eta: Vec<Motion>,
    pub psi: Vec<Motion>,
    pub V: Vec<Motion>,
    pub A: Vec<Motion>,
    pub Y: Vec<Motion>,
    /// First dof of the block that turns together with a dof; itself for others · nv.
    pub block: Vec<u32>,
}

/// Where something is differentiated: a model, its data with the results of forward or inverse dynamics, and the motions of
/// bodies there. The motions may be others than those of the data: where a product with some vector is differentiated they
/// are those that the vector makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub model: &'a Model,
    pub data: &'a Data,
    pub chain: &'a Chain,
}

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Q,
    V,
    A,
}

impl Chain {
    /// Twist, ∂V and ∂A of body `b` with dof `k`, one that moves it and whose motion axis is `S` (1).
    #[inline]
    pub fn change(&self, S: Motion, b: usize, k: usize, by: By) -> [Motion; 3] {
        match by {
            By::Q => {
                let dV = S.cross_motion(self.V[b]) + self.S_dot[k];
                [S, dV, S.cross_motion(self.A[b]) + self.S_dot[k].cross_motion(self.V[b]) + self.eta[k]]
            }
            By::V => [Motion::ZERO, S, self.psi[k] + S.cross_motion(self.V[b])],
            By::A => [Motion::ZERO, Motion::ZERO, S],
        }
    }

    /// Fills everything for velocities `v` and accelerations `a` on the motion axes `S`.
    pub fn update(&mut self, model: &Model, S: &[Motion], v: &[f64], a: &[f64], gravity: bool) {
        self.update_with(model, S, v, (a, a), gravity);
    }

    /// The same with other accelerations in Y than in A.
    pub fn update_with(&mut self, model: &Model, S: &[Motion], v: &[f64], (a, y): (&[f64], &[f64]), gravity: bool) {
        let (nv, nbody) = (model.size.nv, model.nbody());
        for x in [&mut self.S_dot, &mut self.sigma, &mut self.eta, &mut self.psi] {
            x.resize(nv, Motion::ZERO);
        }
        for x in [&mut self.V, &mut self.A, &mut self.Y] {
            x.resize(nbody, Motion::ZERO);
        }
        self.block.resize(nv, 0);
        self.V[0] = Motion::ZERO;
        self.Y[0] = Motion::ZERO;
        self.A[0] = if gravity { world_acceleration(model) } else { Motion::ZERO };
        for b in 1..nbody {
            let parent = model.bodies.parent[b].idx();
            let (mut V, mut A, mut Y) = (self.V[parent], self.A[parent], self.Y[parent]);
            for j in model.bodies.joints[b].range() {
                let mut i = model.joints.dof_start[j] as usize;
                for &n in model.joints.kind[j].blocks() {
                    let mut own = Motion::ZERO;
                    let mut own_a = Motion::ZERO;
                    let mut own_y = Motion::ZERO;
                    for k in i..i + n {
                        own += S[k] * v[k];
                        own_a += S[k] * a[k];
                        own_y += S[k] * y[k];
                    }
                    let after = V + own;
                    for k in i..i + n {
                        let S_dot = V.cross_motion(S[k]);
                        self.S_dot[k] = S_dot;
                        self.sigma[k] = Y.cross_motion(S[k]);
                        self.eta[k] = A.cross_motion(S[k]) + V.cross_motion(S_dot);
                        self.psi[k] = S_dot - S[k].cross_motion(after);
                        self.block[k] = i as u32;
                    }
                    A += own_a + V.cross_motion(own);
                    Y += own_y;
                    V = after;
                    i += n;
                }
            }
            (self.V[b], self.A[b], self.Y[b]) = (V, A, Y);
        }
    }
}
