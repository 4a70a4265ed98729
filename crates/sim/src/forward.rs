//! Forward dynamics, stage by stage.
//!
//! position (q) → contacts and constraints → velocity (q, v) → actuation → smooth acceleration →
//! contact law. Each stage can be called separately. If q, or q and v, did not change since the
//! last call, the stages that depend on them only can be skipped.

use crate::actuation::{update_actuation, update_actuator_velocity, update_adhesion, update_transmission};
use crate::callbacks::{Callbacks, NoCallbacks};
use crate::collide::update_contacts;
use crate::constraint::{update_constraints, update_discrete, update_reference};
use crate::data::{Acceleration, Data};
use crate::dynamics::{
    add_gyroscopic, update_bias, update_factor, update_inertia, update_kinetic_energy, update_passive,
    update_potential_energy, update_step_inertia,
};
use crate::kinematics::{jacobian, update_body_velocity, update_com, update_kinematics, update_views};
use crate::law;
use crate::model::Model;
use crate::options::{Enable, Integrator};
use crate::sensor::update_sensors;
use crate::stage::Stage;
use crate::tendon::{update_tendon_velocity, update_tendons};
use saltus_math::Vec3;

/// Runs all stages: `data.acceleration.a` is the acceleration under all forces, including
/// constraint forces.
pub fn forward(model: &Model, data: &mut Data) {
    forward_from(model, data, Stage::None, &mut NoCallbacks);
}

/// Runs the stages after `valid`, with user callbacks. The caller guarantees that the results up to
/// `valid` belong to the current state: `Stage::Position` if only v and inputs changed,
/// `Stage::Velocity` if only inputs changed.
pub fn forward_from(model: &Model, data: &mut Data, valid: Stage, callbacks: &mut dyn Callbacks) {
    pass(model, data, valid, callbacks, Scope::ALL);
}

/// [`forward_from`] without updating sensors.
pub fn forward_without_sensors_from(model: &Model, data: &mut Data, valid: Stage, callbacks: &mut dyn Callbacks) {
    pass(model, data, valid, callbacks, Scope { sensors: false, ..Scope::ALL });
}

/// [`forward`] without contacts and other constraints.
pub fn forward_smooth(model: &Model, data: &mut Data) {
    forward_smooth_from(model, data, Stage::None, &mut NoCallbacks);
}

/// [`forward_from`] without contacts and other constraints.
pub fn forward_smooth_from(model: &Model, data: &mut Data, valid: Stage, callbacks: &mut dyn Callbacks) {
    pass(model, data, valid, callbacks, Scope { constrained: false, ..Scope::ALL });
}

fn pass(model: &Model, data: &mut Data, valid: Stage, callbacks: &mut dyn Callbacks, scope: Scope) {
    pass_state(model, data, valid, callbacks, scope);
    callbacks.control(model, data);
    pass_forces(model, data, callbacks, scope);
}

/// Runs all stages for an intermediate state of a step; sensors keep their values from the
/// beginning of the step.
pub(crate) fn forward_stage(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks, constrained: bool) {
    pass(model, data, Stage::None, callbacks, Scope { constrained, sensors: false, ..Scope::ALL });
}

/// Runs all stages, with the constraints solved for a given smooth acceleration.
pub(crate) fn resolve_with(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks, a_smooth: &[f64]) {
    pass_state(model, data, Stage::None, callbacks, Scope { sensors: false, ..Scope::ALL });
    callbacks.control(model, data);
    update_actuation(model, data, callbacks);
    update_smooth_acceleration(model, data);
    let acceleration = &mut data.acceleration;
    acceleration.a_smooth.copy_from_slice(a_smooth);
    data.inertia.mul(model, a_smooth, &mut acceleration.tau_smooth);
    law::solve(model, data);
    data.finish_stage(Stage::Acceleration);
}

/// Which computations a pass includes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// Contacts and other constraints.
    pub constrained: bool,
    /// Sensors.
    pub sensors: bool,
    /// The factorization of M.
    pub factors: bool,
}

