//! Terms that are Python functions. They hold the GIL while they run, on any thread of the
//! optimizer.

use crate::functions::args::{Readonly, numbers};
use crate::model::ModelCore;
use numpy::{PyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use saltus::opt::planning::PlanningProblem;
use saltus::opt::problem::identity::TermId;
use saltus::opt::problem::rows::{Knot, Part, Rows};
use saltus::opt::problem::term::check_term;
use saltus::opt::problem::{Entry, Role, Term, Window};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What calls into Python came to: the first exception, after which functions are no longer called,
/// and whether Ctrl-C was pressed during a call.
#[derive(Clone, Debug, Default)]
pub struct Failure(Arc<Outcome>);

#[derive(Debug, Default)]
struct Outcome {
    error: Mutex<Option<PyErr>>,
    interrupted: AtomicBool,
}

impl Failure {
    pub fn is_set(&self) -> bool {
        self.0.error.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
    pub fn set(&self, error: PyErr) {
        self.0.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
    pub fn take(&self) -> Option<PyErr> {
        self.0.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
    /// Whether Ctrl-C was pressed.
    pub fn is_interrupted(&self) -> bool {
        self.0.interrupted.load(Ordering::SeqCst)
    }
    /// Takes note of Ctrl-C; says whether it is the first.
    pub fn interrupt(&self) -> bool {
        !self.0.interrupted.swap(true, Ordering::SeqCst)
    }
}

/// The Python wrapper of a user's function. It checks the result and returns the residual and, for
/// each of q, v, a and τ, the derivative or None.
#[derive(Debug)]
struct Function {
    call: Py<PyAny>,
    model: Py<ModelCore>,
    failure: Failure,
}

type Answer<'py> = (Readonly<'py>, [Option<Readonly<'py>>; 4]);

impl Function {
    fn write(&self, py: Python<'_>, knot: &Knot<'_>, out: &mut Rows) -> PyResult<()> {
        let array = |values: &[f64]| PyArray1::from_slice(py, values);
        let counts = (knot.t, knot.steps, knot.h, knot.has_force, out.wants_jacobian());
        let arrays = (array(knot.q()), array(knot.v()), array(knot.a), array(knot.tau));
        let answer = self.call.call1(py, (&self.model, counts, arrays))?;
        let (residual, slopes): Answer<'_> = answer.extract(py)?;
        let (rows, nv) = (residual.len(), knot.model.size.nv);
        let residual = numbers(&residual, rows, "residual")?;
        let parts = [(Part::Q, "q"), (Part::V, "v"), (Part::A, "a"), (Part::Tau, "tau")];
        let mut given = Vec::with_capacity(parts.len());
        for ((part, name), slopes) in parts.into_iter().zip(&slopes) {
            if let Some(slopes) = slopes {
                given.push((part, numbers(slopes, rows * nv, name)?));
            }
        }
        for (r, &value) in residual.iter().enumerate() {
            out.row(value);
            for (part, slopes) in &given {
                out.add_all(*part, 1.0, &slopes[r * nv..(r + 1) * nv]);
            }
        }
        Ok(())
    }
}

impl Term for Function {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        if self.failure.is_set() {
            return;
        }
        Python::attach(|py| {
            let mut outcome = self.write(py, knot, out);
            // After the first Ctrl-C the call is repeated, so that the iteration can be completed
            // and the motion is kept; the second one ends the run.
            if let Err(error) = &outcome
                && error.is_instance_of::<PyKeyboardInterrupt>(py)
                && self.failure.interrupt()
            {
                outcome = self.write(py, knot, out);
            }
            if let Err(error) = outcome {
                self.failure.set(error);
            }
        });
    }
}

/// A function as passed from Python: name, function, role, window (start, end; NaN: end of the
/// motion; None: always), measure, slack.
pub type FunctionArgs = (String, Py<PyAny>, String, Option<(f64, f64)>, Option<f64>, f64);

/// Adds functions to the terms of a problem. They receive the planning model.
pub fn add_functions(
    py: Python<'_>,
    setup: &mut PlanningProblem,
    functions: Vec<FunctionArgs>,
    failure: &Failure,
) -> PyResult<()> {
    if functions.is_empty() {
        return Ok(());
    }
    let problem = &mut setup.problem;
    let model = Py::new(py, ModelCore::new(problem.model.clone()))?;
    for (name, call, role, window, measure, slack) in functions {
        let role = match role.as_str() {
            "cost" => Role::Cost,
            "equality" => Role::Equality,
            "inequality" => Role::Inequality,
            other => {
                let message = format!("{name}: role: expected one of cost, equality, inequality; found {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        let at_end = window.is_some_and(|(from, _)| from.is_nan());
        let window = match window {
            None => Window::ALWAYS,
            Some(_) if at_end => Window::end(problem.steps),
            Some((from, to)) => Window::between(from, to, problem.h()),
        };
        let term = Function { call, model: model.clone_ref(py), failure: failure.clone() };
        let measure = measure.or(at_end.then_some(1.0));
        problem.terms.push(Entry { id: TermId::Custom(name), term: Box::new(term), role, window, measure, slack });
    }
    Ok(())
}

/// Compares the derivatives of a function with central differences. Returns a message about the
/// first wrong one, or None.
#[pyfunction]
pub fn check_function(py: Python<'_>, model: Py<ModelCore>, call: Py<PyAny>, seed: u64) -> PyResult<Option<String>> {
    let failure = Failure::default();
    let compiled = model.get().current(py)?;
    let term = Function { call, model, failure: failure.clone() };
    let outcome = py.detach(|| check_term(&compiled, &term, seed));
    match failure.take() {
        Some(error) => Err(error),
        None if failure.is_interrupted() => Err(PyKeyboardInterrupt::new_err(())),
        None => Ok(outcome.err()),
    }
}
