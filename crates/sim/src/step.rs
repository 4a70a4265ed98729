//! One step of simulation.
//!
//! check the state → position stage → velocity stage → actuation and smooth acceleration → law →
//! check → integrate. A step that fails returns an error and leaves the state unchanged; see
//! [`StepError`].

use crate::callbacks::{Callbacks, NoCallbacks};
use crate::data::Data;
use crate::divergence::{StepError, check_acceleration, check_controls, check_state};
use crate::forward::{Scope, forward_from, pass_forces, pass_state};
use crate::integrate;
use crate::inverse;
use crate::model::Model;
use crate::options::Enable;
use crate::stage::Stage;

/// Advances the simulation by one time step.
pub fn step(model: &Model, data: &mut Data) -> Result<(), StepError> {
    step_with(model, data, &mut NoCallbacks)
}

/// [`step`] with user callbacks.
pub fn step_with(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) -> Result<(), StepError> {
    check_state(model, data)?;
    check_controls(model, data)?;
    forward_from(model, data, Stage::None, callbacks);
    check_acceleration(model, data)?;
    if model.options.enable.has(Enable::FWDINV) {
        data.constraints.report.inverse_gap = inverse::compare_with_inverse(model, data);
    }
    integrate::advance(model, data, callbacks)
}

/// First half of a step: all results that depend on the state only, and the control callback.
/// Controls and forces may be set between the two halves.
pub fn step1(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) -> Result<(), StepError> {
    check_state(model, data)?;
    pass_state(model, data, Stage::None, callbacks, Scope::ALL);
    callbacks.control(model, data);
    Ok(())
}

/// Second half of a step: forces, accelerations, integration. Integrators with several stages are
/// replaced by Euler.
pub fn step2(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) -> Result<(), StepError> {
    check_controls(model, data)?;
    pass_forces(model, data, callbacks, Scope::ALL);
    check_acceleration(model, data)?;
    integrate::advance_once(model, data)
}

/// What [`step_or_reset`] did to continue after an error.
#[derive(Clone, Debug, PartialEq)]
pub enum Recovery {
    /// A control was not finite, and all controls were taken as zero.
    ControlsIgnored(StepError),
    /// The simulation diverged and was reset to the reference state.
    Reset(StepError),
}

/// [`step_with`] that always continues, as MuJoCo does by default: controls that are not finite are
/// taken as zero for the step, and a diverged simulation is reset before it steps. Returns what it
/// did.
pub fn step_or_reset(
    model: &Model,
    data: &mut Data,
    callbacks: &mut dyn Callbacks,
) -> Result<Option<Recovery>, StepError> {
    match step_with(model, data, callbacks) {
        Ok(()) => Ok(None),
        Err(error @ StepError::Other(_)) => Err(error),
        Err(error @ StepError::Control { .. }) => {
            let zero = vec![0.0; data.input.ctrl.len()];
            let ctrl = core::mem::replace(&mut data.input.ctrl, zero);
            let outcome = step_with(model, data, callbacks);
            data.input.ctrl = ctrl;
            outcome.map(|()| Some(Recovery::ControlsIgnored(error)))
        }
        Err(error @ StepError::Diverged(_)) => {
            data.reset(model);
            step_with(model, data, callbacks).map(|()| Some(Recovery::Reset(error)))
        }
    }
}
