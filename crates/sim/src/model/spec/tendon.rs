//! Tendons.

use super::{SOLIMP, SOLREF};
use serde::{Deserialize, Serialize};

/// One element of a spatial tendon's path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WrapSpec {
    /// Through a site, by name.
    Site(String),
    /// A sphere or cylinder to wrap around; the side site picks the side, or the inside.
    Geom {
        /// The geom that it goes around.
        geom: String,
        /// Site on the side on which it goes around.
        side_site: Option<String>,
    },
    /// Splits the path; what follows counts by 1/divisor.
    Pulley(f64),
}

/// What a tendon's length is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum TendonPath {
    /// Σ coefficient · joint value.
    Fixed(Vec<(String, f64)>),
    /// Length of a path through sites and around geoms.
    Spatial(Vec<WrapSpec>),
}

/// A tendon: a scalar length that can be limited, sprung, damped and actuated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TendonSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// What it goes along.
    pub path: TendonPath,
    /// Whether it has limits; `None` if the range says so.
    pub limited: Option<bool>,
    /// Lower and upper limit.
    pub range: [f64; 2],
    /// Distance below which the constraint is active, m or rad.
    pub margin: f64,
    /// As `solref`, of the limits.
    pub solref_limit: [f64; 2],
    /// As `solimp`, of the limits.
    pub solimp_limit: [f64; 5],
    /// Whether the total force of actuators on it is limited.
    pub actuator_force_limited: Option<bool>,
    /// Limits of the total force of actuators on it.
    pub actuator_force_range: [f64; 2],
    /// Stiffness, linear coefficient.
    pub stiffness: [f64; 3],
    /// Damping, linear coefficient.
    pub damping: [f64; 3],
    /// Dead band of the spring; a negative first value takes the length in the spring reference pose.
    pub spring_length: [f64; 2],
    /// Inertia that is added for rotors behind a gear.
    pub armature: f64,
    /// Dry friction, N or N m.
    pub friction_loss: f64,
    /// As `solref`, of dry friction; of contacts in tangential directions.
    pub solref_friction: [f64; 2],
    /// As `solimp`, of dry friction.
    pub solimp_friction: [f64; 5],
    /// Width that it is drawn with, m.
    pub width: f64,
    /// Material that it is drawn with.
    pub material: Option<String>,
    /// Colour: red, green, blue, opacity.
    pub rgba: [f32; 4],
    /// Group for viewers and filters of rays.
    pub group: i32,
    /// Numbers of the user, which the engine does not read.
    pub user: Vec<f64>,
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}

impl TendonSpec {
    /// A tendon along a path, with the default parameters.
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
