//! Many simulations of one model. `sim::rollout` also supports outputs in memory of the caller,
//! several models and different initial states.

use saltus_sim::data::StateParts;
use saltus_sim::ids::SensorId;
use saltus_sim::rollout::{self, Batch, Controls, Outcome, Output, RolloutError};
use saltus_sim::workers::ShapeError;
use saltus_sim::{Data, Model};

/// States and sensors of many simulations.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// Number of simulations.
    pub sims: usize,
    /// Number of steps of each.
    pub steps: usize,
    /// Time, q, v, act after each step · sims × steps × (1 + nq + nv + na). NaN after a simulation
    /// failed.
    pub states: Vec<f64>,
    /// Sensors of the state before each step · sims × steps × nsensordata.
    pub sensors: Vec<f64>,
    /// How each simulation ended.
    pub outcomes: Vec<Outcome>,
}

/// Runs `sims` simulations of `steps` steps from the state of `start`, on all processors. Results
/// do not depend on the number of processors.
///
/// ```
/// use saltus::{Controls, StateParts};
///
/// let spec = saltus::io::read_str(saltus::shipped::HUMANOID, &Default::default())?;
/// let model = saltus::compile(&spec)?;
/// let start = saltus::Data::new(&model);
/// // One control vector for each of four simulations, held for all steps.
/// let values: Vec<f64> = (0..4 * model.size.nu).map(|k| 0.01 * k as f64).collect();
/// let controls = Controls::Table { values: &values, sims: 4, steps: 1, parts: StateParts::CTRL };
/// let run = saltus::rollout(&model, &start, controls, 4, 20)?;
/// assert_ne!(run.q(&model, 0, 19), run.q(&model, 3, 19));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rollout(
    model: &Model,
    start: &Data,
    controls: Controls<'_>,
    sims: usize,
    steps: usize,
) -> Result<Rollout, RolloutError> {
    let parts = StateParts::FULL_PHYSICS;
    let mut initial = vec![0.0; parts.size(model)];
    start.read_parts(model, parts, &mut initial).map_err(|error| ShapeError {
        what: "the initial state",
        found: error.found,
        expected: error.expected,
        shape: "time, q, v, act".into(),
    })?;
    let mut states = vec![0.0; sims * steps * initial.len()];
    let mut sensors = vec![0.0; sims * steps * model.size.nsensordata];
    let batch = Batch { models: &[model], sims, steps, initial: &initial, warm_start: &start.state.a_warm, controls };
    let output = Output { states: &mut states, sensors: &mut sensors };
    let outcomes = rollout::run(&batch, output, 0, None)?;
    Ok(Rollout { sims, steps, states, sensors, outcomes })
}

impl Rollout {
    fn row<'a>(&self, values: &'a [f64], sim: usize, step: usize) -> &'a [f64] {
        let width = values.len() / (self.sims * self.steps);
        let start = (sim * self.steps + step) * width;
        &values[start..start + width]
    }

    /// Coordinates after a step. As the other accessors, it panics if an index is out of range.
    pub fn q(&self, model: &Model, sim: usize, step: usize) -> &[f64] {
        &self.row(&self.states, sim, step)[1..][..model.size.nq]
    }

    /// Velocities after a step.
    pub fn v(&self, model: &Model, sim: usize, step: usize) -> &[f64] {
        &self.row(&self.states, sim, step)[1 + model.size.nq..][..model.size.nv]
    }

    /// Reading of a sensor at the state before a step.
    pub fn sensor(&self, model: &Model, sensor: SensorId, sim: usize, step: usize) -> &[f64] {
        let (start, dim) = (model.sensors.start[sensor.idx()], model.sensors.dim[sensor.idx()]);
        &self.row(&self.sensors, sim, step)[start as usize..][..dim as usize]
    }
}
