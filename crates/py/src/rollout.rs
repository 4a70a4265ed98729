//! Many simulations at once, on several threads, without the GIL.

use crate::functions::args::{Readonly, Readwrite, numbers, numbers_mut};
use crate::functions::divergence;
use crate::model::ModelCore;
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::Model;
use saltus::sim::data::StateParts;
use saltus::sim::derivative::Workspace;
use saltus::sim::rollout::{Batch, Controls, Outcome, Output, RolloutError, run_on};
use saltus::sim::workers::Workers;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Threads of an earlier call, for rollouts and derivatives alike.
struct Pool {
    /// The process that started them: threads do not survive a fork.
    process: u32,
    threads: usize,
    workers: Arc<Workers<Workspace>>,
}

static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

fn error(e: RolloutError) -> PyErr {
    PyValueError::new_err(e.to_string())
}

pub(crate) fn workers(threads: usize) -> PyResult<Arc<Workers<Workspace>>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.iter().find(|p| (p.process, p.threads) == (process, threads)) {
        return Ok(pool.workers.clone());
    }
    // Threads of a parent process cannot be joined.
    let (own, lost): (Vec<_>, Vec<_>) = pools.drain(..).partition(|p| p.process == process);
    lost.into_iter().for_each(core::mem::forget);
    *pools = own;
    let workers = Arc::new(Workers::new(threads).map_err(|e| error(e.into()))?);
    pools.push(Pool { process, threads, workers: workers.clone() });
    Ok(workers)
}

/// Size of the state of rollouts: time, q, v, act.
#[pyfunction]
pub fn rollout_state_size(py: Python<'_>, model: &ModelCore) -> PyResult<usize> {
    Ok(StateParts::FULL_PHYSICS.size(&*model.current(py)?))
}

/// A simulation that failed: its number, the step, the exception.
type Failure = (usize, usize, Py<PyAny>);

/// Runs `sims` simulations of `steps` steps, in maximal coordinates if a mode of theirs and its
/// options are given; results into `states` and `sensors` where given. Returns the failed
/// simulations.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
#[pyo3(signature = (models, shape, initial, warm_start, control, states, sensors, threads, maximal=None))]
pub fn rollout(
    py: Python<'_>,
    models: Vec<PyRef<'_, ModelCore>>,
    shape: (usize, usize),
    initial: Readonly<'_>,
    warm_start: Option<Readonly<'_>>,
    control: Option<(Readonly<'_>, usize, usize, u32)>,
    mut states: Option<Readwrite<'_>>,
    mut sensors: Option<Readwrite<'_>>,
    threads: usize,
    maximal: Option<(String, BTreeMap<String, f64>)>,
) -> PyResult<Vec<Failure>> {
    let maximal = maximal.map(|(mode, changes)| crate::maximal::options(&mode, &changes)).transpose()?;
    let models: Vec<Arc<Model>> = models.iter().map(|m| m.current(py)).collect::<PyResult<_>>()?;
    let models: Vec<&Model> = models.iter().map(Arc::as_ref).collect();
    let controls = match &control {
        None => Controls::Zero,
        Some((values, sims, steps, parts)) => Controls::Table {
            values: numbers(values, values.len(), "control")?,
            sims: *sims,
            steps: *steps,
            parts: StateParts(*parts),
        },
    };
    let warm_start = match &warm_start {
        Some(w) => numbers(w, w.len(), "warm_start")?,
        None => &[],
    };
    let batch = Batch {
        models: &models,
        sims: shape.0,
        steps: shape.1,
        initial: numbers(&initial, initial.len(), "initial")?,
        warm_start,
        controls,
    };
    let output = Output { states: slice(&mut states, "states")?, sensors: slice(&mut sensors, "sensors")? };
    let workers = workers(threads)?;
    let outcomes = run_interruptibly(py, |interrupted| {
        let go_on = |_: usize| !interrupted.load(Ordering::Relaxed);
        match maximal {
            None => run_on(&workers, &batch, output, Some(&go_on)),
            Some(options) => saltus::maximal::rollout(&workers, &batch, output, Some(&go_on), options),
        }
    })?
    .map_err(error)?;
    let failures = outcomes.into_iter().enumerate().filter_map(|(sim, outcome)| match outcome {
        Outcome::Failed { step, error } => Some((sim, step, divergence(py, &error).into_value(py).into_any())),
        Outcome::Done | Outcome::Cancelled => None,
    });
    Ok(failures.collect())
}

fn slice<'a>(array: &'a mut Option<Readwrite<'_>>, what: &str) -> PyResult<&'a mut [f64]> {
    match array {
        None => Ok(&mut []),
        Some(array) => {
            let len = array.len();
            numbers_mut(array, len, what)
        }
    }
}

/// Runs `work` on another thread without the GIL, while this one looks for signals such as Ctrl-C:
/// they interrupt it.
pub(crate) fn run_interruptibly<R: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> R + Send) -> PyResult<R> {
    let interrupted = AtomicBool::new(false);
    let mut signal = Ok(());
    let outcome = py.detach(|| {
        let (sender, receiver) = mpsc::channel();
        let interrupted = &interrupted;
        std::thread::scope(|scope| {
            scope.spawn(move || _ = sender.send(work(interrupted)));
            loop {
                match receiver.recv_timeout(Duration::from_millis(50)) {
                    Ok(result) => return Some(result),
                    Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        if signal.is_ok() {
                            signal = Python::attach(|py| py.check_signals());
                        }
                        if signal.is_err() {
                            interrupted.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
        })
    });
    signal?;
    outcome.ok_or_else(|| PyValueError::new_err("a simulation thread failed"))
}
