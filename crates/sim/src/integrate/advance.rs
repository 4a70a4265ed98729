//! The last part of a step, common to all integrators.

use crate::actuation::{calc_activation_after, wrapped_set_point};
use crate::data::Data;
use crate::kinematics::coordinates;
use crate::model::Model;
use crate::options::Disable;

/// Advances act⁺ by its rates, v⁺ = v + h a, q⁺ = q ⊕ h q̇ and t⁺ = t + h. The rate q̇ of the
/// coordinates is `q_dot` if given, otherwise v⁺. The acceleration computed last by the solver
/// becomes the warm start of the next step.
pub(super) fn advance(model: &Model, data: &mut Data, a: &[f64], act_dot: Option<&[f64]>, q_dot: Option<&[f64]>) {
    let h = model.options.timestep;
    let Data { state, position, acceleration, .. } = data;
    let rate = act_dot.unwrap_or(&acceleration.act_dot);
    advance_activations(model, &mut state.act, rate, &position.actuator_length, h);
    for (v, a) in state.v.iter_mut().zip(a) {
        *v += h * a;
    }
    coordinates::integrate(model, &mut state.q, q_dot.unwrap_or(&state.v), h);
    state.time += h;
    state.a_warm.copy_from_slice(&acceleration.a);
}

/// Advances each activation by its own rule, clamped to its range. If actuation is disabled,
/// activations are constant.
fn advance_activations(model: &Model, act: &mut [f64], rate: &[f64], length: &[f64], h: f64) {
    if model.options.disable.has(Disable::ACTUATION) {
        return;
    }
    for a in 0..model.nactuator() {
        for i in model.actuators.act[a].range() {
            let next = calc_activation_after(model, a, act[i], rate[i], h);
            act[i] = wrapped_set_point(model, a, next, length[a]);
        }
    }
}
