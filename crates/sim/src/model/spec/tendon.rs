//! Tendons.

use super::{SOLIMP, SOLREF};
use serde::{Deserialize, Serialize};

/// An element of the path of a spatial tendon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WrapSpec {
    /// The path passes through a site, given by name.
    Site(String),
    /// The path wraps around a sphere or cylinder. A side site selects the side, or wrapping
    /// inside.
    Geom {
        /// The geom to wrap around.
        geom: String,
        /// Site that selects the side.
        side_site: Option<String>,
    },
    /// A pulley, which splits the path; lengths after it are divided by the divisor.
    Pulley(f64),
}

/// Definition of the length of a tendon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TendonPath {
    /// Fixed tendon: Σ coefficient · joint coordinate.
    Fixed(Vec<(String, f64)>),
    /// Spatial tendon: the length of a path through sites and around geoms.
    Spatial(Vec<WrapSpec>),
}

/// A tendon: a scalar length with optional limits, spring, damping and actuators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TendonSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Definition of its length.
    pub path: TendonPath,
    /// Whether it is limited; `None` infers it from the range.
    pub limited: Option<bool>,
    /// Lower and upper limits.
    pub range: [f64; 2],
    /// Distance below which the constraint is active, m or rad.
    pub margin: f64,
    /// `solref` of the limits.
    pub solref_limit: [f64; 2],
    /// `solimp` of the limits.
    pub solimp_limit: [f64; 5],
    /// Whether the total actuator force on it is limited.
    pub actuator_force_limited: Option<bool>,
    /// Limits of the total actuator force on it.
    pub actuator_force_range: [f64; 2],
    /// Stiffness, linear coefficient.
    pub stiffness: [f64; 3],
    /// Damping, linear coefficient.
    pub damping: [f64; 3],
    /// Dead band of the spring; if the first value is negative, the length in the spring reference
    /// configuration.
    pub spring_length: [f64; 2],
    /// Armature: the reflected inertia of rotors.
    pub armature: f64,
    /// Dry friction, N or N m.
    pub friction_loss: f64,
    /// `solref` of dry friction.
    pub solref_friction: [f64; 2],
    /// `solimp` of dry friction.
    pub solimp_friction: [f64; 5],
    /// Width for drawing, m.
    pub width: f64,
    /// Material for drawing.
    pub material: Option<String>,
    /// Colour: red, green, blue, opacity.
    pub rgba: [f32; 4],
    /// Group, for viewers and ray filters.
    pub group: i32,
    /// User data, which the engine does not use.
    pub user: Vec<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

impl TendonSpec {
    /// Creates a tendon along a path with default parameters.
    pub fn new(name: impl Into<String>, path: TendonPath) -> Self {
        Self {
            name: name.into(),
            path,
            limited: None,
            range: [0.0; 2],
            margin: 0.0,
            solref_limit: SOLREF,
            solimp_limit: SOLIMP,
            actuator_force_limited: None,
            actuator_force_range: [0.0; 2],
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            spring_length: [-1.0; 2],
            armature: 0.0,
            friction_loss: 0.0,
            solref_friction: SOLREF,
            solimp_friction: SOLIMP,
            width: 0.003,
            material: None,
            rgba: [0.5, 0.5, 0.5, 1.0],
            group: 0,
            user: Vec::new(),
            place: String::new(),
        }
    }
}
