//! User data and keyframes.

use crate::ids::Span;
use crate::model::kinds::ObjectKind;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NumericTable {
    pub name: Vec<String>,
    pub span: Vec<Span>,
    pub data: Vec<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextTable {
    pub name: Vec<String>,
    pub data: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TupleTable {
    pub name: Vec<String>,
    pub span: Vec<Span>,
    pub kind: Vec<ObjectKind>,
    pub object: Vec<u32>,
    pub prm: Vec<f64>,
}

/// Stored states; each array has one full state vector per key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyTable {
    pub name: Vec<String>,
    pub time: Vec<f64>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub act: Vec<f64>,
    pub ctrl: Vec<f64>,
    pub mocap_pos: Vec<Vec3>,
    pub mocap_quat: Vec<Quat>,
}
