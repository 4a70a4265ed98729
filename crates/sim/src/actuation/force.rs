//! Actuator forces: gain · (control or activation) + bias, limits, and the resulting generalized
//! forces.

use super::activation::{calc_next_activation, calc_pid_error, pid_state, update_rate};
use super::muscle::Muscle;
use crate::callbacks::Callbacks;
use crate::data::Data;
use crate::ids::ActuatorId;
use crate::model::Model;
use crate::model::kinds::{BiasKind, GainKind, JointKind, TransmissionKind};
use crate::options::Disable;
use saltus_math::{Vec3, real::PI};

/// Maximum number of controls of one actuator (position, velocity, feed-forward).
const MAX_INPUTS: usize = 3;

/// Fills activation rates, actuator forces and `tau_actuator`. Needs the velocity stage.
pub fn update_actuation(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) {
    data.acceleration.actuator_force.fill(0.0);
    data.acceleration.act_dot.fill(0.0);
    data.acceleration.tau_actuator.fill(0.0);
    // As in MuJoCo, gravity compensation through actuators requires at least one actuator.
    if model.options.disable.has(Disable::ACTUATION) || model.nactuator() == 0 {
        return;
    }
    for a in 0..model.nactuator() {
        if is_disabled(model, a) {
            continue;
        }
        let (ctrl, count) = clamped_ctrl(model, data, a);
        let ctrl = &ctrl[..count];
        update_rate(model, data, a, ctrl, callbacks);
        data.acceleration.actuator_force[a] = calc_force(model, data, a, ctrl, callbacks);
    }
    limit_tendon_forces(model, data);
    for (a, force) in data.acceleration.actuator_force.iter_mut().enumerate() {
        *force = clamp_if(*force, model.actuators.force_limited[a], model.actuators.force_range[a]);
    }
    update_tau(model, data);
}

pub(crate) fn is_disabled(model: &Model, a: usize) -> bool {
    let group = model.actuators.group[a];
    (0..=30).contains(&group) && model.options.disable_actuator_groups >> group & 1 == 1
}

fn clamp_if(x: f64, limited: bool, [low, high]: [f64; 2]) -> f64 {
    if limited { x.max(low).min(high) } else { x }
}

/// Controls of an actuator, clamped to their ranges.
pub(super) fn clamped_ctrl(model: &Model, data: &Data, a: usize) -> ([f64; MAX_INPUTS], usize) {
    let clamp = !model.options.disable.has(Disable::CLAMPCTRL);
    let mut ctrl = [0.0; MAX_INPUTS];
    let span = model.actuators.ctrl[a].range();
    let count = span.len().min(MAX_INPUTS);
    for (k, i) in span.take(MAX_INPUTS).enumerate() {
        let limited = clamp && model.actuators.ctrl_limited[i];
        ctrl[k] = clamp_if(data.input.ctrl[i], limited, model.actuators.ctrl_range[i]);
    }
    (ctrl, count)
}

/// The input of a PID servo with this bit (1 position, 2 velocity, 4 feed-forward); zero if it is
/// not declared.
pub(super) fn input(model: &Model, a: usize, ctrl: &[f64], bit: i32) -> f64 {
    let declared = model.actuators.inputs[a];
    if declared & bit == 0 {
        return 0.0;
    }
    let index = (declared & (bit - 1)).count_ones() as usize;
    ctrl.get(index).copied().unwrap_or(0.0)
}

fn calc_force(model: &Model, data: &Data, a: usize, ctrl: &[f64], callbacks: &mut dyn Callbacks) -> f64 {
    let actuators = &model.actuators;
    let (length, velocity) = (data.position.actuator_length[a], data.velocity.actuator_velocity[a]);
    if actuators.gain[a] == GainKind::Pid {
        return calc_pid_force(model, data, a, ctrl);
    }
    let drive = calc_drive(model, data, a, ctrl);
    let prm = &actuators.gain_prm[a];
    let gain = match actuators.gain[a] {
        GainKind::Fixed => prm[0],
        GainKind::Affine => prm[0] + prm[1] * length + prm[2] * velocity,
        GainKind::Muscle => Muscle::of(model, a, prm).active(length, velocity).force,
        GainKind::User => callbacks.gain(model, data, ActuatorId::new(a)),
        GainKind::DcMotor | GainKind::So3 | GainKind::Pid => 0.0,
    };
    let prm = &actuators.bias_prm[a];
    match actuators.bias[a] {
        BiasKind::Affine if is_position_servo(model, a) => {
            // The error is an angle modulo 2π if the length is.
            prm[0] + gain * circular_difference(model, a, drive, length) + prm[2] * velocity
        }
        BiasKind::Affine => gain * drive + prm[0] + prm[1] * length + prm[2] * velocity,
        BiasKind::Muscle => gain * drive + Muscle::of(model, a, prm).passive(length)[0],
        BiasKind::User => gain * drive + callbacks.bias(model, data, ActuatorId::new(a)),
        BiasKind::None | BiasKind::DcMotor | BiasKind::So3 => gain * drive,
    }
}

