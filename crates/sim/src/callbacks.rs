//! User code that is called during the computation.

use crate::data::Data;
use crate::ids::ActuatorId;
use crate::model::Model;

/// User code that the pipeline calls at fixed points. The default methods do nothing.
pub trait Callbacks {
    /// Called before the actuation stage; may set `data.input`.
    fn control(&mut self, _model: &Model, _data: &mut Data) {}
    /// Called after the passive forces are computed; may add to `data.velocity.passive`.
    fn passive(&mut self, _model: &Model, _data: &mut Data) {}
    /// Returns the activation rate of an actuator with user-defined dynamics.
    fn activation_rate(&mut self, _model: &Model, _data: &Data, _actuator: ActuatorId) -> f64 {
        0.0
    }
    /// Returns the gain of an actuator with user-defined gain.
    fn gain(&mut self, _model: &Model, _data: &Data, _actuator: ActuatorId) -> f64 {
        1.0
    }
    /// Returns the bias of an actuator with user-defined bias.
    fn bias(&mut self, _model: &Model, _data: &Data, _actuator: ActuatorId) -> f64 {
        0.0
    }
    /// Writes the outputs of the user sensors of a stage to `data.sensor`.
    fn sensor(&mut self, _model: &Model, _data: &mut Data, _stage: crate::stage::Stage) {}
}

/// Callbacks that do nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCallbacks;
impl Callbacks for NoCallbacks {}
