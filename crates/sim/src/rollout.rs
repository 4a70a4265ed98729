//! Many simulations in parallel on several threads.
//!
//! Each simulation runs on one thread from beginning to end.

use crate::callbacks::Callbacks;
use crate::data::{Data, StateParts};
use crate::divergence::StepError;
use crate::forward::forward_smooth;
use crate::model::Model;
use crate::step::step_with;
use crate::workers::{ShapeError, ThreadsError, Workers, product, require, row};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A feedback law for simulation `sim` at step `step`: `(sim, step, model, data, ctrl)`. Poses,
/// velocities and sensors of `data` belong to the current state; `ctrl` holds the previous
/// controls. Integrators with several stages call it in each stage.
pub type Feedback<'a> = dyn Fn(usize, usize, &Model, &Data, &mut [f64]) + Sync + 'a;

/// Source of the controls.
#[derive(Clone, Copy, Default)]
pub enum Controls<'a> {
    /// All controls are zero.
    #[default]
    Zero,
    /// `sims` × `steps` × size of the `parts`, which are inputs ([`StateParts::CTRL`] and others).
    /// A single simulation or a single step applies to all of them.
    Table { values: &'a [f64], sims: usize, steps: usize, parts: StateParts },
    /// A function of state and time.
    Feedback(&'a Feedback<'a>),
}

impl core::fmt::Debug for Controls<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Controls::Zero => write!(f, "Zero"),
            Controls::Table { sims, steps, .. } => write!(f, "Table {{ sims: {sims}, steps: {steps} }}"),
            Controls::Feedback(_) => write!(f, "Feedback"),
        }
    }
}

/// The simulations to run.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// One model for all simulations, or one for each. All models have the same sizes.
    pub models: &'a [&'a Model],
    /// Number of simulations.
    pub sims: usize,
    pub steps: usize,
    /// Initial time, q, v and act ([`StateParts::FULL_PHYSICS`]): one row for all simulations, or
    /// one row for each.
    pub initial: &'a [f64],
    /// Initial warm starts of the constraint solver: empty, or as many rows as `initial`.
    pub warm_start: &'a [f64],
    pub controls: Controls<'a>,
}

/// Outputs; an empty slice is not filled. If a simulation fails, its outputs are NaN from the
/// failed step on.
#[derive(Debug)]
pub struct Output<'a> {
    /// Time, q, v and act after each step · sims × steps × their size.
    pub states: &'a mut [f64],
    /// Sensors at the beginning of each step · sims × steps × nsensordata.
    pub sensors: &'a mut [f64],
}

/// How a simulation ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Done,
    /// The index (from 0) of the step that failed, and the reason.
    Failed {
        step: usize,
        error: StepError,
    },
    /// Cancelled before or during the simulation.
    Cancelled,
}

/// Takes the steps of one simulation. Other coordinates than generalized ones have their own
/// steppers.
pub trait Stepper {
    fn step(&mut self, model: &Model, data: &mut Data) -> Result<(), StepError>;
}

/// Creates the stepper of a simulation.
pub type MakeStepper<'a> = dyn Fn(&Model) -> Result<Box<dyn Stepper>, StepError> + Sync + 'a;

/// Called after each simulation with the number of finished ones; `false` cancels the rest.
pub type Progress<'a> = dyn Fn(usize) -> bool + Sync + 'a;

/// Why a batch could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RolloutError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("expected one model or {sims} models for {sims} simulations, found {found}")]
    Models { found: usize, sims: usize },
    #[error("the sizes of model {index} differ from those of the first model")]
    Sizes { index: usize },
    #[error(
        "a table of controls may contain inputs only: no time, coordinates, velocities, activations or warm starts"
    )]
    Parts,
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

/// Runs a batch on `threads` threads (0: the number of processors) and returns the outcome of each
/// simulation.
pub fn run(
    batch: &Batch<'_>,
    output: Output<'_>,
    threads: usize,
    progress: Option<&Progress<'_>>,
) -> Result<Vec<Outcome>, RolloutError> {
    run_on(&Workers::<()>::new(threads)?, batch, output, progress)
}

