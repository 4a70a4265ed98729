//! Newton–Euler once all forces are known: accelerations of bodies and the forces between them. O(n).

use super::rne::world_acceleration;
use crate::data::Data;
use crate::model::Model;
use saltus_math::Force;

/// Fills `A`, `F_ext` and `F_int` of `data.acceleration` from `acceleration.a` and the applied forces.
pub fn update_post_constraint(model: &Model, data: &mut Data) {
    let Data { state, input, position, velocity, acceleration, .. } = data;
    let (bodies, nbody) = (&model.bodies, model.nbody());
    for b in 0..nbody {
        let [force, torque] = input.body_force[b];
        // The wrench acts at the centre of mass; move its moment to the origin of the c-frame.
        let to_origin = position.com[bodies.root[b].idx()] - position.p_WI[b];
        acceleration.F_ext[b] = if b == 0 { Force::ZERO } else { Force::new(torque, force).shifted(to_origin) };
    }
    acceleration.A[0] = world_acceleration(model);
    acceleration.F_int[0] = Force::ZERO;
    for b in 1..nbody {
        let mut A = acceleration.A[bodies.parent[b].idx()];
        for i in bodies.dofs[b].range() {
            A += velocity.S_dot[i] * state.v[i] + position.S[i] * acceleration.a[i];
        }
        acceleration.A[b] = A;
        let (I, V) = (&position.I[b], velocity.V[b]);
        acceleration.F_int[b] = I.mul(A) + V.cross_force(I.mul(V)) - acceleration.F_ext[b];
    }
    for b in (1..nbody).rev() {
        let f = acceleration.F_int[b];
        acceleration.F_int[bodies.parent[b].idx()] += f;
    }
}
