//! Contact pairs, exclusions and equality constraints.

use super::{SOLIMP, SOLREF};
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A pair of geoms that is always checked for contact. What is `None` has MJCF's default, whatever
/// the geoms have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PairSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// First geom.
    pub geom1: String,
    /// Second geom.
    pub geom2: String,
    /// Dimension of contacts: 1 without friction, 3 sliding, 4 and spinning, 6 and rolling.
    pub condim: Option<i32>,
    /// Coefficients: two sliding, spinning, two rolling.
    pub friction: Option<[f64; 5]>,
    /// Time constant and damping ratio of the constraint, or negative stiffness and damping.
    pub solref: Option<[f64; 2]>,
    /// Reference of the frictional directions; zero: the same as `solref`.
    pub solref_friction: [f64; 2],
    /// Impedance of the constraint: at zero, at the width, width, midpoint, power.
    pub solimp: Option<[f64; 5]>,
    /// Distance below which the constraint is active, m or rad.
    pub margin: Option<f64>,
    /// Part of the margin in which there is a contact but no force, m.
    pub gap: Option<f64>,
    /// Force that pulls a contact together, N.
    pub adhesion: Option<f64>,
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}

/// A pair of bodies that never collide.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExcludeSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// First body.
    pub body1: String,
    /// Second body.
    pub body2: String,
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}

/// What an equality constraint couples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum EqualityKind {
    /// Two bodies share a point, given in the frame of `body1`. An empty `body2` is the world.
    ConnectBodies {
        /// First body.
        body1: String,
        /// Second body.
        body2: String,
        /// Anchor in the frame of the first body.
        anchor: Vec3,
    },
    /// Two sites at the same point.
    ConnectSites {
        /// First site.
        site1: String,
        /// Second site.
        site2: String,
    },
    /// Two bodies keep their relative pose; `None` takes it from the initial configuration.
    WeldBodies {
        /// First body.
        body1: String,
        /// Second body.
        body2: String,
        /// Anchor in the frame of the first body.
        anchor: Vec3,
        /// Pose of the second body in the frame of the first; `None`: that of the reference pose.
        relative_pose: Option<(Vec3, Quat)>,
        /// Weight of the rotation beside the translation.
        torque_scale: f64,
    },
    /// Two sites with the same pose.
    WeldSites {
        /// First site.
        site1: String,
        /// Second site.
        site2: String,
        /// Weight of the rotation beside the translation.
        torque_scale: f64,
    },
    /// y − y₀ = Σ cᵢ (x − x₀)ⁱ for scalar joints; without `second`, y − y₀ = c₀.
    Joint {
        /// The one that is constrained.
        first: String,
        /// The one that it follows; `None`: it is constant.
        second: Option<String>,
        /// Coefficients of the polynomial that it follows.
        poly: [f64; 5],
    },
    /// The same for tendon lengths.
    Tendon {
        /// The one that is constrained.
        first: String,
        /// The one that it follows; `None`: it is constant.
        second: Option<String>,
        /// Coefficients of the polynomial that it follows.
        poly: [f64; 5],
    },
}

/// An equality constraint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EqualitySpec {
    /// Name; empty if it has none.
    pub name: String,
    /// What kind it is.
    pub kind: EqualityKind,
    /// Whether it is on.
    pub active: bool,
    /// Time constant and damping ratio of the constraint, or negative stiffness and damping.
    pub solref: [f64; 2],
    /// Impedance of the constraint: at zero, at the width, width, midpoint, power.
    pub solimp: [f64; 5],
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}

impl EqualitySpec {
    /// An equality with the default parameters.
    pub fn new(kind: EqualityKind) -> Self {
        Self { name: String::new(), kind, active: true, solref: SOLREF, solimp: SOLIMP, place: String::new() }
    }
}
