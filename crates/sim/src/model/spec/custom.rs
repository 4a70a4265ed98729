//! User data and keyframes.

use super::ObjectKind;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Numbers of the user.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NumericSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Padded with zeros to `size`.
    pub data: Vec<f64>,
    /// How many numbers there are.
    pub size: usize,
}

/// A text of the user.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TextSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// The text.
    pub data: String,
}

/// An object of a tuple.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TupleElement {
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Name of the object.
    pub name: String,
    /// A number beside it.
    pub prm: f64,
}

/// A list of objects of the user.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TupleSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// The objects.
    pub elements: Vec<TupleElement>,
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}

/// A stored state. What is empty is taken from the initial state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}
