//! Contact pairs, exclusions and equality constraints.

use super::{SOLIMP, SOLREF};
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A pair of geoms that is always checked for contact. What is `None` has MJCF's default, whatever
/// the geoms have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PairSpec {
    pub name: String,
    pub geom1: String,
    pub geom2: String,
    pub condim: Option<i32>,
    pub friction: Option<[f64; 5]>,
    pub solref: Option<[f64; 2]>,
    /// Reference of the frictional directions; zero: the same as `solref`.
    pub solref_friction: [f64; 2],
    pub solimp: Option<[f64; 5]>,
    pub margin: Option<f64>,
    pub gap: Option<f64>,
    pub adhesion: Option<f64>,
    pub place: String,
}

/// A pair of bodies that never collide.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExcludeSpec {
    pub name: String,
    pub body1: String,
    pub body2: String,
    pub place: String,
}

/// What an equality constraint couples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum EqualityKind {
    /// Two bodies share a point, given in the frame of `body1`. An empty `body2` is the world.
    ConnectBodies {
        body1: String,
        body2: String,
        anchor: Vec3,
    },
    ConnectSites {
        site1: String,
        site2: String,
    },
    /// Two bodies keep their relative pose; `None` takes it from the initial configuration.
    WeldBodies {
        body1: String,
        body2: String,
        anchor: Vec3,
        relative_pose: Option<(Vec3, Quat)>,
        torque_scale: f64,
    },
    WeldSites {
        site1: String,
        site2: String,
        torque_scale: f64,
    },
    /// y − y₀ = Σ cᵢ (x − x₀)ⁱ for scalar joints; without `second`, y − y₀ = c₀.
    Joint {
        first: String,
        second: Option<String>,
        poly: [f64; 5],
    },
    /// The same for tendon lengths.
    Tendon {
        first: String,
        second: Option<String>,
        poly: [f64; 5],
    },
}

/// An equality constraint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EqualitySpec {
    pub name: String,
    pub kind: EqualityKind,
    pub active: bool,
    pub solref: [f64; 2],
    pub solimp: [f64; 5],
    pub place: String,
}

impl EqualitySpec {
    pub fn new(kind: EqualityKind) -> Self {
        Self { name: String::new(), kind, active: true, solref: SOLREF, solimp: SOLIMP, place: String::new() }
    }
}
