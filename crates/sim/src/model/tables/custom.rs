//! User data and keyframes.

use crate::ids::Span;
use crate::model::kinds::ObjectKind;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Custom numeric data of the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NumericTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Span of its numbers in `data`.
    pub span: Vec<Span>,
    /// Numbers of all elements.
    pub data: Vec<f64>,
}

/// Custom texts of the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// The texts.
    pub data: Vec<String>,
}

/// Custom tuples: lists of objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TupleTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Span of its objects in `kind`, `object` and `prm`.
    pub span: Vec<Span>,
    /// Kinds of the objects.
    pub kind: Vec<ObjectKind>,
    /// Indices of the objects.
    pub object: Vec<u32>,
    /// A number for each object.
    pub prm: Vec<f64>,
}

/// Keyframes: stored states; each array has one full state vector per key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Time, s.
    pub time: Vec<f64>,
    /// Coordinates, nq per key.
    pub q: Vec<f64>,
    /// Velocities, nv per key.
    pub v: Vec<f64>,
    /// Activations, na per key.
    pub act: Vec<f64>,
    /// Controls, nu per key.
    pub ctrl: Vec<f64>,
    /// Positions of mocap bodies.
    pub mocap_pos: Vec<Vec3>,
    /// Orientations of mocap bodies.
    pub mocap_quat: Vec<Quat>,
}
