//! One step of simulation.
//!
//! check the state → position stage → velocity stage → actuation and smooth acceleration → law → check → integrate.
//! A step that cannot be taken is an error and changes nothing; see [`StepError`].

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

/// First half of a step: everything that depends on the state only, and the control callback. Controls and forces may
/// be set between the halves.
pub fn step1(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) -> Result<(), StepError> {
    check_state(model, data)?;
    pass_state(model, data, Stage::None, callbacks, Scope::ALL);
    callbacks.control(model, data);
    Ok(())
}

/// Second half of a step: forces, acceleration, integration. Euler stands in for integrators with several stages.
pub fn step2(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) -> Result<(), StepError> {
    check_controls(model, data)?;
    pass_forces(model, data, callbacks, Scope::ALL);
    check_acceleration(model, data)?;
    integrate::advance_once(model, data)
}

/// What [`step_or_reset`] did to be able to go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Recovery {
    /// Controls that are not finite counted as zero, all of them.
    ControlsIgnored(StepError),
    /// The simulation diverged and started again from the reference state.
    Reset(StepError),
}

/// [`step_with`] that always goes on, as MuJoCo does by default: bad controls count as zero for the step, a diverged
/// simulation is reset, then steps. Says what it did.
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
