//! Body velocities and rates of the motion axes. O(n).
//!
//! V_b = V_parent + Σ S v,   Ṡ = V × S with V the velocity of the frame in which the axis is fixed
//! [Featherstone2008, §3.5]. For ball joints, whose axes are fixed in the child, the joint's own
//! rotation is omitted from Ṡ: it does not change Σ Ṡ v, because ω × ω = 0. Use
//! [`jacobian`](super::jacobian) for the exact rate of a Jacobian.

use crate::data::Data;
use crate::model::{Model, kinds::JointKind};
use saltus_math::Motion;

/// Fills `V` and `S_dot` of `data.velocity`. Needs `update_com`.
pub fn update_body_velocity(model: &Model, data: &mut Data) {
    let (S, v) = (&data.position.S, &data.state.v);
    let velocity = &mut data.velocity;
    velocity.V[0] = Motion::ZERO;
    for b in 1..model.nbody() {
        let mut V = velocity.V[model.bodies.parent[b].idx()];
        for j in model.bodies.joints[b].range() {
            let mut first = model.joints.dof_start[j] as usize;
            let count = match model.joints.kind[j] {
                JointKind::Free => {
                    for i in first..first + 3 {
                        velocity.S_dot[i] = Motion::ZERO;
                        V += S[i] * v[i];
                    }
                    first += 3;
                    3
                }
                kind => kind.nv(),
            };
            let before = V;
            for i in first..first + count {
                velocity.S_dot[i] = before.cross_motion(S[i]);
                V += S[i] * v[i];
            }
        }
        velocity.V[b] = V;
    }
}