/// The drive, which the gain multiplies: the activation (at the end of the step if so specified),
/// or else the control.
pub(super) fn calc_drive(model: &Model, data: &Data, a: usize, ctrl: &[f64]) -> f64 {
    let act = model.actuators.act[a].range();
    if act.is_empty() {
        ctrl.first().copied().unwrap_or(0.0)
    } else if model.actuators.activation_early[a] {
        calc_next_activation(model, data, ActuatorId::new(a), act.end - 1)
    } else {
        data.state.act[act.end - 1]
    }
}

/// Whether the force is gain · (drive − length) + …, so that the drive is a set point of the
/// length.
pub(super) fn is_position_servo(model: &Model, a: usize) -> bool {
    let actuators = &model.actuators;
    actuators.gain[a] == GainKind::Fixed
        && actuators.bias[a] == BiasKind::Affine
        && actuators.bias_prm[a][1] == -actuators.gain_prm[a][0]
}

/// kp (position error) + kv (velocity error) + ki (integral) + feed-forward.
fn calc_pid_force(model: &Model, data: &Data, a: usize, ctrl: &[f64]) -> f64 {
    let prm = &model.actuators.bias_prm[a];
    let (kp, kv, ki) = (-prm[1], -prm[2], model.actuators.gain_prm[a][0]);
    let integral = pid_state(model, a).integral.map_or(0.0, |i| data.state.act[i]);
    prm[0]
        + kp * calc_pid_error(model, data, a, ctrl)
        + kv * (input(model, a, ctrl, 2) - data.velocity.actuator_velocity[a])
        + ki * integral
        + input(model, a, ctrl, 4)
}

/// `target − length`, modulo 2π for transmissions whose length is an angle of rotation in space:
/// ball joints, and site pairs with a purely rotational gear.
pub(super) fn circular_difference(model: &Model, a: usize, target: f64, length: f64) -> f64 {
    let gear = &model.actuators.gear[a];
    let [first, second] = model.actuators.target[a];
    let axis = match (model.actuators.transmission[a], first, second) {
        (TransmissionKind::Joint | TransmissionKind::JointInParent, Some(j), _)
            if model.joints.kind[j as usize] == JointKind::Ball =>
        {
            Vec3::from_slice(gear)
        }
        (TransmissionKind::Site, Some(_), Some(_)) if gear[..3] == [0.0; 3] => Vec3::from_slice(&gear[3..]),
        _ => return target - length,
    };
    let period = 2.0 * PI * axis.length();
    let difference = target - length;
    if period > 0.0 { difference - period * (difference / period).round() } else { difference }
}

/// The set point `act` of a position servo, shifted by whole turns to within half a turn of
/// `length` if that is an angle.
pub(crate) fn wrapped_set_point(model: &Model, a: usize, act: f64, length: f64) -> f64 {
    if !is_position_servo(model, a) {
        return act;
    }
    let shortest = circular_difference(model, a, act, length);
    if shortest == act - length { act } else { length + shortest }
}

/// Scales the forces of all actuators on a tendon so that their sum is within the tendon's range.
fn limit_tendon_forces(model: &Model, data: &mut Data) {
    let force = &mut data.acceleration.actuator_force;
    for t in 0..model.ntendon() {
        if !model.tendons.actuator_force_limited[t] {
            continue;
        }
        let total: f64 = model.actuators.on_tendon(t).map(|a| force[a]).sum();
        let limited = clamp_if(total, true, model.tendons.actuator_force_range[t]);
        if total != limited {
            let scale = limited / total;
            for a in model.actuators.on_tendon(t) {
                force[a] *= scale;
            }
        }
    }
}

/// τ = Σ momentᵀ force, plus gravity compensation through actuators, clamped to the limits of
/// joints.
fn update_tau(model: &Model, data: &mut Data) {
    let Data { position, velocity, acceleration, .. } = data;
    let tau = &mut acceleration.tau_actuator;
    for a in 0..model.nactuator() {
        let force = acceleration.actuator_force[a];
        if force == 0.0 {
            continue;
        }
        let span = model.actuators.moment[a].range();
        for (&i, &m) in model.actuators.moment_col[span.clone()].iter().zip(&position.actuator_moment[span]) {
            tau[i as usize] += m * force;
        }
    }
    for j in 0..model.njoint() {
        let first = model.joints.dof_start[j] as usize;
        let kind = model.joints.kind[j];
        if model.joints.actuator_gravcomp[j] {
            for i in first..first + kind.nv() {
                tau[i] += velocity.gravcomp[i];
            }
        }
        if kind.nv() == 1 {
            tau[first] =
                clamp_if(tau[first], model.joints.actuator_force_limited[j], model.joints.actuator_force_range[j]);
        }
    }
}
