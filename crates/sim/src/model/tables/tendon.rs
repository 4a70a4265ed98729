//! Tendons and their paths.

use crate::ids::{ActuatorId, MaterialId, Span, TreeId};
use crate::model::kinds::WrapKind;
use serde::{Deserialize, Serialize};

/// Tendons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TendonTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Whether the tendon is spatial; otherwise fixed: linear in joint coordinates.
    pub spatial: Vec<bool>,
    /// Span of its elements in the wrap table.
    pub path: Vec<Span>,
    /// Dofs that can change the length, ascending, as spans of `jac_col`: the sparsity pattern of
    /// the Jacobian row.
    pub jac: Vec<Span>,
    /// Columns of the Jacobian rows.
    pub jac_col: Vec<u32>,
    /// Material for rendering.
    pub material: Vec<Option<MaterialId>>,
    /// Actuator that acts on it.
    pub actuator: Vec<Option<ActuatorId>>,
    /// Group, for viewers and ray filters.
    pub group: Vec<i32>,
    /// Number of trees on the path.
    pub tree_num: Vec<u32>,
    /// The first two trees on the path.
    pub tree: Vec<[Option<TreeId>; 2]>,
    /// Whether it has limits.
    pub limited: Vec<bool>,
    /// Whether the total actuator force on it is limited.
    pub actuator_force_limited: Vec<bool>,
    /// Width for rendering, m.
    pub width: Vec<f64>,
    /// `solref` of the limits.
    pub solref_limit: Vec<[f64; 2]>,
    /// `solimp` of the limits.
    pub solimp_limit: Vec<[f64; 5]>,
    /// `solref` of dry friction.
    pub solref_friction: Vec<[f64; 2]>,
    /// `solimp` of dry friction.
    pub solimp_friction: Vec<[f64; 5]>,
    /// Lower and upper limits.
    pub range: Vec<[f64; 2]>,
    /// Limits of the total actuator force on it.
    pub actuator_force_range: Vec<[f64; 2]>,
    /// Distance below which the constraint is active, m or rad.
    pub margin: Vec<f64>,
    /// Stiffness, linear coefficient.
    pub stiffness: Vec<f64>,
    /// Stiffness, quadratic and cubic coefficients.
    pub stiffness_poly: Vec<[f64; 2]>,
    /// Damping, linear coefficient.
    pub damping: Vec<f64>,
    /// Damping, quadratic and cubic coefficients.
    pub damping_poly: Vec<[f64; 2]>,
    /// Armature: the reflected inertia of rotors.
    pub armature: Vec<f64>,
    /// Dry friction, N or N m.
    pub friction_loss: Vec<f64>,
    /// Dead band of the spring: lower and upper length.
    pub length_spring: Vec<[f64; 2]>,
    /// Length in the reference pose.
    pub length0: Vec<f64>,
    /// Inverse effective inertia along the tendon in the reference pose.
    pub inv_weight: Vec<f64>,
    /// Colour: red, green, blue, opacity.
    pub rgba: Vec<[f32; 4]>,
    /// User data, not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each tendon.
    pub user_len: usize,
}

/// Elements of all tendon paths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WrapTable {
    /// Kind of the path element.
    pub kind: Vec<WrapKind>,
    /// Index of the joint, site or geom, by kind; 0 for pulleys.
    pub object: Vec<u32>,
    /// Joint coefficient, pulley divisor, or side site of a geom (−1: none).
    pub prm: Vec<f64>,
}
