//! Derivatives of Coriolis and centrifugal forces: ∂c/∂v.
//!
//! Newton–Euler gives c_i = S_i · Σ_{b below i} F_b with F_b = I_b A_b + V_b ×f I_b V_b,
//! V_b = Σ S_k v_k, A_b = Σ Ṡ_k v_k − g over the dofs k that move b. Then
//!   ∂V_b/∂v_k = S_k,   ∂A_b/∂v_k = Ṡ_k + S_k × (V_b − V_k) = ψ_k + S_k × V_b,
//!   ψ_k = Ṡ_k − S_k × V_k,                                                                   (1)
//! V_k the velocity on the child side of the joint of dof k. With the linear map
//!   B_b x = V_b ×f I_b x + x ×f I_b V_b − I_b (V_b × x)                                      (2)
//! it follows that ∂F_b/∂v_k = I_b ψ_k + B_b S_k. Sums over subtrees give I^c and B^c, and for j an
//! ancestor of i or i itself
//!   ∂c_j/∂v_i = S_j · (I^c_i ψ_i + B^c_i S_i),
//!   ∂c_i/∂v_j = ψ_j · I^c_i S_i + S_j · (B^c_i)ᵀ S_i.                                        (3)
//! Cost O(n · depth).

use crate::data::Data;
use crate::model::Model;
use saltus_math::{Mat6, Motion, TreeMatrix, ldl::TreePattern};

/// Working memory: B^c of bodies, ψ of dofs.
#[derive(Clone, Debug, Default)]
pub(super) struct BiasWork {
    B: Vec<Mat6>,
    psi: Vec<Motion>,
}

/// Adds ∂c/∂v for the dofs of the kinematic trees that `chosen` accepts. Needs the velocity stage.
pub(super) fn add_bias_slope(
    model: &Model,
    data: &Data,
    pattern: &TreePattern,
    work: &mut BiasWork,
    D: &mut TreeMatrix,
    chosen: impl Fn(usize) -> bool,
) {
    let (position, velocity) = (&data.position, &data.velocity);
    work.B.resize(model.nbody(), Mat6::ZERO);
    work.psi.resize(model.size.nv, Motion::ZERO);
    for t in (0..model.trees.dofs.len()).filter(|&t| chosen(t)) {
        let bodies = model.trees.bodies[t].range();
        for b in bodies.clone() {
            // (2)
            let (I, V) = (&position.I[b], velocity.V[b]);
            let momentum = I.mul(V);
            work.B[b] = Mat6::from_fn(|x| V.cross_force(I.mul(x)) + x.cross_force(momentum) - I.mul(V.cross_motion(x)));
            update_psi(model, data, b, &mut work.psi);
        }
        for b in bodies.clone().rev() {
            let (parent, child) = (model.bodies.parent[b].idx(), work.B[b]);
            if bodies.contains(&parent) {
                work.B[parent] += child;
            }
        }
        // (3)
        for i in model.trees.dofs[t].range() {
            let b = model.dofs.body[i].idx();
            let (I, B, S) = (&position.I_composite[b], &work.B[b], position.S[i]);
            let (momentum, left) = (I.mul(S), B.tmul(S));
            let right = I.mul(work.psi[i]) + B.mul(S);
            for k in pattern.range(i) {
                let j = pattern.col[k] as usize;
                D.lower[k] += work.psi[j].dot(momentum) + position.S[j].dot(left);
                D.upper[k] += position.S[j].dot(right);
            }
        }
    }
}

/// ψ (1) of the dofs of body `b`.
fn update_psi(model: &Model, data: &Data, b: usize, psi: &mut [Motion]) {
    let (S, v) = (&data.position.S, &data.state.v);
    let mut V = data.velocity.V[model.bodies.parent[b].idx()];
    for j in model.bodies.joints[b].range() {
        let mut i = model.joints.dof_start[j] as usize;
        for n in model.joints.kind[j].blocks() {
            for k in i..i + n {
                V += S[k] * v[k];
            }
            for k in i..i + n {
                psi[k] = data.velocity.S_dot[k] - S[k].cross_motion(V);
            }
            i += n;
        }
    }
}
