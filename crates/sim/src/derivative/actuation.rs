//! Derivatives of actuator forces: gain, bias and muscle with respect to length and velocity, and
//! moments with respect to q.
//!
//! τ += mᵀ F(l, l̇): −∂ = −mᵀ (F_l ∂l + F_l̇ ∂(m v)) − F ∂mᵀ. On a ball joint l = axis · x with x
//! the rotation vector, so that ∂l = J_r⁻ᵀ(x) axis, which is not m; a moment in parent axes, m = Rᵀ
//! axis, changes by ∂m = m × δ. The wrench of a site without reference moves with the site.

use super::chain::At;
use super::medium::Carried;
use super::outer::{Row, Stiffness, add_outer};
use super::passive::{add_block, add_gravcomp};
use super::so3;
use super::sweep::Matrices;
use super::tendon::Tendons;
use super::terms::Terms;
use super::{Inexact, Report};
use super::{contact, link};
use crate::actuation::{Slope as ForceSlope, calc_slope, is_disabled, is_saturated};
use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::{BiasKind, GainKind, JointKind, TransmissionKind};
use crate::options::Disable;
use saltus_math::{Force, Mat3, Mat6, Quat, Vec3};

/// The force of an actuator, and its derivatives with respect to length and velocity.
#[derive(Clone, Copy)]
pub(super) struct Drive {
    pub force: f64,
    pub slope: ForceSlope,
}

/// Destinations of the contributions of actuators.
pub(super) struct Sinks<'a> {
    pub tendons: &'a mut Tendons,
    pub terms: &'a mut Terms,
    pub out: &'a mut Matrices,
    pub report: &'a mut Report,
}

/// Adds the contributions of all actuators. Needs the results of actuation.
pub(super) fn add(at: At<'_>, sinks: Sinks<'_>) {
    let At { model, data, .. } = at;
    if model.options.disable.has(Disable::ACTUATION) || model.nactuator() == 0 {
        return;
    }
    let Sinks { tendons, terms, out, report } = sinks;
    let clamped = |i: usize| is_clamped(model, data, i);
    for a in (0..model.nactuator()).filter(|&a| !is_disabled(model, a)) {
        let (force, slope) = (data.acceleration.actuator_force[a], calc_slope(model, data, a));
        let user = model.actuators.gain[a] == GainKind::User || model.actuators.bias[a] == BiasKind::User;
        let cut = || model.actuators.moment_col[model.actuators.moment[a].range()].iter().any(|&i| clamped(i as usize));
        if user {
            report.add(Inexact::Actuator(a));
        }
        if force == 0.0 && slope == ForceSlope::default() {
            continue;
        }
        let (drive, gear) = (Drive { force, slope }, &model.actuators.gear[a]);
        let [first, second] = model.actuators.target[a];
        let Some(target) = first.map(|id| id as usize) else { continue };
        match (model.actuators.transmission[a], second) {
            (kind @ (TransmissionKind::Joint | TransmissionKind::JointInParent), _) => {
                let in_parent = kind == TransmissionKind::JointInParent;
                add_joint(model, data, target, gear, in_parent, drive, out);
                continue;
            }
            (TransmissionKind::Tendon, _) => {
                let g = gear[0];
                let (length, velocity) = (-g * g * slope.length, -g * g * slope.velocity);
                tendons.add(target, g * force, Stiffness { length, velocity, acceleration: 0.0 });
                let shared =
                    model.tendons.actuator_force_limited[target] && model.actuators.on_tendon(target).nth(1).is_some();
                if shared && is_saturated(model, data, a) {
                    report.add(Inexact::Actuator(a));
                }
            }
            (TransmissionKind::Site, None) => add_site(model, data, target, gear, drive, terms),
            (TransmissionKind::Site, Some(reference)) => {
                let sites = [target, reference as usize];
                link::add_site_pair(at, a, sites, drive, out);
            }
            (TransmissionKind::SliderCrank, Some(slider)) => {
                let sites = [target, slider as usize];
                link::add_slider_crank(at, a, sites, drive, out);
            }
            (TransmissionKind::Body, _) => {
                if slope.velocity != 0.0 {
                    report.add(Inexact::Actuator(a));
                }
                add_adhesion(at, target, force, terms, report);
            }
            (TransmissionKind::SliderCrank, None) => {}
        }
        if cut() {
            report.add(Inexact::Actuator(a));
        }
    }
    add_gravcomp(at, |i| model.joints.actuator_gravcomp[model.dofs.joint[i].idx()] && !clamped(i), out);
}