/// [`run`] on existing threads.
pub fn run_on<W: Default + Send>(
    workers: &Workers<W>,
    batch: &Batch<'_>,
    output: Output<'_>,
    progress: Option<&Progress<'_>>,
) -> Result<Vec<Outcome>, RolloutError> {
    run_with(workers, batch, output, progress, None)
}

/// [`run_on`] with the stepper that `make` creates for each simulation. Warm starts are not used.
pub fn run_with<W: Default + Send>(
    workers: &Workers<W>,
    batch: &Batch<'_>,
    output: Output<'_>,
    progress: Option<&Progress<'_>>,
    make: Option<&MakeStepper<'_>>,
) -> Result<Vec<Outcome>, RolloutError> {
    check(batch, &output)?;
    let mut outcomes = vec![Outcome::Cancelled; batch.sims];
    let (finished, cancelled) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = Run { batch, make, cancelled: &cancelled };
    workers.each(jobs(batch, output, &mut outcomes), |job, memory| {
        let model = batch.models[if batch.models.len() == 1 { 0 } else { job.sim }];
        run_job(&run, model, job, memory.reset(model).0);
        let done = finished.fetch_add(1, Ordering::Relaxed) + 1;
        if progress.is_some_and(|progress| !progress(done)) {
            cancelled.store(true, Ordering::Relaxed);
        }
    });
    Ok(outcomes)
}

/// One simulation's part of the output.
struct Job<'a> {
    sim: usize,
    states: &'a mut [f64],
    sensors: &'a mut [f64],
    outcome: &'a mut Outcome,
}

/// The output in pieces, one per simulation.
fn jobs<'a>(batch: &Batch<'_>, output: Output<'a>, outcomes: &'a mut [Outcome]) -> impl Iterator<Item = Job<'a>> {
    let split = |len: usize| len.checked_div(batch.sims).unwrap_or(0);
    let (state_len, sensor_len) = (split(output.states.len()), split(output.sensors.len()));
    let (mut states, mut sensors) = (output.states, output.sensors);
    outcomes.iter_mut().enumerate().map(move |(sim, outcome)| {
        let (own_states, rest) = core::mem::take(&mut states).split_at_mut(state_len);
        states = rest;
        let (own_sensors, rest) = core::mem::take(&mut sensors).split_at_mut(sensor_len);
        sensors = rest;
        Job { sim, states: own_states, sensors: own_sensors, outcome }
    })
}

/// What all simulations have in common.
struct Run<'a> {
    batch: &'a Batch<'a>,
    make: Option<&'a MakeStepper<'a>>,
    cancelled: &'a AtomicBool,
}

fn run_job(run: &Run<'_>, model: &Model, mut job: Job<'_>, data: &mut Data) {
    let steps = simulate(run, model, &mut job, data);
    // What was not reached.
    for values in [job.states, job.sensors] {
        let width = values.len().checked_div(run.batch.steps).unwrap_or(0);
        values[steps * width..].fill(f64::NAN);
    }
}

