//! Optimization of a task, with progress callbacks, interruption and terms in Python.

use super::PlanCore;
use super::core::iteration_fields;
use super::function::{Failure, FunctionArgs, add_functions};
use super::task::read;
use crate::error::value_error;
use crate::functions::args::{Readonly, numbers};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use saltus::opt::planning::PlanningProblem;
use saltus::opt::problem::layout::Ends;
use saltus::opt::solve::optimize::Event;
use saltus::opt::solve::report::Iteration;
use saltus::sim::kinematics::coordinates::{difference, integrate, normalize};
use saltus::store::StoredPlan;
use std::time::{Duration, Instant};

/// Interval for checking signals; an iteration can delay the check further.
const SIGNALS: Duration = Duration::from_millis(20);

/// Optimizes the task of a text. `progress` receives the fields of each iteration and returns
/// whether to continue. An interrupt stops the run, which then returns the best motion so far.
#[pyfunction]
pub fn optimize(
    py: Python<'_>,
    text: &str,
    file: &str,
    functions: Vec<FunctionArgs>,
    guess: Option<Readonly<'_>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PlanCore> {
    let (task, spec) = read(text, file)?;
    let mut setup = py.detach(|| task.problem(&spec)).map_err(value_error)?;
    if let Some(guess) = &guess {
        set_guess(&mut setup, numbers(guess, guess.len(), "guess")?)?;
    }
    if !functions.is_empty() {
        setup.notes.push(note(&functions));
    }
    let failure = Failure::default();
    add_functions(py, &mut setup, functions, &failure)?;
    let mut watch = Watch { progress, failure: failure.clone(), stopped: false, looked: Instant::now() };
    let plan = py.detach(|| {
        setup.optimize(&mut |event| match event {
            Event::Iteration(iteration) => watch.show(iteration),
            Event::Point(_) | Event::Round(_) => watch.goes_on(),
        })
    });
    if let Some(error) = failure.take() {
        return Err(error);
    }
    let plan = plan.map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    // An interrupt after the last iteration is ignored, so that the plan is not lost.
    match py.check_signals() {
        Err(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => return Err(error),
        _ => {}
    }
    let actuation = setup.actuation.clone();
    Ok(PlanCore::new(StoredPlan::new(plan, setup, &task), actuation))
}

/// The note on terms that the task of a result folder omits.
fn note(functions: &[FunctionArgs]) -> String {
    let names: Vec<&str> = functions.iter().map(|function| function.0.as_str()).collect();
    format!("the task in a result folder omits the terms that are Python functions: {}", names.join(", "))
}

/// Calls into Python between iterations: signals and the progress callback.
struct Watch {
    progress: Option<Py<PyAny>>,
    failure: Failure,
    stopped: bool,
    looked: Instant,
}

impl Watch {
    fn goes_on(&self) -> bool {
        !self.stopped && !self.failure.is_set() && !self.failure.is_interrupted()
    }

    fn show(&mut self, iteration: &Iteration) -> bool {
        let is_due = self.progress.is_some() || self.looked.elapsed() >= SIGNALS;
        if !self.goes_on() || !is_due {
            return self.goes_on();
        }
        self.looked = Instant::now();
        Python::attach(|py| match self.ask(py, iteration) {
            Ok(go_on) => self.stopped |= !go_on,
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => _ = self.failure.interrupt(),
            Err(error) => self.failure.set(error),
        });
        self.goes_on()
    }

    fn ask(&self, py: Python<'_>, iteration: &Iteration) -> PyResult<bool> {
        py.check_signals()?;
        let Some(progress) = &self.progress else { return Ok(true) };
        progress.call1(py, (iteration_fields(iteration),))?.extract(py)
    }
}

/// The guess from states q₀ … q_T. For a limit cycle the last state is optional, and for a mirrored
/// one a full stride is accepted.
fn set_guess(setup: &mut PlanningProblem, states: &[f64]) -> PyResult<()> {
    let problem = &setup.problem;
    let (model, steps, nq) = (&problem.model, problem.steps, problem.model.size.nq);
    let rows = states.len() / nq.max(1);
    let is_enough = match &problem.ends {
        Ends::Periodic(cycle) => rows == steps || rows == steps + 1 || (cycle.mirror.is_some() && rows == 2 * steps),
        _ => rows == steps + 1,
    };
    if !is_enough || rows * nq != states.len() {
        let rows = if matches!(problem.ends, Ends::Periodic(_)) { steps } else { steps + 1 };
        let message = format!("guess: expected {rows} states of {nq} coordinates, found {} numbers", states.len());
        return Err(PyValueError::new_err(message));
    }
    if let Some(k) = states.iter().position(|x| !x.is_finite()) {
        let message =
            format!("guess: state {}, coordinate {} is {}; expected finite numbers", k / nq, k % nq, states[k]);
        return Err(PyValueError::new_err(message));
    }
    let count = rows.min(steps + 1);
    setup.guess[nq..(count + 1) * nq].copy_from_slice(&states[..count * nq]);
    setup.guess.chunks_exact_mut(nq.max(1)).for_each(|q| normalize(model, q));
    // Motions with a free initial state need the state before the first one; it is extrapolated
    // from the first step.
    let mut v = vec![0.0; model.size.nv];
    difference(model, &setup.guess[nq..2 * nq], &setup.guess[2 * nq..3 * nq], 1.0, &mut v);
    let (before, rest) = setup.guess.split_at_mut(nq);
    before.copy_from_slice(&rest[..nq]);
    integrate(model, before, &v, -1.0);
    Ok(())
}
