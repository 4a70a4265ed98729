//! Newton–Euler pass after all forces are known: accelerations of bodies and the forces between
//! them. O(n).

use super::crb::tendon_armature;
use super::passive::tendon_passive;
use super::rne::world_acceleration;
use crate::constraint::{self, tendon_force};
use crate::data::Data;
use crate::model::Model;
use crate::tendon::spatial;
use saltus_math::{Force, Vec3};

/// Fills `A`, `F_ext` and `F_int` of `data.acceleration` from `acceleration.a`, the applied forces,
/// the tendons and the constraints.
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

/// Forces on bodies that are not transmitted by joints, in the c-frame.
fn update_external(model: &Model, data: &mut Data) {
    let mut F_ext = core::mem::take(&mut data.acceleration.F_ext);
    F_ext.fill(Force::ZERO);
    let position = &data.position;
    let mut add = |b: usize, p: Vec3, force: Vec3, torque: Vec3| {
        if b > 0 {
            // Shifts the moment from p to the origin of the c-frame.
            let to_origin = position.com[model.bodies.root[b].idx()] - p;
            F_ext[b] += Force::new(torque, force).shifted(to_origin);
        }
    };
    for b in 1..model.nbody() {
        let [force, torque] = data.input.body_force[b];
        add(b, position.p_WI[b], force, torque);
    }
    for_each_tendon_force(model, data, |b, p, force| add(b, p, force, Vec3::ZERO));
    constraint::for_each_body_wrench(model, data, add);
    data.acceleration.F_ext = F_ext;
}

/// Calls `add(body, point, force)` for all forces of spatial tendons on bodies: springs, dampers,
/// actuators, armature and constraints. Needs the acceleration.
fn for_each_tendon_force(model: &Model, data: &Data, mut add: impl FnMut(usize, Vec3, Vec3)) {
    for t in (0..model.ntendon()).filter(|&t| model.tendons.spatial[t]) {
        let (spring, damper) = tendon_passive(model, data, t);
        let force = spring
            + damper
            + actuator_force(model, data, t)
            + armature_force(model, data, t)
            + tendon_force(model, data, t);
        if force != 0.0 {
            spatial::for_each_force(model, data, t, force, &mut add);
        }
    }
}

/// Sum of the actuator forces along a tendon, multiplied by their gears.
fn actuator_force(model: &Model, data: &Data, t: usize) -> f64 {
    let actuators = &model.actuators;
    actuators.on_tendon(t).map(|a| data.acceleration.actuator_force[a] * actuators.gear[a][0]).sum()
}

/// Force of the tendon armature, −a (J q̈ + J̇ v).
fn armature_force(model: &Model, data: &Data, t: usize) -> f64 {
    let armature = tendon_armature(model, t);
    if armature == 0.0 {
        return 0.0;
    }
    let span = model.tendons.jac[t].range();
    let cols = &model.tendons.jac_col[span.clone()];
    let accel: f64 =
        cols.iter().zip(&data.position.tendon_jac[span]).map(|(&i, j)| j * data.acceleration.a[i as usize]).sum();
    -armature * (accel + spatial::calc_jac_dot_v(model, data, t))
}
