//! User data and keyframes.

use super::ObjectKind;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NumericSpec {
    pub name: String,
    /// Padded with zeros to `size`.
    pub data: Vec<f64>,
    pub size: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TextSpec {
    pub name: String,
    pub data: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TupleElement {
    pub kind: ObjectKind,
    pub name: String,
    pub prm: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TupleSpec {
    pub name: String,
    pub elements: Vec<TupleElement>,
    pub place: String,
}

/// A stored state. What is empty is taken from the initial state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KeySpec {
    pub name: String,
    pub time: f64,
    pub qpos: Vec<f64>,
    pub qvel: Vec<f64>,
    pub act: Vec<f64>,
    pub ctrl: Vec<f64>,
    pub mocap_pos: Vec<Vec3>,
    pub mocap_quat: Vec<Quat>,
    pub place: String,
}
