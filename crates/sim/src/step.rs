//! One step of simulation.

use crate::callbacks::{Callbacks, NoCallbacks};
use crate::data::Data;
use crate::forward::forward_from;
use crate::model::Model;
use crate::stage::Stage;

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A non-finite or exploding number, with its place and the likely cause.
    #[error("{0}")]
    Diverged(String),
}

/// Advances the simulation by one time step.
pub fn step(model: &Model, data: &mut Data) -> Result<(), StepError> {
    step_with(model, data, &mut NoCallbacks)
}

/// [`step`] with user callbacks.
pub fn step_with(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) -> Result<(), StepError> {
    forward_from(model, data, Stage::None, callbacks);
    crate::integrate::advance(model, data);
    Ok(())
}
