//! Exact derivatives by parameters of the model: their names, and at the state of a data or at many
//! states.

use crate::data::DataCore;
use crate::derivatives::{Outcome, error, outcomes, output, places, slice};
use crate::functions::args::{Readonly, Readwrite};
use crate::model::ModelCore;
use crate::rollout::{run_interruptibly, workers};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::Model;
use saltus::sim::derivative::batch::batch;
use saltus::sim::derivative::parameter::{Parameter, StepBy};
use saltus::sim::derivative::point::{describe, inverse_by_at, transition_by_at};

fn find(model: &Model, names: &[String]) -> PyResult<Vec<Parameter>> {
    let one = |name: &String| Parameter::find(model, name).map_err(|e| PyValueError::new_err(e.to_string()));
    names.iter().map(one).collect()
}

/// Names of all parameters of a model.
#[pyfunction]
pub fn parameter_names(py: Python<'_>, model: &ModelCore) -> PyResult<Vec<String>> {
    let model = model.current(py)?;
    Ok(Parameter::all(&model).iter().map(|p| p.name(&model)).collect())
}

/// The numbers of parameters by name.
#[pyfunction]
pub fn parameter_values(py: Python<'_>, model: &ModelCore, names: Vec<String>) -> PyResult<Vec<f64>> {
    let model = model.current(py)?;
    let value = |p: &Parameter| p.value(&model).map_err(|e| PyValueError::new_err(e.to_string()));
    find(&model, &names)?.iter().map(value).collect()
}

/// Derivatives of inverse dynamics by parameters at the current q, v and a. The data is not
/// changed. Returns what is not exact.
#[pyfunction]
pub fn inverse_by(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    names: Vec<String>,
    actuation: bool,
    mut dtau: Readwrite<'_>,
) -> PyResult<Vec<String>> {
    let model = model.current(py)?;
    data.check(&model)?;
    let parameters = find(&model, &names)?;
    let dtau = slice(&mut dtau, "dtau")?;
    py.detach(|| {
        data.on_copy(|copy, work| {
            let report = inverse_by_at(&model, copy, actuation, &parameters, work, dtau)?;
            Ok(describe(&model, copy, report))
        })
    })
    .map_err(|e| error(py, &e))
}

/// Derivatives of a step by parameters from the current state and inputs, and of the acceleration.
/// The data is not changed. Returns what is not exact.
#[pyfunction]
pub fn transition_by(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    names: Vec<String>,
    out: [Readwrite<'_>; 2],
) -> PyResult<Vec<String>> {
    let model = model.current(py)?;
    data.check(&model)?;
    let parameters = find(&model, &names)?;
    let [mut dx, mut da] = out;
    let out = StepBy { dx: Some(slice(&mut dx, "dx")?), da: Some(slice(&mut da, "da")?) };
    py.detach(|| {
        data.on_copy(|copy, work| {
            let report = transition_by_at(&model, copy, &parameters, work, out)?;
            Ok(describe(&model, copy, report))
        })
    })
    .map_err(|e| error(py, &e))
}

/// `transition_by` at `count` states, on several threads.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn transition_by_many(
    py: Python<'_>,
    model: &ModelCore,
    count: usize,
    states: Readonly<'_>,
    ctrl: Option<Readonly<'_>>,
    names: Vec<String>,
    out: [Readwrite<'_>; 2],
    threads: usize,
) -> PyResult<Vec<Outcome>> {
    let model = model.current(py)?;
    let parameters = find(&model, &names)?;
    let (n, nv, np) = (2 * model.size.nv + model.size.na, model.size.nv, parameters.len());
    let at = places(count, &states, ctrl.as_ref(), None)?;
    let [mut dx, mut da] = out;
    let out = [output("dx", [n, np], &mut dx)?, output("da", [nv, np], &mut da)?];
    let workers = workers(threads)?;
    let verdicts = run_interruptibly(py, |cancelled| {
        batch(&workers, &model, at, out, cancelled, |data, work, [dx, da]| {
            transition_by_at(&model, data, &parameters, work, StepBy { dx: Some(dx), da: Some(da) })
        })
    })?;
    outcomes(py, verdicts)
}

/// `inverse_by` at `count` states and accelerations, on several threads.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn inverse_by_many(
    py: Python<'_>,
    model: &ModelCore,
    count: usize,
    states: Readonly<'_>,
    acceleration: Readonly<'_>,
    ctrl: Option<Readonly<'_>>,
    names: Vec<String>,
    actuation: bool,
    mut dtau: Readwrite<'_>,
    threads: usize,
) -> PyResult<Vec<Outcome>> {
    let model = model.current(py)?;
    let parameters = find(&model, &names)?;
    let at = places(count, &states, ctrl.as_ref(), Some(&acceleration))?;
    let out = [output("dtau", [model.size.nv, parameters.len()], &mut dtau)?];
    let workers = workers(threads)?;
    let verdicts = run_interruptibly(py, |cancelled| {
        batch(&workers, &model, at, out, cancelled, |data, work, [dtau]| {
            inverse_by_at(&model, data, actuation, &parameters, work, dtau)
        })
    })?;
    outcomes(py, verdicts)
}
