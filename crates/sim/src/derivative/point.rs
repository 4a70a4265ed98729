//! Derivatives at a state whose results are not yet computed: evaluates the dynamics, then its
//! derivatives.

use super::parameter::{Parameter, StepBy, inverse_by, transition_by};
use super::{DerivativeError, Inexact, Inverse, Report, Workspace, inverse, transition};
use crate::actuation::update_actuation;
use crate::callbacks::NoCallbacks;
use crate::data::Data;
use crate::divergence::{StepError, check_acceleration, check_controls, check_state};
use crate::finite_difference::Transition;
use crate::forward::{forward_from, forward_without_sensors_from};
use crate::inverse::inverse_forces_from;
use crate::law::NoInverse;
use crate::model::Model;
use crate::model::kinds::ObjectKind;
use crate::stage::Stage;

/// Reason why derivatives at a state are not available.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PointError {
    #[error(transparent)]
    Derivative(#[from] DerivativeError),
    #[error(transparent)]
    NoInverse(#[from] NoInverse),
    #[error(transparent)]
    Diverged(#[from] StepError),
    #[error("cancelled")]
    Cancelled,
}

/// Forward dynamics at the current state and inputs of `data`, and the derivatives of a step from
/// there.
pub fn transition_at<'w>(
    model: &Model,
    data: &mut Data,
    work: &'w mut Workspace,
    out: Transition<'_>,
) -> Result<&'w Report, PointError> {
    run_forward(model, data, out.C.is_some() || out.D.is_some())?;
    Ok(transition(model, data, work, out)?)
}

/// Forward dynamics after checking that state and controls are finite; accelerations are checked
/// too.
pub(super) fn run_forward(model: &Model, data: &mut Data, sensors: bool) -> Result<(), PointError> {
    check_state(model, data)?;
    check_controls(model, data)?;
    let forward = if sensors { forward_from } else { forward_without_sensors_from };
    forward(model, data, Stage::None, &mut NoCallbacks);
    Ok(check_acceleration(model, data)?)
}

/// Inverse dynamics at the current q, v and a of `data`, and its derivatives: of τ, or of
/// τ − τ_actuator if `actuation`.
pub fn inverse_at<'w>(
    model: &Model,
    data: &mut Data,
    actuation: bool,
    work: &'w mut Workspace,
    out: Inverse<'_>,
) -> Result<&'w Report, PointError> {
    run_inverse(model, data, actuation)?;
    Ok(inverse(model, data, actuation, work, out)?)
}

/// Inverse dynamics after checking that the state is finite; if `actuation`, also the actuator
/// forces, after checking the controls.
pub(super) fn run_inverse(model: &Model, data: &mut Data, actuation: bool) -> Result<(), PointError> {
    check_state(model, data)?;
    inverse_forces_from(model, data, Stage::None, &mut NoCallbacks)?;
    if actuation {
        check_controls(model, data)?;
        update_actuation(model, data, &mut NoCallbacks);
    }
    Ok(())
}

/// [`transition_at`] with respect to parameters of the model.
pub fn transition_by_at<'w>(
    model: &Model,
    data: &mut Data,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    out: StepBy<'_>,
) -> Result<&'w Report, PointError> {
    run_forward(model, data, false)?;
    Ok(transition_by(model, data, parameters, work, out)?)
}

/// [`inverse_at`] with respect to parameters of the model.
pub fn inverse_by_at<'w>(
    model: &Model,
    data: &mut Data,
    actuation: bool,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    dtau: &mut [f64],
) -> Result<&'w Report, PointError> {
    run_inverse(model, data, actuation)?;
    Ok(inverse_by(model, data, actuation, parameters, work, dtau)?)
}

/// The entries of a report as text; `data` holds the contacts that it refers to.
pub fn describe(model: &Model, data: &Data, report: &Report) -> Vec<String> {
    report.inexact.iter().map(|what| describe_one(model, data, *what)).collect()
}

fn describe_one(model: &Model, data: &Data, what: Inexact) -> String {
    let named = |word: &str, kind: ObjectKind, i: usize| match model.names(kind).get(i) {
        Some(name) if !name.is_empty() => format!("{word} {name}"),
        _ => format!("{word} {i}"),
    };
    match what {
        Inexact::Contact(i) => match data.contacts.get(i) {
            Some(c) => {
                let [first, second] = [c.geom1, c.geom2].map(|g| named("geom", ObjectKind::Geom, g.idx()));
                format!("contact of {first} and {second}")
            }
            None => format!("contact {i}"),
        },
        Inexact::Tendon(i) => named("tendon", ObjectKind::Tendon, i),
        Inexact::Actuator(i) => named("actuator", ObjectKind::Actuator, i),
        Inexact::Equality(i) => named("equality", ObjectKind::Equality, i),
        Inexact::Sensor(i) => named("sensor", ObjectKind::Sensor, i),
        Inexact::Model(words) => words.to_owned(),
    }
}