impl Scope {
    pub const ALL: Self = Self { constrained: true, sensors: true, factors: true };
}

/// Runs the stages that depend on q and v only.
pub(crate) fn pass_state(model: &Model, data: &mut Data, valid: Stage, callbacks: &mut dyn Callbacks, scope: Scope) {
    let energy = model.options.enable.has(Enable::ENERGY);
    if valid < Stage::Position {
        pass_position(model, data, scope.factors);
        if scope.constrained {
            update_contacts(model, data);
            update_adhesion(model, data);
            update_constraints(model, data);
        } else {
            data.contacts.clear();
            data.constraints.clear();
        }
        if scope.sensors {
            update_sensors(model, data, Stage::Position, callbacks);
        }
        if energy {
            update_potential_energy(model, data);
        }
    }
    if valid < Stage::Velocity {
        update_velocity(model, data, callbacks);
        update_reference(model, data);
        law::update_reference(model, data);
        if scope.sensors {
            update_sensors(model, data, Stage::Velocity, callbacks);
        }
        if energy {
            update_kinetic_energy(model, data);
        }
    }
}

/// Runs the stages that depend on controls and applied forces.
pub(crate) fn pass_forces(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks, scope: Scope) {
    update_actuation(model, data, callbacks);
    update_smooth_acceleration(model, data);
    if model.options.scheme() == Integrator::Discrete {
        update_discrete(model, data);
    }
    law::solve(model, data);
    if model.options.scheme() == Integrator::Discrete {
        add_gyroscopic(model, data);
    }
    data.finish_stage(Stage::Acceleration);
    if scope.sensors {
        update_sensors(model, data, Stage::Acceleration, callbacks);
    }
}

/// Computes poses, centres of mass, tendons, the inertia matrix and its factorization, and
/// transmissions, which depend on q only.
pub fn update_position(model: &Model, data: &mut Data) {
    pass_position(model, data, true);
}

fn pass_position(model: &Model, data: &mut Data, factors: bool) {
    update_kinematics(model, data);
    update_com(model, data);
    update_views(model, data);
    update_tendons(model, data);
    update_inertia(model, data);
    if factors {
        update_factor(model, data);
    }
    update_transmission(model, data);
    data.finish_stage(Stage::Position);
}

/// Computes velocities, passive forces and bias forces, which depend on q and v.
pub fn update_velocity(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) {
    update_tendon_velocity(model, data);
    update_actuator_velocity(model, data);
    update_body_velocity(model, data);
    update_passive(model, data);
    callbacks.passive(model, data);
    update_bias(model, data);
    data.finish_stage(Stage::Velocity);
}

/// Computes the net force without constraint forces and the smooth acceleration: M a = τ_passive −
/// c + τ_applied + τ_actuator + Jᵀ f_body. Under the discrete integrator it is the acceleration of
/// a step, in the metric of that integrator.
pub fn update_smooth_acceleration(model: &Model, data: &mut Data) {
    let mut tau = core::mem::take(&mut data.acceleration.tau_smooth);
    for i in 0..model.size.nv {
        tau[i] = data.velocity.passive[i] - data.velocity.bias[i]
            + data.input.tau_applied[i]
            + data.acceleration.tau_actuator[i];
    }
    add_body_forces(model, data, &mut tau);
    data.acceleration.a_smooth.copy_from_slice(&tau);
    data.acceleration.tau_smooth = tau;
    update_step_inertia(model, data);
    let Data { inertia, acceleration: Acceleration { a_smooth, .. }, .. } = data;
    a_smooth.iter_mut().zip(inertia.shift()).for_each(|(a, shift)| *a -= shift);
    inertia.solve_step(model, a_smooth);
}

/// τ += Jᵀ f for the forces applied to bodies.
pub fn add_body_forces(model: &Model, data: &Data, tau: &mut [f64]) {
    for b in 1..model.nbody() {
        let [force, torque] = data.input.body_force[b];
        if force != Vec3::ZERO || torque != Vec3::ZERO {
            jacobian::apply_wrench(model, data, b, data.position.p_WI[b], force, torque, tau);
        }
    }
}
