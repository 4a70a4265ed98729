//! Contact pairs, exclusions, equality constraints.

use crate::ids::{BodyId, GeomId};
use crate::model::kinds::{EqualityType, ObjectKind};
use serde::{Deserialize, Serialize};

/// Geom pairs that are always checked, sorted by body pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairTable {
    pub name: Vec<String>,
    pub dim: Vec<i32>,
    pub geom1: Vec<GeomId>,
    pub geom2: Vec<GeomId>,
    /// `body1 << 16 | body2` of the two geoms' bodies, smaller id first.
    pub signature: Vec<i32>,
    pub solref: Vec<[f64; 2]>,
    pub solref_friction: Vec<[f64; 2]>,
    pub solimp: Vec<[f64; 5]>,
    pub margin: Vec<f64>,
    pub gap: Vec<f64>,
    pub adhesion: Vec<f64>,
    pub friction: Vec<[f64; 5]>,
}

/// Body pairs that never collide, sorted by signature.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExcludeTable {
    pub name: Vec<String>,
    pub body1: Vec<BodyId>,
    pub body2: Vec<BodyId>,
    pub signature: Vec<i32>,
}

/// Geoms below one body of the world that are near each other in the reference pose, sorted; explicit pairs are not among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NearTable {
    /// Smaller id first.
    pub geoms: Vec<[u32; 2]>,
    /// Distance in the reference pose; negative: overlap.
    pub distance: Vec<f64>,
}

/// Equality constraints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EqualityTable {
    pub name: Vec<String>,
    pub kind: Vec<EqualityType>,
    /// Kind of both objects: body, site, joint or tendon.
    pub object_kind: Vec<ObjectKind>,
    pub object1: Vec<u32>,
    pub object2: Vec<Option<u32>>,
    pub active: Vec<bool>,
    pub solref: Vec<[f64; 2]>,
    pub solimp: Vec<[f64; 5]>,
    /// connect: anchor in 1, anchor in 2; weld: anchor, relative position, relative quaternion, torque scale, and 1
    /// where the relative pose is that of the reference pose;
    /// joint and tendon: five polynomial coefficients.
    pub data: Vec<[f64; 12]>,
}
