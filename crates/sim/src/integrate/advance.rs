//! The common end of all schemes.

use crate::actuation::{calc_activation_after, wrapped_set_point};
use crate::data::Data;
use crate::kinematics::coordinates;
use crate::model::Model;
use crate::options::Disable;

/// act⁺ from the rates, v⁺ = v + h a, q⁺ = q ⊕ h v⁺ (or by `displacement` / h where given), t⁺ = t + h. The solver's
/// next warm start is the acceleration that it found last.
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

/// Each activation by its own rule, within its range. Without actuation they stand still.
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
