//! Actuator lengths and moments by kind of transmission.

use crate::data::Data;
use crate::joint::ball;
use crate::kinematics::jacobian::{dofs_of, for_each_column};
use crate::model::{
    Model,
    kinds::{JointKind, TransmissionKind},
};
use saltus_math::{MIN_VAL, Quat, Vec3};

/// Fills actuator lengths and moments of `data.position`. Needs kinematics, `update_com` and
/// tendons.
pub fn update_transmission(model: &Model, data: &mut Data) {
    let mut row = core::mem::take(&mut data.scratch.dof);
    for a in 0..model.nactuator() {
        let span = model.actuators.moment[a].range();
        for &i in &model.actuators.moment_col[span.clone()] {
            row[i as usize] = 0.0;
        }
        let length = calc_transmission(model, data, a, &model.actuators.gear[a], &mut row);
        data.position.actuator_length[a] = length;
        for (&i, m) in model.actuators.moment_col[span.clone()].iter().zip(&mut data.position.actuator_moment[span]) {
            *m = row[i as usize];
        }
    }
    data.scratch.dof = row;
}

/// Moments of adhesion actuators, which pull along the normals of their body's contacts with equal
/// weights. Needs contacts.
pub fn update_adhesion(model: &Model, data: &mut Data) {
    for a in 0..model.nactuator() {
        let (TransmissionKind::Body, [Some(body), _]) = (model.actuators.transmission[a], model.actuators.target[a])
        else {
            continue;
        };
        let span = model.actuators.moment[a].range();
        let mut row = core::mem::take(&mut data.scratch.dof);
        row.fill(0.0);
        let mut count = 0;
        for contact in &data.contacts {
            let bodies = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()].0);
            if bodies.contains(&body) {
                count += 1;
                let normal = contact.frame.r0;
                add_wrench(model, data, bodies[0] as usize, contact.pos, normal, Vec3::ZERO, &mut row);
                add_wrench(model, data, bodies[1] as usize, contact.pos, -normal, Vec3::ZERO, &mut row);
            }
        }
        let share = 1.0 / f64::from(count.max(1));
        for (&i, m) in model.actuators.moment_col[span.clone()].iter().zip(&mut data.position.actuator_moment[span]) {
            *m = share * row[i as usize];
        }
        data.scratch.dof = row;
    }
}

/// Velocities of actuators: moment · v.
pub fn update_actuator_velocity(model: &Model, data: &mut Data) {
    for a in 0..model.nactuator() {
        let span = model.actuators.moment[a].range();
        let cols = &model.actuators.moment_col[span.clone()];
        data.velocity.actuator_velocity[a] =
            cols.iter().zip(&data.position.actuator_moment[span]).map(|(&i, m)| m * data.state.v[i as usize]).sum();
    }
}

/// Length and moment of actuator `a` with a gear of one in component `k` and zero in all others:
/// the derivatives with respect to that component. `row` must be zero.
pub(crate) fn calc_unit_transmission(model: &Model, data: &Data, a: usize, k: usize, row: &mut [f64]) -> f64 {
    let gear = core::array::from_fn(|i| f64::from(i == k));
    calc_transmission(model, data, a, &gear, row)
}

/// Length of actuator `a` with the given gear; writes its moment into the dense `row`, which must
/// be zero in the columns of the actuator.
fn calc_transmission(model: &Model, data: &Data, a: usize, gear: &[f64; 6], row: &mut [f64]) -> f64 {
    let [first, second] = model.actuators.target[a];
    let Some(first) = first.map(|id| id as usize) else { return 0.0 };
    match (model.actuators.transmission[a], second.map(|id| id as usize)) {
        (TransmissionKind::Joint, _) => joint(model, data, first, gear, false, row),
        (TransmissionKind::JointInParent, _) => joint(model, data, first, gear, true, row),
        (TransmissionKind::Tendon, _) => {
            let span = model.tendons.jac[first].range();
            for (&i, &j) in model.tendons.jac_col[span.clone()].iter().zip(&data.position.tendon_jac[span]) {
                row[i as usize] = j * gear[0];
            }
            data.position.tendon_length[first] * gear[0]
        }
        (TransmissionKind::SliderCrank, Some(slider)) => {
            slider_crank(model, data, [first, slider], gear[0], model.actuators.crank_length[a], row)
        }
        (TransmissionKind::Site, None) => {
            let (p, R) = (data.position.p_WS[first], &data.position.R_WS[first]);
            let (force, torque) = (*R * Vec3::from_slice(gear), *R * Vec3::from_slice(&gear[3..]));
            add_wrench(model, data, model.sites.body[first].idx(), p, force, torque, row);
            0.0
        }
        (TransmissionKind::Site, Some(reference)) => site_pair(model, data, first, reference, gear, row),
        // Adhesion acts along contacts, see `update_adhesion`.
        (TransmissionKind::Body, _) | (TransmissionKind::SliderCrank, None) => 0.0,
    }
}

