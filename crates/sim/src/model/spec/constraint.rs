//! Contact pairs, exclusions and equality constraints.

use super::{SOLIMP, SOLREF};
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A pair of geoms that is always checked for contact. Fields that are `None` have the defaults of
/// MJCF, independent of the geoms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// First geom.
    pub geom1: String,
    /// Second geom.
    pub geom2: String,
    /// Dimension of contacts: 1 frictionless, 3 sliding, 4 sliding and torsional, 6 sliding,
    /// torsional and rolling friction.
    pub condim: Option<i32>,
    /// Friction coefficients: two sliding, one torsional, two rolling.
    pub friction: Option<[f64; 5]>,
    /// `solref`: time constant and damping ratio of the constraint, or negative stiffness and
    /// damping.
    pub solref: Option<[f64; 2]>,
    /// `solref` in the tangential directions; zero for the same as `solref`.
    pub solref_friction: [f64; 2],
    /// `solimp`: impedance of the constraint at zero and at the width, width, midpoint, power.
    pub solimp: Option<[f64; 5]>,
    /// Distance below which the constraint is active, m or rad.
    pub margin: Option<f64>,
    /// Part of the margin in which contacts are detected but exert no force, m.
    pub gap: Option<f64>,
    /// Adhesive force, N.
    pub adhesion: Option<f64>,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

/// A pair of bodies that never collide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExcludeSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// First body.
    pub body1: String,
    /// Second body.
    pub body2: String,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

/// Kind of an equality constraint and the objects that it couples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Two sites share a point.
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
        /// Pose of the second body in the frame of the first; `None` takes it from the reference
        /// configuration.
        relative_pose: Option<(Vec3, Quat)>,
        /// Weight of the rotation relative to the translation.
        torque_scale: f64,
    },
    /// Two sites share a pose.
    WeldSites {
        /// First site.
        site1: String,
        /// Second site.
        site2: String,
        /// Weight of the rotation relative to the translation.
        torque_scale: f64,
    },
    /// y − y₀ = Σ cᵢ (x − x₀)ⁱ for scalar joints; without `second`, y − y₀ = c₀.
    Joint {
        /// The constrained object.
        first: String,
        /// The object that it follows; `None` if it is constant.
        second: Option<String>,
        /// Coefficients of the polynomial.
        poly: [f64; 5],
    },
    /// The same for tendon lengths.
    Tendon {
        /// The constrained object.
        first: String,
        /// The object that it follows; `None` if it is constant.
        second: Option<String>,
        /// Coefficients of the polynomial.
        poly: [f64; 5],
    },
}

/// An equality constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EqualitySpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Its kind.
    pub kind: EqualityKind,
    /// Whether it is active at the beginning.
    pub active: bool,
    /// `solref`: time constant and damping ratio of the constraint, or negative stiffness and
    /// damping.
    pub solref: [f64; 2],
    /// `solimp`: impedance of the constraint at zero and at the width, width, midpoint, power.
    pub solimp: [f64; 5],
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

impl EqualitySpec {
    /// Creates an equality constraint with default parameters.
    pub fn new(kind: EqualityKind) -> Self {
        Self { name: String::new(), kind, active: true, solref: SOLREF, solimp: SOLIMP, place: String::new() }
    }
}
