//! Steps, forward and inverse dynamics.

use crate::callbacks::{User, UserArgs, with_callbacks};
use crate::data::DataCore;
use crate::model::ModelCore;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::sim::callbacks::{Callbacks, NoCallbacks};
use saltus::sim::divergence::Quantity;
use saltus::sim::options::Integrator;
use saltus::sim::{self, integrate};
use saltus::sim::{Recovery, step_or_reset, step_with, step1, step2};
use saltus::{Data, Model, Stage, StepError};
use std::time::{Duration, Instant};

pyo3::create_exception!(
    saltus,
    DivergenceError,
    pyo3::exceptions::PyRuntimeError,
    "A number of the state, acceleration or controls is not finite or too large: `quantity`, `index`, `value`, `place`,\n\
     `time` and `cause` say which. The state is as before the step."
);

fn valid_stage(valid: i32) -> PyResult<Stage> {
    match valid {
        0 => Ok(Stage::None),
        1 => Ok(Stage::Position),
        2 => Ok(Stage::Velocity),
        _ => Err(PyValueError::new_err("the stage must be 0 (none), 1 (position) or 2 (velocity)")),
    }
}

/// Runs `f` on the data: without the GIL, or with user callbacks in Python.
fn run<R: Send>(
    model: &ModelCore,
    data: &Bound<'_, DataCore>,
    user: Option<UserArgs>,
    f: impl FnOnce(&Model, &mut Data, &mut dyn Callbacks) -> R + Send,
) -> PyResult<R> {
    let py = data.py();
    let model = model.for_step(py)?;
    data.try_borrow()?.check(&model)?;
    match user {
        None => {
            let mut core = data.try_borrow_mut()?;
            core.take_contacts(py)?;
            let data = &mut core.data;
            Ok(py.detach(|| f(&model, data, &mut NoCallbacks)))
        }
        Some(user) => with_callbacks(data, user, |data, callbacks| f(&model, data, callbacks)),
    }
}

/// Forward dynamics of all stages after `valid`.
#[pyfunction]
#[pyo3(signature = (model, data, valid=0, skip_sensors=false, user=None))]
pub fn forward(
    model: &ModelCore,
    data: &Bound<'_, DataCore>,
    valid: i32,
    skip_sensors: bool,
    user: Option<UserArgs>,
) -> PyResult<()> {
    let valid = valid_stage(valid)?;
    let pass = if skip_sensors { sim::forward_without_sensors_from } else { sim::forward_from };
    run(model, data, user, |m, d, callbacks| pass(m, d, valid, callbacks))
}

/// Inverse dynamics of all stages after `valid`.
#[pyfunction]
#[pyo3(signature = (model, data, valid=0, skip_sensors=false, user=None))]
pub fn inverse(
    model: &ModelCore,
    data: &Bound<'_, DataCore>,
    valid: i32,
    skip_sensors: bool,
    user: Option<UserArgs>,
) -> PyResult<()> {
    let valid = valid_stage(valid)?;
    run(model, data, user, |m, d, callbacks| {
        let sensor = skip_sensors.then(|| d.sensor.clone());
        let outcome = sim::inverse_from(m, d, valid, callbacks);
        if let Some(sensor) = sensor {
            d.sensor.copy_from_slice(&sensor);
        }
        outcome
    })?
    .map_err(|e| PyValueError::new_err(e.to_string()))
}

/// How long steps run without a look at signals.
const SLICE: Duration = Duration::from_millis(50);

/// Advances the simulation by `n` steps. With `autoreset`, steps that cannot be taken reset the
/// simulation; gives the number of MuJoCo's warning and the index for each. A signal such as Ctrl-C
/// ends it after a whole step.
#[pyfunction]
#[pyo3(signature = (model, data, n=1, autoreset=false, user=None))]
pub fn step(
    model: &ModelCore,
    data: &Bound<'_, DataCore>,
    n: usize,
    autoreset: bool,
    user: Option<UserArgs>,
) -> PyResult<Vec<(i32, usize)>> {
    let py = data.py();
    let mut warnings = Vec::new();
    if user.is_some() {
        // Python looks at signals itself in each callback.
        let steps = |m: &Model, d: &mut Data, callbacks: &mut dyn Callbacks| -> Result<(), StepError> {
            (0..n).try_for_each(|_| one_step(m, d, autoreset, callbacks, &mut warnings))
        };
        run(model, data, user, steps)?.map_err(|error| divergence(py, &error))?;
        return Ok(warnings);
    }
    let mut left = n;
    loop {
        let steps = |m: &Model, d: &mut Data, callbacks: &mut dyn Callbacks| -> Result<(), StepError> {
            let start = Instant::now();
            while left > 0 && start.elapsed() < SLICE {
                one_step(m, d, autoreset, callbacks, &mut warnings)?;
                left -= 1;
            }
            Ok(())
        };
        run(model, data, None, steps)?.map_err(|error| divergence(py, &error))?;
        if left == 0 {
            return Ok(warnings);
        }
        py.check_signals()?;
    }
}

