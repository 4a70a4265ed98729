//! Activation dynamics: rates of actuator activations as functions of controls.

use super::force::{circular_difference, input, is_position_servo};
use super::muscle;
use crate::callbacks::Callbacks;
use crate::data::Data;
use crate::ids::ActuatorId;
use crate::model::{Model, kinds::ActivationKind};
use saltus_math::{MIN_VAL, real};

/// Layout of a PID servo's activations: rate-limited set point, then integral of the error; each
/// only if used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PidState {
    pub slew: Option<usize>,
    pub integral: Option<usize>,
}

pub(crate) fn pid_state(model: &Model, a: usize) -> PidState {
    let span = model.actuators.act[a].range();
    let slew = (model.actuators.activation_prm[a][1] > 0.0 && !span.is_empty()).then_some(span.start);
    let rest = span.start + slew.is_some() as usize;
    PidState { slew, integral: (rest < span.end).then_some(rest) }
}

/// Writes the rates of actuator `a`'s activations. `ctrl` is already clamped.
pub(super) fn update_rate(model: &Model, data: &mut Data, a: usize, ctrl: &[f64], callbacks: &mut dyn Callbacks) {
    let span = model.actuators.act[a].range();
    if span.is_empty() {
        return;
    }
    let prm = &model.actuators.activation_prm[a];
    // The built-in dynamics drive the last activation.
    let last = span.end - 1;
    let u = ctrl.first().copied().unwrap_or(0.0);
    let act = data.state.act[last];
    let rate = match model.actuators.activation[a] {
        ActivationKind::Integrator => u,
        ActivationKind::Filter | ActivationKind::FilterExact => {
            // A filtered set point follows the control along the shorter arc if the length is an
            // angle.
            let servo = is_position_servo(model, a);
            let change = if servo { circular_difference(model, a, u, act) } else { u - act };
            change / prm[0].max(MIN_VAL)
        }
        ActivationKind::Muscle => muscle::activation_rate(u, act, prm),
        ActivationKind::Pid => return update_pid_rate(model, data, a, ctrl),
        ActivationKind::User => callbacks.activation_rate(model, data, ActuatorId::new(a)),
        ActivationKind::None | ActivationKind::DcMotor => 0.0,
    };
    data.acceleration.act_dot[last] = rate;
}

/// Rate-limited set point and clamped integral of a PID servo.
fn update_pid_rate(model: &Model, data: &mut Data, a: usize, ctrl: &[f64]) {
    let prm = &model.actuators.activation_prm[a];
    let state = pid_state(model, a);
    if let Some(s) = state.slew {
        let target = input(model, a, ctrl, 1);
        let change = circular_difference(model, a, target, data.state.act[s]);
        data.acceleration.act_dot[s] = (change / model.options.timestep).clamp(-prm[1], prm[1]);
    }
    if let Some(i) = state.integral {
        let error = calc_pid_error(model, data, a, ctrl);
        let (limit, sum) = (prm[0], data.state.act[i]);
        let stopped = limit > 0.0 && ((sum >= limit && error > 0.0) || (sum <= -limit && error < 0.0));
        data.acceleration.act_dot[i] = if stopped { 0.0 } else { error };
    }
}

/// Position error of a PID servo with respect to the set point at the end of the step. Needs the
/// slew rate, if it is limited.
pub(super) fn calc_pid_error(model: &Model, data: &Data, a: usize, ctrl: &[f64]) -> f64 {
    let target = match pid_state(model, a).slew {
        Some(s) => data.state.act[s] + data.acceleration.act_dot[s] * model.options.timestep,
        None => input(model, a, ctrl, 1),
    };
    circular_difference(model, a, target, data.position.actuator_length[a])
}

/// Activation `act[i]` of actuator `a` after one step at the current rate.
pub fn calc_next_activation(model: &Model, data: &Data, a: ActuatorId, i: usize) -> f64 {
    calc_activation_after(model, a.idx(), data.state.act[i], data.acceleration.act_dot[i], model.options.timestep)
}

/// Activation of actuator `a` a time `h` later: exact for exact filters, linear in time for the
/// others, clamped to its range.
pub(crate) fn calc_activation_after(model: &Model, a: usize, act: f64, rate: f64, h: f64) -> f64 {
    let next = if model.actuators.activation[a] == ActivationKind::FilterExact {
        let tau = model.actuators.activation_prm[a][0].max(MIN_VAL);
        act + rate * tau * (1.0 - real::exp(-h / tau))
    } else {
        act + rate * h
    };
    if model.actuators.activation_limited[a] {
        let [low, high] = model.actuators.activation_range[a];
        next.max(low).min(high)
    } else {
        next
    }
}
