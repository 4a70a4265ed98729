//! Sensors.

use crate::model::kinds::{ObjectKind, SensorKind};
use crate::stage::Stage;
use serde::{Deserialize, Serialize};

/// Sensors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SensorTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Its kind.
    pub kind: Vec<SensorKind>,
    /// Stage after which the sensor can be read.
    pub stage: Vec<Stage>,
    /// 0 real, 1 positive, 2 axis, 3 quaternion.
    pub data_type: Vec<i32>,
    /// Kind of what is measured.
    pub object_kind: Vec<ObjectKind>,
    /// What is measured, by its index.
    pub object: Vec<Option<u32>>,
    /// Kind of the frame that it is measured in.
    pub reference_kind: Vec<ObjectKind>,
    /// The frame that it is measured in, by its index.
    pub reference: Vec<Option<u32>>,
    /// Whole numbers whose meaning depends on the kind.
    pub int_prm: Vec<[i32; 3]>,
    /// How many numbers it reads.
    pub dim: Vec<u32>,
    /// First number in the sensor data.
    pub start: Vec<u32>,
    /// Largest value; 0 for none.
    pub cutoff: Vec<f64>,
    /// Standard deviation of noise, for the user; the engine adds none.
    pub noise: Vec<f64>,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// How many numbers of the user each has.
    pub user_len: usize,
}
