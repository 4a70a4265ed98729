//! Inverse dynamics: the generalized force that produces a given acceleration, stage by stage as in
//! `forward`.
//!
//! τ = M a + c − τ_passive − Jᵀ f, where the constraint forces f follow from J a − a_ref: the soft
//! law has a closed-form inverse.

use crate::actuation::update_actuation;
use crate::callbacks::{Callbacks, NoCallbacks};
use crate::constraint::update_discrete;
use crate::data::Data;
use crate::dynamics::{add_gyroscopic_force, update_step_inertia};
use crate::forward::{Scope, add_body_forces, pass_state};
use crate::integrate::continuous_acceleration;
use crate::law::{self, NoInverse, check_inverse};
use crate::model::Model;
use crate::options::{Disable, Enable, Integrator};
use crate::sensor::update_sensors;
use crate::stage::Stage;

/// Computes `acceleration.tau_inverse`, `tau_constraint` and the forces of the rows from q, v and
/// `acceleration.a`, with all stages. Schemes that are implicit in velocity also depend on the
/// controls and activations, because the effective inertia of a step contains derivatives of
/// actuator forces; these are updated.
pub fn inverse(model: &Model, data: &mut Data) -> Result<(), NoInverse> {
    inverse_from(model, data, Stage::None, &mut NoCallbacks)
}

/// Runs the stages after `valid`, with user callbacks; see [`crate::forward::forward_from`].
pub fn inverse_from(
    model: &Model,
    data: &mut Data,
    valid: Stage,
    callbacks: &mut dyn Callbacks,
) -> Result<(), NoInverse> {
    run(model, data, valid, callbacks, Scope::ALL)
}

/// [`inverse_from`] without computations that forces do not need: sensors, and the factorization of
/// M, which remains that of an earlier state.
pub fn inverse_forces_from(
    model: &Model,
    data: &mut Data,
    valid: Stage,
    callbacks: &mut dyn Callbacks,
) -> Result<(), NoInverse> {
    run(model, data, valid, callbacks, Scope { sensors: false, factors: needs_factors(model), ..Scope::ALL })
}

fn run(
    model: &Model,
    data: &mut Data,
    valid: Stage,
    callbacks: &mut dyn Callbacks,
    scope: Scope,
) -> Result<(), NoInverse> {
    check_inverse(&model.options.laws)?;
    let constrained = !model.options.disable.has(Disable::CONSTRAINT);
    pass_state(model, data, valid, callbacks, Scope { constrained, ..scope });
    if actuators_resist(model) {
        update_actuation(model, data, callbacks);
    }
    if model.options.enable.has(Enable::INVDISCRETE) {
        // The acceleration that is given is that of a step.
        let mut a = core::mem::take(&mut data.acceleration.a);
        let mut given = core::mem::take(&mut data.scratch.given);
        given.clone_from(&a);
        continuous_acceleration(model, data, &mut a);
        data.acceleration.a = a;
        finish(model, data, callbacks, scope.sensors);
        data.acceleration.a.copy_from_slice(&given);
        data.scratch.given = given;
        data.finish_stage(Stage::Acceleration);
    } else {
        finish(model, data, callbacks, scope.sensors);
    }
    Ok(())
}

/// Whether the factorization of M is needed. The inertia of a discrete step has its own.
fn needs_factors(model: &Model) -> bool {
    model.options.scheme() != Integrator::Discrete || model.options.enable.has(Enable::DIAGEXACT)
}

/// Whether M̂ of a step contains derivatives of actuator forces. They vanish for a force at its
/// limit, so the forces must be those of the current state and controls. (The reference uses the
/// forces that were computed last.)
fn actuators_resist(model: &Model) -> bool {
    match model.options.scheme() {
        Integrator::Discrete => true,
        Integrator::Implicit | Integrator::ImplicitFast => model.options.enable.has(Enable::INVDISCRETE),
        _ => false,
    }
}

fn finish(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks, sensors: bool) {
    update_inverse(model, data);
    data.finish_stage(Stage::Acceleration);
    if sensors {
        update_sensors(model, data, Stage::Acceleration, callbacks);
    }
}

/// Computes the forces from the results of the velocity stage.
fn update_inverse(model: &Model, data: &mut Data) {
    let discrete = model.options.scheme() == Integrator::Discrete;
    update_step_inertia(model, data);
    if discrete {
        update_discrete(model, data);
    }
    law::invert(model, data);
    let mut tau = core::mem::take(&mut data.acceleration.tau_inverse);
    data.inertia.mul_step(model, &data.acceleration.a, &mut tau);
    tau.iter_mut().zip(data.inertia.shift()).for_each(|(tau, shift)| *tau += shift);
    if discrete {
        add_gyroscopic_force(model, data, &mut tau);
    }
    let Data { velocity, acceleration, .. } = data;
    for i in 0..model.size.nv {
        tau[i] += velocity.bias[i] - velocity.passive[i] - acceleration.tau_constraint[i];
    }
    acceleration.tau_inverse = tau;
}

/// Compares inverse dynamics with the forward dynamics that computed the current results: the norms
/// of the differences in constraint forces and in applied forces; NaN under laws without an
/// inverse. For diagnosis ([`Enable::FWDINV`](crate::options::Enable)); it allocates memory.
pub fn compare_with_inverse(model: &Model, data: &Data) -> [f64; 2] {
    if check_inverse(&model.options.laws).is_err() {
        return [f64::NAN; 2];
    }
    let mut back = data.clone();
    update_inverse(model, &mut back);
    let mut applied = data.input.tau_applied.clone();
    applied.iter_mut().zip(&data.acceleration.tau_actuator).for_each(|(t, a)| *t += a);
    add_body_forces(model, data, &mut applied);
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    [
        distance(&data.acceleration.tau_constraint, &back.acceleration.tau_constraint),
        distance(&applied, &back.acceleration.tau_inverse),
    ]
}