fn joint(model: &Model, data: &Data, j: usize, gear: &[f64; 6], in_parent: bool, row: &mut [f64]) -> f64 {
    let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
    let q = &data.state.q;
    match model.joints.kind[j] {
        JointKind::Slide | JointKind::Hinge => {
            row[d] = gear[0];
            q[i] * gear[0]
        }
        JointKind::Ball => {
            let quat = Quat::from_slice(&q[i..i + 4]).normalized();
            let axis = Vec3::from_slice(gear);
            let moment = if in_parent { quat.conj().rotate(axis) } else { axis };
            moment.write_to_slice(&mut row[d..d + 3]);
            let mut turn = [0.0; 3];
            ball::difference(&Quat::IDENTITY.to_array(), &quat.to_array(), 1.0, &mut turn);
            // The rotation vector is the same in parent and child axes.
            Vec3::from_array(turn).dot(axis)
        }
        JointKind::Free => {
            row[d..d + 3].copy_from_slice(&gear[..3]);
            let axis = Vec3::from_slice(&gear[3..]);
            let quat = Quat::from_slice(&q[i + 3..i + 7]).normalized();
            let moment = if in_parent { quat.conj().rotate(axis) } else { axis };
            moment.write_to_slice(&mut row[d + 3..d + 6]);
            0.0
        }
    }
}

/// A rod of length `rod` connects a crank's pin to a slider along the z axis of the slider's site.
/// With the pin at c = r + h z, r perpendicular to the axis, the slider is at s = h − √(rod² − r²)
/// (MuJoCo's manual, "slider-crank"). As z·dr = 0 and dh = z·dc + c·dz,
///   ds = (z + e)·dc + (r − h e)·dz (+ a term along z),   e = r/√(rod² − r²):
/// a force z + e at the pin, its reaction at the slider, and the moment z × (r − h e) there. A rod
/// that is too short points along the axis: e = 0.
fn slider_crank(model: &Model, data: &Data, [crank, slider]: [usize; 2], gear: f64, rod: f64, row: &mut [f64]) -> f64 {
    let position = &data.position;
    let (pin, origin, z) = (position.p_WS[crank], position.p_WS[slider], position.R_WS[slider].col(2));
    let h = (pin - origin).dot(z);
    let r = pin - origin - z * h;
    let along = (rod * rod - r.length_squared()).max(0.0).sqrt();
    let e = if along > 0.0 { r / along } else { Vec3::ZERO };
    let (force, moment) = ((z + e) * gear, z.cross(r - e * h) * gear);
    let [crank, slider] = [crank, slider].map(|site| model.sites.body[site].idx());
    add_wrench(model, data, crank, pin, force, Vec3::ZERO, row);
    add_wrench(model, data, slider, origin, -force, moment, row);
    (h - along) * gear
}

/// Pose difference of two sites along `gear`, in the frame of the reference site.
fn site_pair(model: &Model, data: &Data, site: usize, reference: usize, gear: &[f64; 6], row: &mut [f64]) -> f64 {
    let x = &data.position;
    let (translation, rotation) = (Vec3::from_slice(gear), Vec3::from_slice(&gear[3..]));
    let (p, p_ref) = (x.p_WS[site], x.p_WS[reference]);
    let (R_ref, mut length) = (&x.R_WS[reference], 0.0);
    let (body, body_ref) = (model.sites.body[site].idx(), model.sites.body[reference].idx());
    if translation != Vec3::ZERO {
        length += R_ref.tmul(p - p_ref).dot(translation);
    }
    if rotation != Vec3::ZERO {
        let turn = (x.quat_WS[reference].conj() * x.quat_WS[site]).log();
        length += turn.dot(rotation);
    }
    // The force acts on the site and its reaction on the reference site, each at its own point.
    let (force, torque) = (*R_ref * translation, *R_ref * rotation);
    let shared = last_common_dof(model, body, body_ref);
    let mut add = |b: usize, p: Vec3, sign: f64| {
        for_each_column(model, data, b, p, |i, ang, lin| {
            if shared.is_none_or(|s| i > s) {
                row[i] += sign * (lin.dot(force) + ang.dot(torque));
            }
        });
    };
    add(body, p, 1.0);
    add(body_ref, p_ref, -1.0);
    length
}

/// Last dof that moves both bodies: it moves them as one and does not affect their relative motion.
fn last_common_dof(model: &Model, a: usize, b: usize) -> Option<usize> {
    let (mut chain_a, mut chain_b) = (dofs_of(model, a), dofs_of(model, b));
    let (mut i, mut j) = (chain_a.next(), chain_b.next());
    while let (Some(x), Some(y)) = (i, j) {
        match x.cmp(&y) {
            core::cmp::Ordering::Equal => return Some(x),
            core::cmp::Ordering::Greater => i = chain_a.next(),
            core::cmp::Ordering::Less => j = chain_b.next(),
        }
    }
    None
}

/// row += Jᵀ (force, torque).
fn add_wrench(model: &Model, data: &Data, body: usize, p: Vec3, force: Vec3, torque: Vec3, row: &mut [f64]) {
    if force.length() + torque.length() > MIN_VAL {
        crate::kinematics::jacobian::apply_wrench(model, data, body, p, force, torque, row);
    }
}
