//! Constants computed in the reference pose q₀: lengths, inverse weights, relative poses.

use super::names::{Element, Outcome};
use super::work::WorkBody;
use super::{equality, inertial, servo, statistic, weights};
use crate::collide::near;
use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::{EqualityType, ObjectKind};
use crate::model::spec::ModelSpec;
use crate::{actuation, dynamics, kinematics, tendon};
use saltus_math::{Quat, Vec3};

/// Recomputes the constants that depend on the masses, frames and coordinates of the reference
/// pose. Call it after changing a compiled model's masses, inertias, frames or q₀.
pub fn update_reference(model: &mut Model) {
    update_from_pose(model);
}

/// Same as [`update_reference`]; returns the data in the reference pose.
fn update_from_pose(model: &mut Model) -> Data {
    update_subtree_mass(model);
    let data = reference_data(model);
    weights::update_weights(model, &data);
    update_lengths(model, &data);
    update_views(model, &data);
    update_anchors(model, &data);
    update_weld_poses(model, &data);
    model.near = near::find(model, &data.position);
    data
}

/// Constants and statistics of a newly compiled model, and values that the spec leaves to the
/// compiler.
pub(super) fn fill_reference(spec: &ModelSpec, bodies: &[WorkBody], model: &mut Model) -> Outcome {
    let data = update_from_pose(model);
    if bodies.iter().any(|b| b.compiler(&spec.compiler).inertia_as_given) {
        inertial::check_positive(bodies, model, &data)?;
    }
    servo::fill_spring_dampers(bodies, model);
    servo::fill_damping_ratios(spec, model, &data)?;
    fill_spring_lengths(model);
    statistic::fill_statistic(spec, model, &data)?;
    check_finite(model)
}

/// Data in the reference pose, position stage complete.
pub(super) fn reference_data(model: &Model) -> Data {
    let mut data = Data::new(model);
    kinematics::update_kinematics(model, &mut data);
    kinematics::update_com(model, &mut data);
    tendon::update_tendons(model, &mut data);
    dynamics::update_inertia(model, &mut data);
    dynamics::update_factor(model, &mut data);
    actuation::update_transmission(model, &mut data);
    data
}

fn update_subtree_mass(model: &mut Model) {
    let bodies = &mut model.bodies;
    bodies.subtree_mass.copy_from_slice(&bodies.mass);
    for b in (1..bodies.parent.len()).rev() {
        let mass = bodies.subtree_mass[b];
        bodies.subtree_mass[bodies.parent[b].idx()] += mass;
    }
}

fn update_lengths(model: &mut Model, data: &Data) {
    model.tendons.length0.copy_from_slice(&data.position.tendon_length);
    model.actuators.length0.copy_from_slice(&data.position.actuator_length);
}

/// Poses of cameras and lights as fixed to their bodies, independent of their mode. The centre of
/// mass is that of the body they point at, if any.
fn update_views(model: &mut Model, data: &Data) {
    let p = &data.position;
    for c in 0..model.cameras.mode.len() {
        let b = model.cameras.body[c].idx();
        let offset = p.quat_WB[b].rotate(model.cameras.pos[c]);
        model.cameras.pos0[c] = offset;
        let com = p.com[model.cameras.target[c].map_or(b, |t| t.idx())];
        model.cameras.pos_com0[c] = p.p_WB[b] + offset - com;
        model.cameras.mat0[c] = (p.quat_WB[b] * model.cameras.quat[c]).to_mat3();
    }
    for l in 0..model.lights.mode.len() {
        let b = model.lights.body[l].idx();
        let offset = p.quat_WB[b].rotate(model.lights.pos[l]);
        model.lights.pos0[l] = offset;
        let com = p.com[model.lights.target[l].map_or(b, |t| t.idx())];
        model.lights.pos_com0[l] = p.p_WB[b] + offset - com;
        model.lights.dir0[l] = p.quat_WB[b].rotate(model.lights.dir[l]);
    }
}

/// Anchors of connect constraints in their second body: the position of the first body's anchor in
/// the reference pose.
fn update_anchors(model: &mut Model, data: &Data) {
    let p = &data.position;
    for e in 0..model.equalities.kind.len() {
        let bodies = model.equalities.object_kind[e] == ObjectKind::Body;
        if !bodies || model.equalities.kind[e] != EqualityType::Connect {
            continue;
        }
        let (b1, b2) = (model.equalities.object1[e] as usize, model.equalities.object2[e].unwrap_or(0) as usize);
        let row = &mut model.equalities.data[e];
        let anchor = Vec3::new(row[0], row[1], row[2]);
        let world = p.p_WB[b1] + p.quat_WB[b1].rotate(anchor);
        let second = p.quat_WB[b2].conj().rotate(world - p.p_WB[b2]);
        row[3..6].copy_from_slice(&second.to_array());
    }
}

/// Relative poses of weld constraints without a given one: those of the reference pose.
fn update_weld_poses(model: &mut Model, data: &Data) {
    let p = &data.position;
    for e in 0..model.equalities.kind.len() {
        let bodies = model.equalities.object_kind[e] == ObjectKind::Body;
        let left_open = model.equalities.data[e][equality::WELD_FROM_REFERENCE] == 1.0;
        if !bodies || !left_open || model.equalities.kind[e] != EqualityType::Weld {
            continue;
        }
        let (b1, b2) = (model.equalities.object1[e] as usize, model.equalities.object2[e].unwrap_or(0) as usize);
        let row = &mut model.equalities.data[e];
        let anchor = Vec3::new(row[0], row[1], row[2]);
        // Pose of body 2 relative to body 1; the anchor is a point of body 2.
        let inverse = p.quat_WB[b1].conj();
        let quat: Quat = (inverse * p.quat_WB[b2]).normalized();
        let point = p.p_WB[b2] + p.quat_WB[b2].rotate(anchor);
        row[3..6].copy_from_slice(&inverse.rotate(point - p.p_WB[b1]).to_array());
        row[6..10].copy_from_slice(&quat.to_array());
    }
}

/// Rest lengths of tendon springs that are left to the compiler: those of the spring reference
/// pose.
fn fill_spring_lengths(model: &mut Model) {
    if !model.tendons.length_spring.iter().any(|s| s[0] == -1.0) {
        return;
    }
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(&model.q_spring);
    kinematics::update_kinematics(model, &mut data);
    kinematics::update_com(model, &mut data);
    tendon::update_tendons(model, &mut data);
    for (spring, length) in model.tendons.length_spring.iter_mut().zip(&data.position.tendon_length) {
        if spring[0] == -1.0 {
            *spring = [*length; 2];
        }
    }
}

/// Final check: a model whose constants are not finite is unusable.
fn check_finite(model: &Model) -> Outcome {
    for (b, weight) in model.bodies.inv_weight.iter().enumerate() {
        let element = Element::new("body", &model.bodies.name[b], b, "");
        element.check_finite("inverse weight at the reference pose", weight)?;
    }
    for (t, weight) in model.tendons.inv_weight.iter().enumerate() {
        let element = Element::new("tendon", &model.tendons.name[t], t, "");
        element.check_finite("inverse weight at the reference pose", &[*weight, model.tendons.length0[t]])?;
    }
    Ok(())
}
