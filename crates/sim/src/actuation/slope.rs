//! Derivatives of actuator forces with respect to the actuator's velocity and length.

use super::force::{calc_drive, clamped_ctrl, is_disabled};
use super::muscle::{self, Active, Muscle};
use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::{BiasKind, GainKind, TransmissionKind};
use crate::options::Disable;

/// ∂force/∂velocity and ∂force/∂length of an actuator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slope {
    pub velocity: f64,
    pub length: f64,
}

/// Slopes of actuator `a` at the current state; zero if its force is at a limit and therefore
/// constant. Needs the results of `update_actuation`.
pub(crate) fn calc_slope(model: &Model, data: &Data, a: usize) -> Slope {
    if model.options.disable.has(Disable::ACTUATION) || is_disabled(model, a) || is_saturated(model, data, a) {
        return Slope::default();
    }
    let actuators = &model.actuators;
    let mut slope = Slope::default();
    let (length, velocity) = (data.position.actuator_length[a], data.velocity.actuator_velocity[a]);
    match actuators.bias[a] {
        BiasKind::Affine => {
            slope.velocity += actuators.bias_prm[a][2];
            slope.length += actuators.bias_prm[a][1];
        }
        BiasKind::Muscle => slope.length += Muscle::of(model, a, &actuators.bias_prm[a]).passive(length)[1],
        BiasKind::None | BiasKind::DcMotor | BiasKind::So3 | BiasKind::User => {}
    }
    let prm = &actuators.gain_prm[a];
    let drive = || {
        let (ctrl, count) = clamped_ctrl(model, data, a);
        calc_drive(model, data, a, &ctrl[..count])
    };
    match actuators.gain[a] {
        GainKind::Affine => {
            slope.velocity += prm[2] * drive();
            slope.length += prm[1] * drive();
        }
        GainKind::Muscle => {
            let active = Muscle::of(model, a, prm).active(length, velocity);
            slope.velocity += active.v * drive();
            slope.length += active.l * drive();
        }
        GainKind::Fixed | GainKind::DcMotor | GainKind::So3 | GainKind::Pid | GainKind::User => {}
    }
    slope
}

/// Whether the force is at a limit: of the actuator itself, its tendon, or its joint.
pub(crate) fn is_saturated(model: &Model, data: &Data, a: usize) -> bool {
    let actuators = &model.actuators;
    let outside = |x: f64, [low, high]: [f64; 2]| x <= low || x >= high;
    let force = &data.acceleration.actuator_force;
    if actuators.force_limited[a] && outside(force[a], actuators.force_range[a]) {
        return true;
    }
    let Some(target) = actuators.target[a][0].map(|t| t as usize) else { return false };
    match actuators.transmission[a] {
        TransmissionKind::Tendon => {
            model.tendons.actuator_force_limited[target]
                && outside(
                    actuators.on_tendon(target).map(|b| force[b]).sum(),
                    model.tendons.actuator_force_range[target],
                )
        }
        TransmissionKind::Joint | TransmissionKind::JointInParent => {
            model.joints.actuator_force_limited[target]
                && model.joints.kind[target].nv() == 1
                && outside(
                    data.acceleration.tau_actuator[model.joints.dof_start[target] as usize],
                    model.joints.actuator_force_range[target],
                )
        }
        TransmissionKind::SliderCrank | TransmissionKind::Site | TransmissionKind::Body => false,
    }
}

/// Derivatives of an actuator's slopes with respect to its length, velocity and drive.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlopeChanges {
    pub velocity: [f64; 3],
    pub length: [f64; 3],
}

/// The derivatives of [`calc_slope`].
pub(crate) fn calc_slope_changes(model: &Model, data: &Data, a: usize) -> SlopeChanges {
    let mut changes = SlopeChanges::default();
    if model.options.disable.has(Disable::ACTUATION) || is_disabled(model, a) || is_saturated(model, data, a) {
        return changes;
    }
    let actuators = &model.actuators;
    let (length, velocity) = (data.position.actuator_length[a], data.velocity.actuator_velocity[a]);
    let prm = &actuators.gain_prm[a];
    match actuators.gain[a] {
        GainKind::Affine => (changes.length[2], changes.velocity[2]) = (prm[1], prm[2]),
        GainKind::Muscle => {
            let (ctrl, count) = clamped_ctrl(model, data, a);
            let drive = calc_drive(model, data, a, &ctrl[..count]);
            let Active { l, v, ll, lv, vv, .. } = Muscle::of(model, a, prm).active(length, velocity);
            changes.velocity = [lv * drive, vv * drive, v];
            changes.length = [ll * drive, lv * drive, l];
        }
        GainKind::Fixed | GainKind::DcMotor | GainKind::So3 | GainKind::Pid | GainKind::User => {}
    }
    if actuators.bias[a] == BiasKind::Muscle {
        changes.length[0] += Muscle::of(model, a, &actuators.bias_prm[a]).passive(length)[2];
    }
    changes
}

/// Gain, ∂force/∂drive.
pub(crate) fn calc_gain(model: &Model, data: &Data, a: usize) -> f64 {
    let actuators = &model.actuators;
    let (length, velocity) = (data.position.actuator_length[a], data.velocity.actuator_velocity[a]);
    let prm = &actuators.gain_prm[a];
    match actuators.gain[a] {
        GainKind::Fixed => prm[0],
        GainKind::Affine => prm[0] + prm[1] * length + prm[2] * velocity,
        GainKind::Muscle => Muscle::of(model, a, prm).active(length, velocity).force,
        GainKind::DcMotor | GainKind::So3 | GainKind::Pid | GainKind::User => 0.0,
    }
}

/// ∂rate/∂control and ∂rate/∂activation of a muscle at activation `act`.
pub(crate) fn muscle_rate_slope(model: &Model, data: &Data, a: usize, act: f64) -> (f64, f64) {
    let (ctrl, count) = clamped_ctrl(model, data, a);
    let u = if count > 0 { ctrl[0] } else { 0.0 };
    muscle::activation_rate_slope(u, act, &model.actuators.activation_prm[a])
}

/// Indices of the controls of a PID servo by input; `None` if an input is not declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlView {
    pub position: Option<usize>,
    pub velocity: Option<usize>,
    pub feed_forward: Option<usize>,
}

impl ControlView {
    pub fn of(model: &Model, a: usize) -> Self {
        let declared = model.actuators.inputs[a];
        let span = model.actuators.ctrl[a].range();
        let find = |bit: i32| {
            let index = (declared & (bit - 1)).count_ones() as usize;
            (declared & bit != 0 && index < span.len()).then_some(span.start + index)
        };
        Self { position: find(1), velocity: find(2), feed_forward: find(4) }
    }
}
