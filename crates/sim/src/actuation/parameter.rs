//! Derivatives of actuator forces with respect to the actuators' own parameters.

use super::activation::{calc_pid_error, pid_state};
use super::force::{calc_drive, circular_difference, clamped_ctrl, input, is_position_servo};
use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::{BiasKind, GainKind};

/// Derivatives of force, ∂force/∂velocity and ∂force/∂length of actuator `a` with respect to
/// component `k` of its gain or bias parameters, ignoring force limits. For fixed and affine gains,
/// affine biases, and PID servos; zero for others.
pub(crate) fn calc_parameter_slope(model: &Model, data: &Data, a: usize, gain: bool, k: usize) -> [f64; 3] {
    let actuators = &model.actuators;
    let (length, velocity) = (data.position.actuator_length[a], data.velocity.actuator_velocity[a]);
    let (ctrl, count) = clamped_ctrl(model, data, a);
    let ctrl = &ctrl[..count];
    if actuators.gain[a] == GainKind::Pid {
        return match (gain, k) {
            (true, 0) => [pid_state(model, a).integral.map_or(0.0, |i| data.state.act[i]), 0.0, 0.0],
            (false, 0) => [1.0, 0.0, 0.0],
            (false, 1) => [-calc_pid_error(model, data, a, ctrl), 0.0, 1.0],
            (false, 2) => [velocity - input(model, a, ctrl, 2), 1.0, 0.0],
            _ => [0.0; 3],
        };
    }
    let drive = if gain { calc_drive(model, data, a, ctrl) } else { 1.0 };
    let known = match gain {
        true => k == 0 && actuators.gain[a] == GainKind::Fixed || actuators.gain[a] == GainKind::Affine,
        false => actuators.bias[a] == BiasKind::Affine,
    };
    match k {
        0 if known => [drive, 0.0, 0.0],
        1 if known => [drive * length, 0.0, drive],
        2 if known => [drive * velocity, drive, 0.0],
        _ => [0.0; 3],
    }
}

/// Whether the error of a servo is taken along the shorter arc, whole turns from target − length.
pub(crate) fn is_wrapped(model: &Model, data: &Data, a: usize) -> bool {
    let servo = is_position_servo(model, a) || model.actuators.gain[a] == GainKind::Pid;
    let (ctrl, count) = clamped_ctrl(model, data, a);
    let (target, length) = (calc_drive(model, data, a, &ctrl[..count]), data.position.actuator_length[a]);
    servo && circular_difference(model, a, target, length) != target - length
}
