//! Sensors.

pub use crate::model::kinds::{ObjectKind, SensorKind};
use serde::{Deserialize, Serialize};

/// A sensor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SensorSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// What kind it is.
    pub kind: SensorKind,
    /// The object that is measured; `ObjectKind::Unknown` for global sensors.
    pub object: (ObjectKind, String),
    /// The frame relative to which it is measured, or the second object.
    pub reference: Option<(ObjectKind, String)>,
    /// Kind-specific integers: contact sensors (data bits, reduction, number), rangefinders (data bits), others zero.
    pub int_prm: [i32; 3],
    /// Output size of user sensors.
    pub user_dim: usize,
    /// Stage and data type of user sensors, as numbered by MJCF's enumerations.
    pub user_stage: i32,
    /// What a sensor of the user reads: real numbers, a direction, a quaternion.
    pub user_datatype: i32,
    /// Largest value; 0 for none.
    pub cutoff: f64,
    /// Standard deviation of noise, for the user; the engine adds none.
    pub noise: f64,
    /// Numbers of the user, which the engine does not read.
    pub user: Vec<f64>,
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}

impl SensorSpec {
    /// A sensor of an object.
    pub fn new(kind: SensorKind, object: ObjectKind, name: impl Into<String>) -> Self {
        Self {
            name: String::new(),
            kind,
            object: (object, name.into()),
            reference: None,
            int_prm: [0; 3],
            user_dim: 0,
            user_stage: 0,
            user_datatype: 0,
            cutoff: 0.0,
            noise: 0.0,
            user: Vec::new(),
            place: String::new(),
        }
    }
}
