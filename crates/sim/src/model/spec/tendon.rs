//! Tendons.

use super::{SOLIMP, SOLREF};
use serde::{Deserialize, Serialize};

/// One element of a spatial tendon's path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WrapSpec {
    Site(String),
    /// A sphere or cylinder to wrap around; the side site picks the side, or the inside.
    Geom {
        geom: String,
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
    pub name: String,
    pub path: TendonPath,
    pub limited: Option<bool>,
    pub range: [f64; 2],
    pub margin: f64,
    pub solref_limit: [f64; 2],
    pub solimp_limit: [f64; 5],
    pub actuator_force_limited: Option<bool>,
    pub actuator_force_range: [f64; 2],
    pub stiffness: [f64; 3],
    pub damping: [f64; 3],
    /// Dead band of the spring; a negative first value takes the length in the spring reference pose.
    pub spring_length: [f64; 2],
    pub armature: f64,
    pub friction_loss: f64,
    pub solref_friction: [f64; 2],
    pub solimp_friction: [f64; 5],
    pub width: f64,
    pub material: Option<String>,
    pub rgba: [f32; 4],
    pub group: i32,
    pub user: Vec<f64>,
    pub place: String,
}

impl TendonSpec {
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
