//! Tendons: lengths and Jacobians of linear joint combinations and of shortest paths through sites and around geoms.

pub(crate) mod spatial;
mod wrap;

pub use wrap::{Obstacle, Wrapped, wrap};

use crate::constraint::tendon_force;
use crate::data::Data;
use crate::dynamics::{tendon_armature, tendon_passive};
use crate::model::Model;
use saltus_math::Vec3;

/// Fills tendon lengths, Jacobians and path points of `data.position`. Needs `update_com`.
pub fn update_tendons(model: &Model, data: &mut Data) {
    let mut point = 0;
    for t in 0..model.ntendon() {
        if model.tendons.spatial[t] {
            point = spatial::update(model, data, t, point);
        } else {
            data.position.tendon_points[t] = [point as i32, 0];
            update_fixed(model, data, t);
        }
    }
}

/// A fixed tendon: Σ coefficient · joint value.
fn update_fixed(model: &Model, data: &mut Data, t: usize) {
    let position = &mut data.position;
    let span = model.tendons.jac[t].range();
    position.tendon_jac[span.clone()].fill(0.0);
    let cols = &model.tendons.jac_col[span.clone()];
    let mut length = 0.0;
    for w in model.tendons.path[t].range() {
        let (j, coefficient) = (model.wraps.object[w] as usize, model.wraps.prm[w]);
        length += coefficient * data.state.q[model.joints.q_start[j] as usize];
        if let Ok(k) = cols.binary_search(&model.joints.dof_start[j]) {
            position.tendon_jac[span.start + k] += coefficient;
        }
    }
    position.tendon_length[t] = length;
}

/// Velocities of tendons: J v.
pub fn update_tendon_velocity(model: &Model, data: &mut Data) {
    for t in 0..model.ntendon() {
        let span = model.tendons.jac[t].range();
        let cols = &model.tendons.jac_col[span.clone()];
        data.velocity.tendon_velocity[t] =
            cols.iter().zip(&data.position.tendon_jac[span]).map(|(&i, j)| j * data.state.v[i as usize]).sum();
    }
}

/// Adds a Jᵀ (J̇ v) for spatial tendons with armature a.
pub(crate) fn add_armature_bias(model: &Model, data: &Data, bias: &mut [f64]) {
    for t in 0..model.ntendon() {
        let armature = tendon_armature(model, t);
        if armature == 0.0 || !model.tendons.spatial[t] {
            continue;
        }
        let rate = armature * spatial::calc_jac_dot_v(model, data, t);
        let span = model.tendons.jac[t].range();
        for (&i, &j) in model.tendons.jac_col[span.clone()].iter().zip(&data.position.tendon_jac[span]) {
            bias[i as usize] += rate * j;
        }
    }
}

/// Calls `add(body, point, force)` for all forces of spatial tendons on bodies: springs, dampers, actuators, armature and
/// constraints.
/// Needs the acceleration.
pub(crate) fn for_each_body_force(model: &Model, data: &Data, mut add: impl FnMut(usize, Vec3, Vec3)) {
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

/// Sum of the actuator forces on a tendon, through their gears.
fn actuator_force(model: &Model, data: &Data, t: usize) -> f64 {
    let actuators = &model.actuators;
    actuators.on_tendon(t).map(|a| data.acceleration.actuator_force[a] * actuators.gear[a][0]).sum()
}

/// −a (J q̈ + J̇ v).
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