/// Whether the sum of actuator forces on dof `i` is at its limit.
pub(super) fn is_clamped(model: &Model, data: &Data, i: usize) -> bool {
    let j = model.dofs.joint[i].idx();
    if !model.joints.actuator_force_limited[j] || model.joints.kind[j].nv() != 1 {
        return false;
    }
    let ([low, high], tau) = (model.joints.actuator_force_range[j], data.acceleration.tau_actuator[i]);
    tau <= low || tau >= high
}

fn add_joint(model: &Model, data: &Data, j: usize, gear: &[f64; 6], in_parent: bool, drive: Drive, out: &mut Matrices) {
    let nv = model.size.nv;
    let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
    let quat = |i: usize| Quat::from_slice(&data.state.q[i..i + 4]).normalized();
    match model.joints.kind[j] {
        JointKind::Slide | JointKind::Hinge => {
            if is_clamped(model, data, d) {
                return;
            }
            out.q[d * nv + d] -= gear[0] * gear[0] * drive.slope.length;
            out.v[d * nv + d] -= gear[0] * gear[0] * drive.slope.velocity;
        }
        JointKind::Ball => {
            let axis = Vec3::from_slice(gear);
            let length = so3::right_jacobian_inverse(quat(i).log()).tmul(axis);
            let line = Vec3::ZERO;
            add_turn(data, nv, Turn { d, quat: quat(i), axis, line, length, in_parent }, drive, out);
        }
        JointKind::Free => {
            let (line, axis) = (Vec3::from_slice(gear), Vec3::from_slice(&gear[3..]));
            let turn = Turn { d: d + 3, quat: quat(i + 3), axis, line, length: Vec3::ZERO, in_parent };
            add_turn(data, nv, turn, drive, out);
        }
    }
}

/// The effect of an actuator on a rotation of three dofs.
struct Turn {
    /// The first of the three dofs.
    d: usize,
    quat: Quat,
    /// The torque of a unit force on the rotation, and its force on the three preceding dofs.
    axis: Vec3,
    line: Vec3,
    /// Derivative of l with respect to the rotation.
    length: Vec3,
    /// Whether the torque is fixed in the parent.
    in_parent: bool,
}

fn add_turn(data: &Data, nv: usize, turn: Turn, Drive { force, slope }: Drive, out: &mut Matrices) {
    let Turn { d, quat, axis, line, length, in_parent } = turn;
    let moment = if in_parent { quat.conj().rotate(axis) } else { axis };
    let mut by_turn = length * slope.length;
    if in_parent {
        // m × δ; m v changes by (m × δ) · v = δ · (v × m).
        let v = Vec3::from_slice(&data.state.v[d..]);
        by_turn += v.cross(moment) * slope.velocity;
        add_block(&mut out.q, nv, d, &(Mat3::skew(moment) * -force));
    }
    let first = if line == Vec3::ZERO { d } else { d - 3 };
    let cols: [u32; 6] = core::array::from_fn(|k| (first + k) as u32);
    let mut values = [0.0; 6];
    let n = if line == Vec3::ZERO { 3 } else { 6 };
    if n == 6 {
        line.write_to_slice(&mut values);
    }
    moment.write_to_slice(&mut values[n - 3..]);
    let m = Row::new(&cols[..n], &values[..n]);
    let turn: [u32; 3] = core::array::from_fn(|k| (d + k) as u32);
    add_outer(&mut out.q, nv, -1.0, m, Row::new(&turn, &by_turn.to_array()));
    add_outer(&mut out.v, nv, -slope.velocity, m, m);
}

/// Adhesion: the contacts of a body share the pull along their normals.
fn add_adhesion(at: At<'_>, body: usize, force: f64, terms: &mut Terms, report: &mut Report) {
    let At { model, data, .. } = at;
    let touches = |k: &usize| {
        let contact = &data.contacts[*k];
        [contact.geom1, contact.geom2].iter().any(|g| model.geoms.body[g.idx()].idx() == body)
    };
    let count = (0..data.contacts.len()).filter(touches).count();
    for k in (0..data.contacts.len()).filter(touches) {
        contact::add_pull(at, k, force / count as f64, terms, report);
    }
}

/// A wrench fixed in the axes of a site; the actuator's length is always zero.
fn add_site(model: &Model, data: &Data, s: usize, gear: &[f64; 6], drive: Drive, terms: &mut Terms) {
    let body = model.sites.body[s].idx();
    if model.bodies.tree[body].is_none() {
        return;
    }
    let unit = Force::new(Vec3::from_slice(&gear[3..]), Vec3::from_slice(gear));
    Carried {
        body,
        axes: data.position.R_WS[s].transpose(),
        r: data.position.p_WS[s] - data.position.com[model.bodies.root[body].idx()],
        force: unit * drive.force,
        slope: Mat6::from_fn(|x| unit * (x.dot(unit) * drive.slope.velocity)),
    }
    .add_to(Vec3::ZERO, terms);
}
