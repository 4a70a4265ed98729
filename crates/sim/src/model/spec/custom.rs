//! User data and keyframes.

use super::ObjectKind;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Custom numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NumericSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// The numbers; padded with zeros to `size`.
    pub data: Vec<f64>,
    /// Number of values.
    pub size: usize,
}

/// A custom text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// The text.
    pub data: String,
}

/// An object of a tuple.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TupleElement {
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Name of the object.
    pub name: String,
    /// A number that is stored with the object.
    pub prm: f64,
}

/// A custom tuple: a list of objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TupleSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// The objects.
    pub elements: Vec<TupleElement>,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

/// A keyframe: a stored state. Empty fields are taken from the reference state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeySpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Time, s.
    pub time: f64,
    /// Coordinates; empty for the reference.
    pub qpos: Vec<f64>,
    /// Velocities; empty for zero.
    pub qvel: Vec<f64>,
    /// Activations; empty for zero.
    pub act: Vec<f64>,
    /// Controls; empty for zero.
    pub ctrl: Vec<f64>,
    /// Positions of mocap bodies.
    pub mocap_pos: Vec<Vec3>,
    /// Orientations of mocap bodies.
    pub mocap_quat: Vec<Quat>,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}