fn one_step(
    model: &Model,
    data: &mut Data,
    autoreset: bool,
    callbacks: &mut dyn Callbacks,
    warnings: &mut Vec<(i32, usize)>,
) -> Result<(), StepError> {
    if autoreset {
        warnings.extend(step_or_reset(model, data, callbacks)?.map(|recovery| warning(&recovery)));
        Ok(())
    } else {
        step_with(model, data, callbacks)
    }
}

/// First (1) or second (2) half of a step.
#[pyfunction]
#[pyo3(signature = (model, data, half, user=None))]
pub fn half_step(model: &ModelCore, data: &Bound<'_, DataCore>, half: i32, user: Option<UserArgs>) -> PyResult<()> {
    let py = data.py();
    let outcome = match (half, user) {
        (1, user) => run(model, data, user, step1)?,
        (2, None) => run(model, data, None, step2)?,
        (2, Some(user)) => {
            // No control callback before these forces; the user's actuators still have to be asked.
            let model = model.for_step(py)?;
            data.try_borrow()?.check(&model)?;
            with_callbacks(data, user, |d, callbacks: &mut User<'_, '_>| {
                callbacks.find_actuation(&model, d);
                step2(&model, d, callbacks)
            })?
        }
        _ => return Err(PyValueError::new_err("the half of a step must be 1 or 2")),
    };
    outcome.map_err(|error| divergence(py, &error))
}

/// Advances the state by one step from the current acceleration with the integrator of this number.
#[pyfunction]
#[pyo3(signature = (model, data, integrator, user=None))]
pub fn advance(model: &ModelCore, data: &Bound<'_, DataCore>, integrator: i32, user: Option<UserArgs>) -> PyResult<()> {
    let integrator = Integrator::from_i32(integrator)
        .ok_or_else(|| PyValueError::new_err(format!("{integrator} is not the number of an integrator")))?;
    let py = data.py();
    let outcome = run(model, data, user, |m, d, callbacks| {
        if m.options.integrator == integrator {
            return integrate::advance(m, d, callbacks);
        }
        let mut other = m.clone();
        other.options.integrator = integrator;
        integrate::advance(&other, d, callbacks)
    })?;
    outcome.map_err(|error| divergence(py, &error))
}

/// MuJoCo's number of the warning that made a recovery necessary, and the index of the bad value.
fn warning(recovery: &Recovery) -> (i32, usize) {
    let (Recovery::ControlsIgnored(error) | Recovery::Reset(error)) = recovery;
    match error {
        StepError::Control { index, .. } => (6, *index),
        // Steps in generalized coordinates have no other errors.
        StepError::Other(_) => (6, 0),
        StepError::Diverged(divergence) => {
            let number = match divergence.quantity {
                Quantity::Coordinate | Quantity::Activation => 3,
                Quantity::Velocity => 4,
                Quantity::Acceleration => 5,
            };
            (number, divergence.index)
        }
    }
}

/// The Python exception for a step that was not taken.
pub fn divergence(py: Python<'_>, error: &StepError) -> PyErr {
    let exception = DivergenceError::new_err(error.to_string());
    let (quantity, index, value, time, place, cause) = match error {
        StepError::Diverged(d) => {
            let quantity = match d.quantity {
                Quantity::Coordinate => "coordinate",
                Quantity::Velocity => "velocity",
                Quantity::Acceleration => "acceleration",
                Quantity::Activation => "activation",
            };
            (quantity, d.index, d.value, d.time, d.place.as_str(), d.cause.as_str())
        }
        StepError::Control { actuator, index, value, time } => {
            ("control", *index, *value, *time, actuator.as_str(), "the control was set to it before the step")
        }
        StepError::Other(message) => ("step", 0, f64::NAN, f64::NAN, "maximal coordinates", message.as_str()),
    };
    let object = exception.value(py);
    let set = || -> PyResult<()> {
        object.setattr("quantity", quantity)?;
        object.setattr("index", index)?;
        object.setattr("value", value)?;
        object.setattr("time", time)?;
        object.setattr("place", place)?;
        object.setattr("cause", cause)
    };
    match set() {
        Ok(()) => exception,
        Err(error) => error,
    }
}
