//! Recursive Newton–Euler: τ = M(q) a + c(q, v) [Featherstone2008, §5.3]. O(n).
//!
//! Outward: A_b = A_parent + Ṡ v + S a, A_world = −g.  F_b = I A + V ×f (I V).  Inward:
//! F_parent += F_b, τ = S · F.

use super::crb::tendon_armature;
use crate::data::Data;
use crate::model::Model;
use crate::options::Disable;
use crate::tendon::spatial::calc_jac_dot_v;
use saltus_math::{Force, Motion, Vec3};

/// Acceleration of the world that represents gravity.
pub(crate) fn world_acceleration(model: &Model) -> Motion {
    let off = model.options.disable.has(Disable::GRAVITY);
    Motion::new(Vec3::ZERO, if off { Vec3::ZERO } else { -model.options.gravity })
}

/// Inverse dynamics without armature, written to `tau`; `a = None` means zero acceleration (the
/// bias force). Needs velocities.
pub fn calc_rne(model: &Model, data: &mut Data, a: Option<&[f64]>, tau: &mut [f64]) {
    let Data { state, position, velocity, scratch, .. } = data;
    let (A, F) = (&mut scratch.body_motion, &mut scratch.body_force);
    let v = &state.v;
    A[0] = world_acceleration(model);
    F[0] = Force::ZERO;
    for b in 1..model.nbody() {
        let mut acc = A[model.bodies.parent[b].idx()];
        for i in model.bodies.dofs[b].range() {
            acc += velocity.S_dot[i] * v[i];
            if let Some(a) = a {
                acc += position.S[i] * a[i];
            }
        }
        A[b] = acc;
        let (I, V) = (&position.I[b], velocity.V[b]);
        F[b] = I.mul(acc) + V.cross_force(I.mul(V));
    }
    for b in (1..model.nbody()).rev() {
        let f = F[b];
        F[model.bodies.parent[b].idx()] += f;
    }
    for i in 0..model.size.nv {
        tau[i] = position.S[i].dot(F[model.dofs.body[i].idx()]);
    }
}

/// Fills `data.velocity.bias`, including the bias of tendon armature, a Jᵀ (J̇ v).
pub fn update_bias(model: &Model, data: &mut Data) {
    let mut bias = core::mem::take(&mut data.velocity.bias);
    calc_rne(model, data, None, &mut bias);
    add_armature_bias(model, data, &mut bias);
    data.velocity.bias = bias;
}

/// Adds a Jᵀ (J̇ v) for spatial tendons with armature a.
fn add_armature_bias(model: &Model, data: &Data, bias: &mut [f64]) {
    for t in 0..model.ntendon() {
        let armature = tendon_armature(model, t);
        if armature == 0.0 || !model.tendons.spatial[t] {
            continue;
        }
        let rate = armature * calc_jac_dot_v(model, data, t);
        let span = model.tendons.jac[t].range();
        for (&i, &j) in model.tendons.jac_col[span.clone()].iter().zip(&data.position.tendon_jac[span]) {
            bias[i as usize] += rate * j;
        }
    }
}
