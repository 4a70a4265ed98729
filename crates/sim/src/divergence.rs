//! Detection of divergence: non-finite or excessively large values are reported with their location
//! and likely cause.

use crate::data::Data;
use crate::ids::JointId;
use crate::model::InvalidModel;
use crate::model::{Model, kinds::ObjectKind};
use core::fmt;

/// Magnitude above which a coordinate, velocity or acceleration is considered diverged.
pub const LIMIT: f64 = 1e10;

/// Why a step failed. The state is that before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A state variable or acceleration is not finite or exceeds [`LIMIT`].
    #[error("{0}")]
    Diverged(Box<Divergence>),
    /// A control is not finite or exceeds [`LIMIT`].
    #[error("control {value} of {actuator} at t = {time} s is {}", fault(*.value))]
    Control { actuator: String, index: usize, value: f64, time: f64 },
    /// A failure in other coordinates than generalized ones, with its message.
    #[error("{0}")]
    Other(String),
}

/// Location and likely cause of a divergence.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The quantity that diverged.
    pub quantity: Quantity,
    /// Index in q, v, a or act, depending on the quantity.
    pub index: usize,
    /// Its value.
    pub value: f64,
    /// Time, s.
    pub time: f64,
    /// The joint and the body that it moves; for activations the actuator.
    pub place: String,
    /// Likely cause.
    pub cause: String,
}

/// A quantity that can diverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A coordinate.
    Coordinate,
    /// A velocity.
    Velocity,
    /// An acceleration.
    Acceleration,
    /// An activation.
    Activation,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (quantity, symbol) = match self.quantity {
            Quantity::Coordinate => ("coordinate", "q"),
            Quantity::Velocity => ("velocity", "v"),
            Quantity::Acceleration => ("acceleration", "a"),
            Quantity::Activation => ("activation", "act"),
        };
        let Divergence { index, value, time, place, cause, .. } = self;
        let fault = fault(*value);
        write!(f, "{quantity} {symbol}[{index}] = {value} of {place} is {fault} at t = {time} s; {cause}")
    }
}

fn fault(value: f64) -> &'static str {
    if value.is_finite() { "too large" } else { "not finite" }
}

#[inline]
fn is_bad(x: &f64) -> bool {
    x.is_nan() || x.abs() > LIMIT
}

#[inline]
fn first_bad(values: &[f64]) -> Option<usize> {
    values.iter().position(is_bad)
}

/// Checks the state at the beginning of a step.
pub fn check_state(model: &Model, data: &Data) -> Result<(), StepError> {
    match bad_state(model, data) {
        Some(place) => Err(place.because(data, "the state had this value before the step".into())),
        None => Ok(()),
    }
}

/// Checks the controls.
pub(crate) fn check_controls(model: &Model, data: &Data) -> Result<(), StepError> {
    let Some(index) = first_bad(&data.input.ctrl) else { return Ok(()) };
    let owner = model.actuators.ctrl.iter().position(|span| span.range().contains(&index));
    let actuator = owner.map_or_else(String::new, |a| named(model, ObjectKind::Actuator, "actuator", a));
    Err(StepError::Control { actuator, index, value: data.input.ctrl[index], time: data.state.time })
}

/// Checks the accelerations.
pub(crate) fn check_acceleration(model: &Model, data: &Data) -> Result<(), StepError> {
    let Some(i) = first_bad(&data.acceleration.a) else { return Ok(()) };
    let place = Place::of_dof(model, Quantity::Acceleration, i, data.acceleration.a[i]);
    Err(place.because(data, likely_cause(model, data, i)))
}

/// Checks the state at the end of a step.
pub(crate) fn check_result(model: &Model, data: &Data) -> Result<(), StepError> {
    match bad_state(model, data) {
        Some(place) => {
            let cause = place.dof.map_or_else(
                || "its dynamics are too fast for the time step".into(),
                |dof| likely_cause(model, data, dof),
            );
            Err(place.because(data, cause))
        }
        None => Ok(()),
    }
}

struct Place {
    quantity: Quantity,
    index: usize,
    value: f64,
    name: String,
    dof: Option<usize>,
}

impl Place {
    fn of_dof(model: &Model, quantity: Quantity, i: usize, value: f64) -> Self {
        let name = joint_place(model, model.dofs.joint[i]);
        Self { quantity, index: i, value, name, dof: Some(i) }
    }
    fn because(self, data: &Data, cause: String) -> StepError {
        StepError::Diverged(Box::new(Divergence {
            quantity: self.quantity,
            index: self.index,
            value: self.value,
            time: data.state.time,
            place: self.name,
            cause,
        }))
    }
}

fn bad_state(model: &Model, data: &Data) -> Option<Place> {
    let state = &data.state;
    if let Some(i) = first_bad(&state.q) {
        let starts = &model.joints.q_start;
        let j = starts.partition_point(|&start| start as usize <= i).saturating_sub(1);
        return Some(Place {
            quantity: Quantity::Coordinate,
            index: i,
            value: state.q[i],
            name: joint_place(model, JointId::new(j)),
            dof: Some(model.joints.dof_start[j] as usize),
        });
    }
    if let Some(i) = first_bad(&state.v) {
        return Some(Place::of_dof(model, Quantity::Velocity, i, state.v[i]));
    }
    let i = state.act.iter().position(|x| !x.is_finite())?;
    let owner = model.actuators.act.iter().position(|span| span.range().contains(&i)).unwrap_or(0);
    let name = named(model, ObjectKind::Actuator, "actuator", owner);
    Some(Place { quantity: Quantity::Activation, index: i, value: state.act[i], name, dof: None })
}

