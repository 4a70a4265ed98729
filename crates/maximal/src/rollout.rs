//! Rollouts in maximal coordinates: one simulation for each, on the threads of saltus-sim.

use crate::{Options, Simulation};
use saltus_sim::rollout::{Batch, Outcome, Output, Progress, RolloutError, Stepper, run_with};
use saltus_sim::workers::Workers;
use saltus_sim::{Data, Model, StepError};

impl Stepper for Simulation {
    fn step(&mut self, model: &Model, data: &mut Data) -> Result<(), StepError> {
        Simulation::step(self, model, data).map(|_| ()).map_err(|error| StepError::Other(error.to_string()))
    }
}

/// Runs a batch as [`saltus_sim::rollout::run_on`] does, in maximal coordinates.
pub fn rollout<W: Default + Send>(
    workers: &Workers<W>,
    batch: &Batch<'_>,
    output: Output<'_>,
    progress: Option<&Progress<'_>>,
    options: Options,
) -> Result<Vec<Outcome>, RolloutError> {
    let make = |model: &Model| -> Result<Box<dyn Stepper>, StepError> {
        let simulation = Simulation::new(model, options).map_err(|error| StepError::Other(error.to_string()))?;
        Ok(Box::new(simulation))
    };
    run_with(workers, batch, output, progress, Some(&make))
}
