//! Sensors.

pub use crate::model::kinds::{ObjectKind, SensorKind};
use serde::{Deserialize, Serialize};

/// A sensor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SensorSpec {
    pub name: String,
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
    pub user_datatype: i32,
    pub cutoff: f64,
    pub noise: f64,
    pub user: Vec<f64>,
    pub place: String,
}

impl SensorSpec {
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