/// Runs one simulation and returns the number of steps that it took.
fn simulate(run: &Run<'_>, model: &Model, job: &mut Job<'_>, data: &mut Data) -> usize {
    let batch = run.batch;
    let mut stepper = match run.make.map(|make| make(model)).transpose() {
        Ok(stepper) => stepper,
        Err(error) => {
            *job.outcome = Outcome::Failed { step: 0, error };
            return 0;
        }
    };
    let mut ctrl = vec![0.0; model.size.nu];
    let parts = StateParts::FULL_PHYSICS;
    let (width, sensor_width) = (parts.size(model), model.size.nsensordata);
    // Sizes were checked.
    let _ = data.write_parts(model, parts, row(batch.initial, width, job.sim));
    if !batch.warm_start.is_empty() {
        data.state.a_warm.copy_from_slice(row(batch.warm_start, model.size.nv, job.sim));
    }
    for step in 0..batch.steps {
        if run.cancelled.load(Ordering::Relaxed) {
            *job.outcome = Outcome::Cancelled;
            return step;
        }
        set_controls(batch, model, data, job.sim, step);
        let mut control = Control { batch, sim: job.sim, step, ctrl: &mut ctrl };
        let outcome = match &mut stepper {
            None => step_with(model, data, &mut control),
            Some(stepper) => {
                if matches!(batch.controls, Controls::Feedback(_)) {
                    // Poses, velocities and sensors of the present state.
                    forward_smooth(model, data);
                    control.control(model, data);
                }
                stepper.step(model, data)
            }
        };
        if let Err(error) = outcome {
            *job.outcome = Outcome::Failed { step, error };
            return step;
        }
        if !job.states.is_empty() {
            let _ = data.read_parts(model, parts, &mut job.states[step * width..(step + 1) * width]);
        }
        if !job.sensors.is_empty() {
            job.sensors[step * sensor_width..(step + 1) * sensor_width].copy_from_slice(&data.sensor);
        }
    }
    *job.outcome = Outcome::Done;
    batch.steps
}

fn set_controls(batch: &Batch<'_>, model: &Model, data: &mut Data, sim: usize, step: usize) {
    if let Controls::Table { values, sims, steps, parts } = batch.controls {
        let width = parts.size(model);
        let (sim, step) = (if sims == 1 { 0 } else { sim }, if steps == 1 { 0 } else { step });
        let start = (sim * steps + step) * width;
        // `check` has seen the sizes.
        let _ = data.write_parts(model, parts, &values[start..start + width]);
    }
}

/// Passes the pipeline's control callback on to the feedback function.
struct Control<'a> {
    batch: &'a Batch<'a>,
    sim: usize,
    step: usize,
    ctrl: &'a mut [f64],
}

impl Callbacks for Control<'_> {
    fn control(&mut self, model: &Model, data: &mut Data) {
        if let Controls::Feedback(feedback) = self.batch.controls {
            self.ctrl.copy_from_slice(&data.input.ctrl);
            feedback(self.sim, self.step, model, data, self.ctrl);
            data.input.ctrl.copy_from_slice(self.ctrl);
        }
    }
}

fn check(batch: &Batch<'_>, output: &Output<'_>) -> Result<(), RolloutError> {
    let (sims, steps) = (batch.sims, batch.steps);
    let found = batch.models.len();
    let Some(first) = batch.models.first().filter(|_| found == 1 || found == sims) else {
        return Err(RolloutError::Models { found, sims });
    };
    let sizes = |m: &Model| (m.size, m.nbody());
    if let Some(index) = batch.models.iter().position(|m| sizes(m) != sizes(first)) {
        return Err(RolloutError::Sizes { index });
    }
    let (nstate, nv) = (StateParts::FULL_PHYSICS.size(first), first.size.nv);
    let nsensor = first.size.nsensordata;
    let (initial, warm) = (batch.initial.len(), batch.warm_start.len());
    require("the initial state", initial, &[sims, nstate], initial == nstate)?;
    require("the warm start", warm, &[sims, nv], warm == 0 || warm == nv)?;
    if let Controls::Table { values, sims: rows, steps: columns, parts } = batch.controls {
        if StateParts::INPUTS.with(parts) != StateParts::INPUTS {
            return Err(RolloutError::Parts);
        }
        let width = parts.size(first);
        let fits = (rows == 1 || rows == sims) && (columns == 1 || columns == steps);
        let dims = if fits { [rows, columns, width] } else { [sims, steps, width] };
        require("the control table", if fits { values.len() } else { product(&[rows, columns, width]) }, &dims, false)?;
    }
    let (states, sensors) = (output.states.len(), output.sensors.len());
    require("the output for states", states, &[sims, steps, nstate], states == 0)?;
    Ok(require("the output for sensors", sensors, &[sims, steps, nsensor], sensors == 0)?)
}
