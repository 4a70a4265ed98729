//! User code that takes part in the computation.

use crate::data::Data;
use crate::ids::ActuatorId;
use crate::model::Model;

/// Called by the pipeline at fixed places. Every method has a default that does nothing special.
pub trait Callbacks {
    /// Before actuation: may set `data.input`.
    fn control(&mut self, _model: &Model, _data: &mut Data) {}
    /// After passive forces: may add to `data.velocity.passive`.
    fn passive(&mut self, _model: &Model, _data: &mut Data) {}
    /// Activation rate of an actuator with user dynamics.
    fn activation_rate(&mut self, _model: &Model, _data: &Data, _actuator: ActuatorId) -> f64 {
        0.0
    }
    /// Gain of an actuator with user gain.
    fn gain(&mut self, _model: &Model, _data: &Data, _actuator: ActuatorId) -> f64 {
        1.0
    }
    /// Bias of an actuator with user bias.
    fn bias(&mut self, _model: &Model, _data: &Data, _actuator: ActuatorId) -> f64 {
        0.0
    }
    /// Fills user sensors of a stage in `data.sensor`.
    fn sensor(&mut self, _model: &Model, _data: &mut Data, _stage: crate::stage::Stage) {}
}

/// No user code.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCallbacks;
impl Callbacks for NoCallbacks {}
