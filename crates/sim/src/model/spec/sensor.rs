//! Sensors.

pub use crate::model::kinds::{ObjectKind, SensorKind};
use serde::{Deserialize, Serialize};

/// A sensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensorSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Its kind.
    pub kind: SensorKind,
    /// The measured object; `ObjectKind::Unknown` for global sensors.
    pub object: (ObjectKind, String),
    /// The reference frame or the second object.
    pub reference: Option<(ObjectKind, String)>,
    /// Kind-specific integers: contact sensors (data bits, reduction, number), rangefinders (data
    /// bits), others zero.
    pub int_prm: [i32; 3],
    /// Output size of user sensors.
    pub user_dim: usize,
    /// Stage of user sensors, as numbered by MJCF.
    pub user_stage: i32,
    /// Data type of user sensors, as numbered by MJCF: real numbers, positive numbers, an axis or a
    /// quaternion.
    pub user_datatype: i32,
    /// Cutoff: limit of the output magnitude; 0 for no limit.
    pub cutoff: f64,
    /// Standard deviation of the noise, for information only: the engine adds no noise.
    pub noise: f64,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

impl SensorSpec {
    /// Creates a sensor of an object.
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
