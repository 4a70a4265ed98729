//! Sensors.

use crate::model::kinds::{ObjectKind, SensorKind};
use crate::stage::Stage;
use serde::{Deserialize, Serialize};

/// Sensors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SensorTable {
    pub name: Vec<String>,
    pub kind: Vec<SensorKind>,
    /// Stage after which the sensor can be read.
    pub stage: Vec<Stage>,
    /// 0 real, 1 positive, 2 axis, 3 quaternion.
    pub data_type: Vec<i32>,
    pub object_kind: Vec<ObjectKind>,
    pub object: Vec<Option<u32>>,
    pub reference_kind: Vec<ObjectKind>,
    pub reference: Vec<Option<u32>>,
    pub int_prm: Vec<[i32; 3]>,
    pub dim: Vec<u32>,
    /// First number in the sensor data.
    pub start: Vec<u32>,
    pub cutoff: Vec<f64>,
    pub noise: Vec<f64>,
    pub user: Vec<f64>,
    pub user_len: usize,
}
