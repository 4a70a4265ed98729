//! User data and keyframes.

use crate::ids::Span;
use crate::model::kinds::ObjectKind;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Numbers of the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NumericTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Where its numbers are in the data.
    pub span: Vec<Span>,
    /// The numbers of all.
    pub data: Vec<f64>,
}

/// Texts of the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// The texts.
    pub data: Vec<String>,
}

/// Lists of objects of the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TupleTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Where its numbers are in the data.
    pub span: Vec<Span>,
    /// Kinds of the objects.
    pub kind: Vec<ObjectKind>,
    /// Objects, by their index.
    pub object: Vec<u32>,
    /// A number beside each.
    pub prm: Vec<f64>,
}

/// Stored states; each array has one full state vector per key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Time, s.
    pub time: Vec<f64>,
    /// Coordinates · nq each.
    pub q: Vec<f64>,
    /// Velocities · nv each.
    pub v: Vec<f64>,
    /// Activations · na each.
    pub act: Vec<f64>,
    /// Controls · nu each.
    pub ctrl: Vec<f64>,
    /// Positions of mocap bodies.
    pub mocap_pos: Vec<Vec3>,
    /// Orientations of mocap bodies.
    pub mocap_quat: Vec<Quat>,
}
