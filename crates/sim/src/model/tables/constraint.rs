//! Contact pairs, exclusions, equality constraints.

use crate::ids::{BodyId, GeomId};
use crate::model::kinds::{EqualityType, ObjectKind};
use serde::{Deserialize, Serialize};

/// Explicit geom pairs, which bypass the filters of collision detection; sorted by body pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Dimension of contacts.
    pub dim: Vec<i32>,
    /// First geom.
    pub geom1: Vec<GeomId>,
    /// Second geom.
    pub geom2: Vec<GeomId>,
    /// Signature of the body pair: `body1 << 16 | body2`, smaller id first.
    pub signature: Vec<i32>,
    /// `solref`: time constant and damping ratio of the constraint, or negative stiffness and
    /// damping.
    pub solref: Vec<[f64; 2]>,
    /// `solref` of dry friction.
    pub solref_friction: Vec<[f64; 2]>,
    /// `solimp`: impedance of the constraint at zero and at the width, width, midpoint, power.
    pub solimp: Vec<[f64; 5]>,
    /// Distance below which the constraint is active, m or rad.
    pub margin: Vec<f64>,
    /// Part of the margin in which contacts are detected but exert no force, m.
    pub gap: Vec<f64>,
    /// Adhesive force, N.
    pub adhesion: Vec<f64>,
    /// Friction coefficients: two sliding, one torsional, two rolling.
    pub friction: Vec<[f64; 5]>,
}

/// Body pairs that never collide, sorted by signature.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExcludeTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// First body.
    pub body1: Vec<BodyId>,
    /// Second body.
    pub body2: Vec<BodyId>,
    /// Signature of the body pair: `body1 << 16 | body2`, smaller id first.
    pub signature: Vec<i32>,
}

/// Pairs of geoms below the same child of the world that are near each other in the reference pose,
/// sorted; without explicit pairs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NearTable {
    /// Ids of both geoms, smaller one first.
    pub geoms: Vec<[u32; 2]>,
    /// Distance in the reference pose, m; negative if they overlap.
    pub distance: Vec<f64>,
}

/// Equality constraints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EqualityTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Kind of equality.
    pub kind: Vec<EqualityType>,
    /// Kind of both objects: body, site, joint or tendon.
    pub object_kind: Vec<ObjectKind>,
    /// Index of the first object.
    pub object1: Vec<u32>,
    /// Index of the second object, if there is one.
    pub object2: Vec<Option<u32>>,
    /// Whether the equality is enabled.
    pub active: Vec<bool>,
    /// `solref`: time constant and damping ratio of the constraint, or negative stiffness and
    /// damping.
    pub solref: Vec<[f64; 2]>,
    /// `solimp`: impedance of the constraint at zero and at the width, width, midpoint, power.
    pub solimp: Vec<[f64; 5]>,
    /// Parameters. connect: anchor in 1, anchor in 2; weld: anchor, relative position, relative
    /// quaternion, torque scale, and 1 if the relative pose is that of the reference pose; joint
    /// and tendon: five polynomial coefficients.
    pub data: Vec<[f64; 12]>,
}
