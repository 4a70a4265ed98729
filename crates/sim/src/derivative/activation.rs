//! Derivatives of actuator forces and activations with respect to controls and activations.
//!
//! F = gain · drive + …, the drive being a control, an activation, or the activation at the end of
//! the step; PID servos have several. Activations advance by their own rule, act⁺ = act + h ȧ(act,
//! u, l) or the exact filter, clamped to a range.

use crate::actuation::{ControlView, calc_gain, muscle_rate_slope, pid_layout};
use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::{ActivationKind, GainKind};
use crate::options::Disable;
use saltus_math::{MIN_VAL, real};

/// A variable on which a force or an activation depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Act(usize),
    Ctrl(usize),
    /// Length of the actuator.
    Length,
}

/// Whether control `i` is strictly outside its range, so that its derivatives are zero.
fn is_cut(model: &Model, data: &Data, i: usize) -> bool {
    let [low, high] = model.actuators.ctrl_range[i];
    let u = data.input.ctrl[i];
    !model.options.disable.has(Disable::CLAMPCTRL) && model.actuators.ctrl_limited[i] && (u < low || u > high)
}

/// Calls `f(input, slope)` for ∂F/∂input of actuator `a` with respect to its controls and
/// activations, ignoring force limits.
pub(super) fn for_each_force_slope(model: &Model, data: &Data, a: usize, mut f: impl FnMut(Input, f64)) {
    let actuators = &model.actuators;
    let by_ctrl = |i: usize, slope: f64, f: &mut dyn FnMut(Input, f64)| {
        if !is_cut(model, data, i) {
            f(Input::Ctrl(i), slope);
        }
    };
    if actuators.gain[a] == GainKind::Pid {
        let prm = &actuators.bias_prm[a];
        let (kp, kv, ki) = (-prm[1], -prm[2], actuators.gain_prm[a][0]);
        let layout = pid_layout(model, a);
        if let Some(i) = layout.integral {
            f(Input::Act(i), ki);
        }
        for_each_target_slope(model, data, a, |input, slope| f(input, kp * slope));
        let view = ControlView::of(model, a);
        if let Some(i) = view.velocity {
            by_ctrl(i, kv, &mut f);
        }
        if let Some(i) = view.feed_forward {
            by_ctrl(i, 1.0, &mut f);
        }
        return;
    }
    let gain = calc_gain(model, data, a);
    for_each_drive_slope(model, data, a, |input, slope| f(input, gain * slope));
}

/// Calls `f(input, slope)` for ∂drive/∂input of an actuator that is not a PID servo.
pub(super) fn for_each_drive_slope(model: &Model, data: &Data, a: usize, mut f: impl FnMut(Input, f64)) {
    let act = model.actuators.act[a].range();
    if act.is_empty() {
        if let Some(i) = model.actuators.ctrl[a].range().next().filter(|&i| !is_cut(model, data, i)) {
            f(Input::Ctrl(i), 1.0);
        }
    } else if model.actuators.activation_early[a] {
        for_each_next_slope(model, data, a, act.end - 1, f);
    } else {
        f(Input::Act(act.end - 1), 1.0);
    }
}

/// Derivatives of the set point of a PID servo at the end of the step.
fn for_each_target_slope(model: &Model, data: &Data, a: usize, mut f: impl FnMut(Input, f64)) {
    let position = ControlView::of(model, a).position.filter(|&i| !is_cut(model, data, i));
    match pid_layout(model, a).slew {
        Some(s) => for_each_next_slope(model, data, a, s, f),
        None => {
            if let Some(i) = position {
                f(Input::Ctrl(i), 1.0);
            }
        }
    }
}

/// Factor of the rate's derivative in ∂act⁺: the time step, or less for the exact filter.
pub(super) fn rate_weight(model: &Model, a: usize) -> f64 {
    let h = model.options.timestep;
    if model.actuators.activation[a] == ActivationKind::FilterExact {
        let tau = model.actuators.activation_prm[a][0].max(MIN_VAL);
        return tau * (1.0 - real::exp(-h / tau));
    }
    h
}

/// Whether activation `next` of actuator `a` is outside its range.
pub(super) fn is_out_of_range(model: &Model, a: usize, next: f64) -> bool {
    let [low, high] = model.actuators.activation_range[a];
    model.actuators.activation_limited[a] && (next < low || next > high)
}

/// Calls `f(input, slope)` for ∂act⁺/∂input of activation `i` of actuator `a`; an input may occur
/// twice.
pub(super) fn for_each_next_slope(model: &Model, data: &Data, a: usize, i: usize, mut f: impl FnMut(Input, f64)) {
    let weight = rate_weight(model, a);
    if is_out_of_range(model, a, data.state.act[i] + data.acceleration.act_dot[i] * weight) {
        return;
    }
    f(Input::Act(i), 1.0);
    for_each_rate_slope(model, data, a, i, |input, slope| f(input, weight * slope));
}

/// Calls `f(input, slope)` for the derivatives of the rate of activation `i` of actuator `a`.
pub(super) fn for_each_rate_slope(model: &Model, data: &Data, a: usize, i: usize, mut f: impl FnMut(Input, f64)) {
    let actuators = &model.actuators;
    let rate = data.acceleration.act_dot[i];
    let prm = &actuators.activation_prm[a];
    let kind = actuators.activation[a];
    let first = actuators.ctrl[a].range().next();
    let free = first.filter(|&k| !is_cut(model, data, k));
    let last = actuators.act[a].range().end == i + 1;
    match kind {
        ActivationKind::Integrator if last => free.into_iter().for_each(|k| f(Input::Ctrl(k), 1.0)),
        ActivationKind::Filter | ActivationKind::FilterExact if last => {
            let share = 1.0 / prm[0].max(MIN_VAL);
            f(Input::Act(i), -share);
            free.into_iter().for_each(|k| f(Input::Ctrl(k), share));
        }
        ActivationKind::Muscle if last => {
            let (by_ctrl, by_act) = muscle_rate_slope(model, data, a, data.state.act[i]);
            f(Input::Act(i), by_act);
            free.into_iter().for_each(|k| f(Input::Ctrl(k), by_ctrl));
        }
        ActivationKind::Pid => {
            let layout = pid_layout(model, a);
            if layout.slew == Some(i) {
                // The set point follows the control within one step, unless its rate is limited.
                if rate.abs() < prm[1] {
                    let share = 1.0 / model.options.timestep;
                    f(Input::Act(i), -share);
                    let position = ControlView::of(model, a).position.filter(|&k| !is_cut(model, data, k));
                    position.into_iter().for_each(|k| f(Input::Ctrl(k), share));
                }
            } else if layout.integral == Some(i) && rate != 0.0 {
                f(Input::Length, -1.0);
                for_each_target_slope_boxed(model, data, a, &mut f);
            }
        }
        _ => {}
    }
}

/// Breaks the cycle of types between the two functions above.
fn for_each_target_slope_boxed(model: &Model, data: &Data, a: usize, f: &mut dyn FnMut(Input, f64)) {
    for_each_target_slope(model, data, a, f);
}
