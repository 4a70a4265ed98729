//! Newton–Euler once all forces are known: accelerations of bodies and the forces between them. O(n).

use super::rne::world_acceleration;
use crate::constraint;
use crate::data::Data;
use crate::model::Model;
use crate::tendon::for_each_body_force;
use saltus_math::{Force, Vec3};

/// Fills `A`, `F_ext` and `F_int` of `data.acceleration` from `acceleration.a`, the applied forces, the tendons
/// and the constraints.
pub fn update_post_constraint(model: &Model, data: &mut Data) {
    update_external(model, data);
    let Data { state, position, velocity, acceleration, .. } = data;
    let bodies = &model.bodies;
    acceleration.A[0] = world_acceleration(model);
    acceleration.F_int[0] = Force::ZERO;
    for b in 1..model.nbody() {
        let mut A = acceleration.A[bodies.parent[b].idx()];
        for i in bodies.dofs[b].range() {
            A += velocity.S_dot[i] * state.v[i] + position.S[i] * acceleration.a[i];
        }
        acceleration.A[b] = A;
        let (I, V) = (&position.I[b], velocity.V[b]);
        acceleration.F_int[b] = I.mul(A) + V.cross_force(I.mul(V)) - acceleration.F_ext[b];
    }
    for b in (1..model.nbody()).rev() {
        let f = acceleration.F_int[b];
        acceleration.F_int[bodies.parent[b].idx()] += f;
    }
}

/// Forces on bodies that do not come through joints, in the c-frame.
fn update_external(model: &Model, data: &mut Data) {
    let mut F_ext = core::mem::take(&mut data.acceleration.F_ext);
    F_ext.fill(Force::ZERO);
    let position = &data.position;
    let mut add = |b: usize, p: Vec3, force: Vec3, torque: Vec3| {
        if b > 0 {
            // Move the moment from p to the origin of the c-frame.
            let to_origin = position.com[model.bodies.root[b].idx()] - p;
            F_ext[b] += Force::new(torque, force).shifted(to_origin);
        }
    };
    for b in 1..model.nbody() {
        let [force, torque] = data.input.body_force[b];
        add(b, position.p_WI[b], force, torque);
    }
    for_each_body_force(model, data, |b, p, force| add(b, p, force, Vec3::ZERO));
    constraint::for_each_body_wrench(model, data, add);
    data.acceleration.F_ext = F_ext;
}
