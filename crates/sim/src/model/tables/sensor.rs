//! Sensors.

use crate::model::kinds::{ObjectKind, SensorKind};
use crate::stage::Stage;
use serde::{Deserialize, Serialize};

/// Sensors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SensorTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Kind of sensor.
    pub kind: Vec<SensorKind>,
    /// Stage after which the sensor can be evaluated.
    pub stage: Vec<Stage>,
    /// Type of the data: 0 real, 1 positive, 2 axis, 3 quaternion.
    pub data_type: Vec<i32>,
    /// Kind of the measured object.
    pub object_kind: Vec<ObjectKind>,
    /// Index of the measured object.
    pub object: Vec<Option<u32>>,
    /// Kind of the reference frame's object.
    pub reference_kind: Vec<ObjectKind>,
    /// Index of the reference frame's object.
    pub reference: Vec<Option<u32>>,
    /// Integer parameters; their meaning depends on the kind.
    pub int_prm: Vec<[i32; 3]>,
    /// Number of values.
    pub dim: Vec<u32>,
    /// Index of the first value in the sensor data.
    pub start: Vec<u32>,
    /// Largest absolute value; 0 for no limit.
    pub cutoff: Vec<f64>,
    /// Standard deviation of noise, for the user; the engine adds no noise.
    pub noise: Vec<f64>,
    /// User data, not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each sensor.
    pub user_len: usize,
}
