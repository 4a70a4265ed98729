//! Exact derivatives: at the state of a data, at many states, and how long they take.

use crate::data::DataCore;
use crate::functions::args::{Readonly, Readwrite, numbers, numbers_mut};
use crate::functions::divergence;
use crate::model::ModelCore;
use crate::rollout::{run_interruptibly, workers};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use saltus::sim::derivative::batch::{Output, States, Verdict, batch};
use saltus::sim::derivative::point::{PointError, describe, inverse_at, transition_at};
use saltus::sim::derivative::{self, Inverse, Workspace};
use saltus::sim::finite_difference::Transition;
use saltus::sim::workers::ShapeError;
use saltus::{Data, Model, step};
use std::hint::black_box;
use std::time::Instant;

pub(crate) fn error(py: Python<'_>, e: &PointError) -> PyErr {
    match e {
        PointError::Diverged(e) => divergence(py, e),
        PointError::Cancelled => PyRuntimeError::new_err(e.to_string()),
        PointError::Derivative(_) | PointError::NoInverse(_) => PyValueError::new_err(e.to_string()),
    }
}

pub(crate) fn slice<'a>(array: &'a mut Readwrite<'_>, what: &str) -> PyResult<&'a mut [f64]> {
    let len = array.len();
    numbers_mut(array, len, what)
}

fn part<'a>(array: &'a mut Option<Readwrite<'_>>, what: &str) -> PyResult<Option<&'a mut [f64]>> {
    array.as_mut().map(|a| slice(a, what)).transpose()
}

/// Derivatives of the state and of sensors after a step from the current state and inputs. The data
/// is not changed. Returns what is not exact.
#[pyfunction]
pub fn transition_exact(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    out: [Option<Readwrite<'_>>; 4],
) -> PyResult<Vec<String>> {
    let model = model.current(py)?;
    data.check(&model)?;
    let [mut a, mut b, mut c, mut d] = out;
    let out = Transition { A: part(&mut a, "A")?, B: part(&mut b, "B")?, C: part(&mut c, "C")?, D: part(&mut d, "D")? };
    py.detach(|| {
        data.on_copy(|copy, work| {
            let report = transition_at(&model, copy, work, out)?;
            Ok(describe(&model, copy, report))
        })
    })
    .map_err(|e| error(py, &e))
}

/// Derivatives of inverse dynamics at the present q, v and a, by q, v, a; the data stays as it is.
/// Gives what is not exact.
#[pyfunction]
pub fn inverse_exact(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    actuation: bool,
    out: [Readwrite<'_>; 3],
) -> PyResult<Vec<String>> {
    let model = model.current(py)?;
    data.check(&model)?;
    let [mut q, mut v, mut a] = out;
    let out = matrices(&mut q, &mut v, &mut a)?;
    py.detach(|| {
        data.on_copy(|copy, work| {
            let report = inverse_at(&model, copy, actuation, work, out)?;
            Ok(describe(&model, copy, report))
        })
    })
    .map_err(|e| error(py, &e))
}

fn matrices<'a>(q: &'a mut Readwrite<'_>, v: &'a mut Readwrite<'_>, a: &'a mut Readwrite<'_>) -> PyResult<Inverse<'a>> {
    Ok(Inverse { dtau_dq: slice(q, "dtau_dq")?, dtau_dv: slice(v, "dtau_dv")?, dtau_da: slice(a, "dtau_da")? })
}

/// For each state what is not exact, or the exception if there is no result.
pub(crate) type Outcome = (Vec<String>, Option<Py<PyAny>>);

pub(crate) fn outcomes(py: Python<'_>, verdicts: Result<Vec<Verdict>, ShapeError>) -> PyResult<Vec<Outcome>> {
    let verdicts = verdicts.map_err(|e| PyValueError::new_err(e.to_string()))?;
    let one = |verdict: Verdict| match verdict {
        Ok(words) => (words, None),
        Err(e) => (Vec::new(), Some(error(py, &e).into_value(py).into_any())),
    };
    Ok(verdicts.into_iter().map(one).collect())
}

/// Where derivatives are wanted; without controls or accelerations these are zero.
pub(crate) fn places<'a>(
    count: usize,
    states: &'a Readonly<'_>,
    ctrl: Option<&'a Readonly<'_>>,
    a: Option<&'a Readonly<'_>>,
) -> PyResult<States<'a>> {
    Ok(States {
        count,
        states: numbers(states, states.len(), "states")?,
        ctrl: ctrl.map_or(Ok(&[][..]), |c| numbers(c, c.len(), "ctrl"))?,
        a: a.map_or(Ok(&[][..]), |a| numbers(a, a.len(), "a"))?,
    })
}

pub(crate) fn output<'a>(name: &'static str, shape: [usize; 2], array: &'a mut Readwrite<'_>) -> PyResult<Output<'a>> {
    Ok(Output { name, shape, values: slice(array, name)? })
}

/// `transition_exact` at `count` states, on several threads.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn transition_exact_batch(
    py: Python<'_>,
    model: &ModelCore,
    count: usize,
    states: Readonly<'_>,
    ctrl: Option<Readonly<'_>>,
    mut a: Readwrite<'_>,
    mut b: Readwrite<'_>,
    threads: usize,
) -> PyResult<Vec<Outcome>> {
    let model = model.current(py)?;
    let (n, nu) = (2 * model.size.nv + model.size.na, model.size.nu);
    let at = places(count, &states, ctrl.as_ref(), None)?;
    let out = [output("A", [n, n], &mut a)?, output("B", [n, nu], &mut b)?];
    let workers = workers(threads)?;
    let verdicts = run_interruptibly(py, |cancelled| {
        batch(&workers, &model, at, out, cancelled, |data, work, [a, b]| {
            transition_at(&model, data, work, Transition { A: Some(a), B: Some(b), ..Transition::default() })
        })
    })?;
    outcomes(py, verdicts)
}