/// For example `joint "knee" (body "shin")`, with ids in place of missing names.
fn joint_place(model: &Model, joint: JointId) -> String {
    let body = model.joints.body[joint.idx()].idx();
    let (joint, body) =
        (named(model, ObjectKind::Joint, "joint", joint.idx()), named(model, ObjectKind::Body, "body", body));
    format!("{joint} ({body})")
}

fn named(model: &Model, kind: ObjectKind, word: &str, id: usize) -> String {
    match model.names(kind).get(id) {
        Some(name) if !name.is_empty() => format!("{word} \"{name}\""),
        _ => format!("{word} {id}"),
    }
}

/// Guesses the cause from the forces on the dof: the force that is not finite, otherwise the
/// largest one.
fn likely_cause(model: &Model, data: &Data, i: usize) -> String {
    let (velocity, acceleration, input) = (&data.velocity, &data.acceleration, &data.input);
    // A program may have written to the tables of the model.
    if let Err(InvalidModel(what)) = model.validate() {
        return format!("the model is invalid: {what}");
    }
    if let Err(StepError::Control { actuator, value, .. }) = check_controls(model, data) {
        return format!("control {value} of {actuator} is {}", fault(value));
    }
    if let Some(b) = input.body_force.iter().position(|[f, t]| !(f.is_finite() && t.is_finite())) {
        return format!("the force applied to {} is not finite", named(model, ObjectKind::Body, "body", b));
    }
    if let Some(k) = input.tau_applied.iter().position(|x| !x.is_finite()) {
        let joint = joint_place(model, model.dofs.joint[k]);
        return format!("the generalized force applied to {joint} is not finite");
    }
    let forces = [
        (Source::Constraint, acceleration.tau_constraint[i]),
        (Source::Actuator, acceleration.tau_actuator[i]),
        (Source::Spring, velocity.spring[i]),
        (Source::Damper, velocity.damper[i]),
        (Source::Fluid, velocity.fluid[i]),
        (Source::Bias, velocity.bias[i]),
        (Source::Applied, input.tau_applied[i]),
    ];
    let size = |x: f64| if x.is_nan() { f64::INFINITY } else { x.abs() };
    let largest = forces.into_iter().max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
    let Some((source, force)) = largest.filter(|(_, force)| size(*force) > 0.0) else {
        return "no force acts on it directly; it is coupled to other dofs through the inertia".into();
    };
    let inertia = data.inertia.M[model.mass_pattern.diag(i)];
    let light = if inertia < 1e-6 { format!(" Its inertia of {inertia:.1e} is very small.") } else { String::new() };
    format!("the largest force on it is {force:.3e} by {}.{light}", source.explained(model, data, i))
}

#[derive(Clone, Copy)]
enum Source {
    Constraint,
    Actuator,
    Spring,
    Damper,
    Fluid,
    Bias,
    Applied,
}

impl Source {
    fn explained(self, model: &Model, data: &Data, i: usize) -> String {
        let h = model.options.timestep;
        match self {
            Source::Constraint => {
                let deepest = data.contacts.iter().fold(0.0, |m: f64, c| m.min(c.dist));
                let overlap = if deepest < 0.0 { format!("overlap of {:.1e} m, ", -deepest) } else { String::new() };
                format!(
                    "contacts, limits or other constraints: {overlap}conflicting constraints, or a time step of {h} s that is too large for them"
                )
            }
            Source::Actuator => {
                let name = strongest_actuator(model, data, i)
                    .map_or_else(|| "actuators".into(), |a| named(model, ObjectKind::Actuator, "actuator", a));
                format!("{name}: its gain is too high for the time step of {h} s, or its control is too large")
            }
            Source::Spring => format!(
                "springs that are too stiff for the time step of {h} s (the discrete integrator can handle them)"
            ),
            Source::Damper => format!(
                "damping that is too strong for the time step of {h} s (the implicit integrators can handle it)"
            ),
            Source::Fluid => format!(
                "fluid forces that are too strong for the time step of {h} s (the implicit integrators can handle them)"
            ),
            Source::Bias => format!("Coriolis and gravity forces: the motion is too fast for the time step of {h} s"),
            Source::Applied => "the applied force".into(),
        }
    }
}

fn strongest_actuator(model: &Model, data: &Data, i: usize) -> Option<usize> {
    let effect = |a: usize| {
        let span = model.actuators.moment[a].range();
        let k = model.actuators.moment_col[span.clone()].iter().position(|&c| c as usize == i)?;
        let force = data.position.actuator_moment[span.start + k] * data.acceleration.actuator_force[a];
        Some((a, if force.is_nan() { f64::INFINITY } else { force.abs() }))
    };
    (0..model.nactuator()).filter_map(effect).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(a, _)| a)
}
