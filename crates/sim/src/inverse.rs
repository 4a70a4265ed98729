//! Inverse dynamics: the force that gives an acceleration, stage by stage as in `forward`.
//!
//! τ = M a + c − τ_passive − Jᵀ f, where f answers J a − a_ref row by row: the soft law has a closed inverse.

use crate::actuation::update_actuation;
use crate::callbacks::{Callbacks, NoCallbacks};
use crate::constraint::update_discrete;
use crate::data::{Constraints, Contact, Data, RowKind, RowState};
use crate::forward::{What, add_body_forces, pass_state};
use crate::integrate::{continuous_acceleration, discrete};
use crate::law::soft::cost::{self, Cone};
use crate::law::{self, NoInverse, check_inverse};
use crate::model::Model;
use crate::options::{Disable, Enable, Integrator};
use crate::sensor::update_sensors;
use crate::stage::Stage;
use saltus_math::ldl;

/// All stages: `acceleration.tau_inverse`, `tau_constraint` and the forces of the rows, from q, v and
/// `acceleration.a`. Under schemes that are implicit in velocity also from the controls and activations: the inertia of a
/// step has slopes of actuator forces, which are brought up to date.
pub fn inverse(model: &Model, data: &mut Data) -> Result<(), NoInverse> {
    inverse_from(model, data, Stage::None, &mut NoCallbacks)
}

/// All stages after `valid`, with user callbacks; see [`crate::forward::forward_from`].
pub fn inverse_from(
    model: &Model,
    data: &mut Data,
    valid: Stage,
    callbacks: &mut dyn Callbacks,
) -> Result<(), NoInverse> {
    run(model, data, valid, callbacks, What::ALL)
}

/// [`inverse_from`] without what forces do not need: sensors, and the factors of M, which stay those of an earlier state.
pub fn inverse_forces_from(
    model: &Model,
    data: &mut Data,
    valid: Stage,
    callbacks: &mut dyn Callbacks,
) -> Result<(), NoInverse> {
    run(model, data, valid, callbacks, What { sensors: false, factors: needs_factors(model), ..What::ALL })
}

fn run(
    model: &Model,
    data: &mut Data,
    valid: Stage,
    callbacks: &mut dyn Callbacks,
    what: What,
) -> Result<(), NoInverse> {
    check_inverse(&model.options.laws)?;
    let constrained = !model.options.disable.has(Disable::CONSTRAINT);
    pass_state(model, data, valid, callbacks, What { constrained, ..what });
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
        finish(model, data, callbacks, what.sensors);
        data.acceleration.a.copy_from_slice(&given);
        data.scratch.given = given;
    } else {
        finish(model, data, callbacks, what.sensors);
    }
    Ok(())
}

/// Whether something asks for the factors of M: the inertia of a discrete step has its own.
fn needs_factors(model: &Model) -> bool {
    model.options.scheme() != Integrator::Discrete || model.options.enable.has(Enable::DIAGEXACT)
}

/// Whether M̂ of a step has slopes of actuator forces. A force at its limit has none, so that the forces must be those of the
/// present state and controls, and not of whatever was computed last (which is what the reference takes).
fn actuators_resist(model: &Model) -> bool {
    match model.options.scheme() {
        Integrator::Discrete => true,
        Integrator::Implicit | Integrator::ImplicitFast => model.options.enable.has(Enable::INVDISCRETE),
        _ => false,
    }
}

fn finish(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks, sensors: bool) {
    update_inverse(model, data);
    data.stage = Stage::Acceleration;
    if sensors {
        update_sensors(model, data, Stage::Acceleration, callbacks);
    }
}

/// The forces, from the results of the velocity stage.
fn update_inverse(model: &Model, data: &mut Data) {
    let discrete = model.options.scheme() == Integrator::Discrete;
    if discrete {
        discrete::update_metric(model, data);
        update_discrete(model, data);
    }
    law::invert(model, data);
    let mut tau = core::mem::take(&mut data.acceleration.tau_inverse);
    if discrete {
        discrete::mul(model, &data.position.metric, &data.acceleration.a, &mut tau);
        tau.iter_mut().zip(&data.position.metric.shift).for_each(|(tau, shift)| *tau += shift);
        discrete::add_gyroscopic_force(model, data, &mut tau);
    } else {
        ldl::mul(&model.mass_pattern, &data.position.M, &data.acceleration.a, &mut tau);
    }
    let Data { velocity, acceleration, .. } = data;
    for i in 0..model.size.nv {
        tau[i] += velocity.bias[i] - velocity.passive[i] - acceleration.tau_constraint[i];
    }
    acceleration.tau_inverse = tau;
}

/// How far inverse dynamics is from the forward dynamics that made the present results: norms of the differences of
/// constraint forces and of applied forces; NaN under laws without an inverse. A diagnosis ([`Enable::FWDINV`](crate::options::Enable)): it allocates.
pub fn compare(model: &Model, data: &Data) -> [f64; 2] {
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

/// Forces of the rows and what they do to the dofs, for the present `acceleration.a`, where each row or cone answers its
/// own x = J a − a_ref: the soft law and, with its own references and regularizers, the impulse law.
pub(crate) fn update_soft_inverse(data: &mut Data) {
    let rows = &mut data.constraints;
    let mut force = core::mem::take(&mut rows.force);
    let mut state = core::mem::take(&mut rows.state);
    force.resize(rows.len(), 0.0);
    state.resize(rows.len(), RowState::Satisfied);
    let mut x = core::mem::take(&mut data.scratch.row);
    x.resize(rows.len(), 0.0);
    rows.mul(&data.acceleration.a, &mut x);
    for (x, a_ref) in x.iter_mut().zip(&rows.a_ref) {
        *x -= a_ref;
    }
    constraint_forces(rows, &data.contacts, &x, &mut force, &mut state);
    data.acceleration.tau_constraint.fill(0.0);
    rows.add_transposed(&force, &mut data.acceleration.tau_constraint);
    (rows.force, rows.state, data.scratch.row) = (force, state, x);
}

/// Forces and states of the rows at x = J a − a_ref; returns the cost s(x).
pub fn constraint_forces(
    rows: &Constraints,
    contacts: &[Contact],
    x: &[f64],
    force: &mut [f64],
    state: &mut [RowState],
) -> f64 {
    let mut total = 0.0;
    for block in &rows.blocks {
        let own = block.rows.range();
        if block.kind == RowKind::ContactElliptic {
            let cone = Cone::of_contact(&contacts[block.id as usize], 0);
            let (cost, s) = cone.evaluate(&x[own.clone()], &rows.D[own.clone()], &mut force[own.clone()]);
            total += cost;
            state[own].fill(s);
            continue;
        }
        for i in own {
            let D = rows.D[i];
            let (cost, f, s) = match block.kind {
                RowKind::Equality => cost::equality(x[i], D),
                RowKind::FrictionDof | RowKind::FrictionTendon => {
                    cost::friction(x[i], D, rows.R[i], rows.friction_loss[i])
                }
                _ => cost::one_sided(x[i], D),
            };
            total += cost;
            (force[i], state[i]) = (f, s);
        }
    }
    total
}