/// The derivatives of sensors at `count` states, on several threads.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn sensors_exact_batch(
    py: Python<'_>,
    model: &ModelCore,
    count: usize,
    states: Readonly<'_>,
    ctrl: Option<Readonly<'_>>,
    mut c: Readwrite<'_>,
    mut d: Readwrite<'_>,
    threads: usize,
) -> PyResult<Vec<Outcome>> {
    let model = model.current(py)?;
    let (n, nu, rows) = (2 * model.size.nv + model.size.na, model.size.nu, model.size.nsensordata);
    let at = places(count, &states, ctrl.as_ref(), None)?;
    let out = [output("C", [rows, n], &mut c)?, output("D", [rows, nu], &mut d)?];
    let workers = workers(threads)?;
    let verdicts = run_interruptibly(py, |cancelled| {
        batch(&workers, &model, at, out, cancelled, |data, work, [c, d]| {
            transition_at(&model, data, work, Transition { C: Some(c), D: Some(d), ..Transition::default() })
        })
    })?;
    outcomes(py, verdicts)
}

/// `inverse_exact` at `count` states and accelerations, on several threads.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn inverse_exact_batch(
    py: Python<'_>,
    model: &ModelCore,
    count: usize,
    states: Readonly<'_>,
    acceleration: Readonly<'_>,
    ctrl: Option<Readonly<'_>>,
    actuation: bool,
    out: [Readwrite<'_>; 3],
    threads: usize,
) -> PyResult<Vec<Outcome>> {
    let model = model.current(py)?;
    let at = places(count, &states, ctrl.as_ref(), Some(&acceleration))?;
    let ([mut q, mut v, mut a], shape) = (out, [model.size.nv; 2]);
    let out = [output("dtau_dq", shape, &mut q)?, output("dtau_dv", shape, &mut v)?, output("dtau_da", shape, &mut a)?];
    let workers = workers(threads)?;
    let verdicts = run_interruptibly(py, |cancelled| {
        batch(&workers, &model, at, out, cancelled, |data, work, [dtau_dq, dtau_dv, dtau_da]| {
            inverse_at(&model, data, actuation, work, Inverse { dtau_dq, dtau_dv, dtau_da })
        })
    })?;
    outcomes(py, verdicts)
}

/// Median seconds of the repetitions, from the state of `data` and without Python: of a step, of
/// forward or inverse dynamics, of the derivatives alone ("inverse", "transition") or with the
/// dynamics before them ("… from state").
#[pyfunction]
pub fn derivative_seconds(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    what: &str,
    repeat: usize,
) -> PyResult<f64> {
    let model = model.current(py)?;
    data.check(&model)?;
    let data = &data.data;
    py.detach(|| seconds(&model, data, what, repeat.clamp(1, 1 << 20))).map_err(|e| match e {
        Some(e) => error(py, &e),
        None => PyValueError::new_err(format!("there is no timer {what:?}")),
    })
}

fn seconds(model: &Model, data: &Data, what: &str, repeat: usize) -> Result<f64, Option<PointError>> {
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let n = 2 * nv + na;
    let (mut x, mut y, mut z) = (vec![0.0; n * n], vec![0.0; n * nu.max(n)], vec![0.0; nv * nv]);
    let (x, y, z) = match what {
        "transition" | "transition from state" => (&mut x[..], &mut y[..n * nu], &mut z[..]),
        _ => (&mut x[..nv * nv], &mut y[..nv * nv], &mut z[..]),
    };
    let mut work = Workspace::default();
    let mut base = data.clone();
    let given = data.acceleration.a.clone();
    saltus::forward(model, &mut base);
    let warm = data.state.a_warm.clone();
    if what == "inverse" {
        base.acceleration.a.copy_from_slice(&given);
        saltus::sim::inverse(model, &mut base).map_err(|e| Some(e.into()))?;
    }
    let mut one = |base: &mut Data| -> Result<(), Option<PointError>> {
        match what {
            "step" => {
                base.state.clone_from(&data.state);
                step(model, base).map_err(|e| Some(e.into()))?;
            }
            "forward" => {
                base.state.a_warm.copy_from_slice(&warm);
                saltus::forward(model, base);
            }
            "inverse dynamics" => {
                base.acceleration.a.copy_from_slice(&given);
                saltus::sim::inverse(model, base).map_err(|e| Some(e.into()))?;
            }
            "inverse" | "inverse from state" => {
                let out = Inverse { dtau_dq: &mut *x, dtau_dv: &mut *y, dtau_da: &mut *z };
                if what == "inverse" {
                    derivative::inverse(model, base, false, &mut work, out).map_err(|e| Some(e.into()))?;
                } else {
                    base.acceleration.a.copy_from_slice(&given);
                    inverse_at(model, base, false, &mut work, out).map_err(Some)?;
                }
            }
            "transition" | "transition from state" => {
                let out = Transition { A: Some(&mut *x), B: Some(&mut *y), ..Transition::default() };
                if what == "transition" {
                    derivative::transition(model, base, &mut work, out).map_err(|e| Some(e.into()))?;
                } else {
                    base.state.a_warm.copy_from_slice(&warm);
                    transition_at(model, base, &mut work, out).map_err(Some)?;
                }
            }
            _ => return Err(None),
        }
        Ok(())
    };
    one(&mut base)?;
    let mut times = Vec::with_capacity(repeat);
    for _ in 0..repeat {
        let start = Instant::now();
        one(black_box(&mut base))?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[repeat / 2])
}
