//! Tendons and their paths.

use crate::ids::{ActuatorId, MaterialId, Span, TreeId};
use crate::model::kinds::WrapKind;
use serde::{Deserialize, Serialize};

/// Tendons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TendonTable {
    pub name: Vec<String>,
    /// Fixed (linear in joints) or spatial.
    pub spatial: Vec<bool>,
    /// The tendon's part of the wrap table.
    pub path: Vec<Span>,
    /// Dofs that can change the length, ascending, in `jac_col`: the sparsity of the Jacobian row.
    pub jac: Vec<Span>,
    pub jac_col: Vec<u32>,
    pub material: Vec<Option<MaterialId>>,
    pub actuator: Vec<Option<ActuatorId>>,
    pub group: Vec<i32>,
    /// Number of trees on the path and the first two of them.
    pub tree_num: Vec<u32>,
    pub tree: Vec<[Option<TreeId>; 2]>,
    pub limited: Vec<bool>,
    pub actuator_force_limited: Vec<bool>,
    pub width: Vec<f64>,
    pub solref_limit: Vec<[f64; 2]>,
    pub solimp_limit: Vec<[f64; 5]>,
    pub solref_friction: Vec<[f64; 2]>,
    pub solimp_friction: Vec<[f64; 5]>,
    pub range: Vec<[f64; 2]>,
    pub actuator_force_range: Vec<[f64; 2]>,
    pub margin: Vec<f64>,
    pub stiffness: Vec<f64>,
    pub stiffness_poly: Vec<[f64; 2]>,
    pub damping: Vec<f64>,
    pub damping_poly: Vec<[f64; 2]>,
    pub armature: Vec<f64>,
    pub friction_loss: Vec<f64>,
    /// Dead band of the spring.
    pub length_spring: Vec<[f64; 2]>,
    pub length0: Vec<f64>,
    pub inv_weight: Vec<f64>,
    pub rgba: Vec<[f32; 4]>,
    pub user: Vec<f64>,
    pub user_len: usize,
}

/// Elements of all tendon paths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WrapTable {
    pub kind: Vec<WrapKind>,
    /// Joint, site or geom, by kind; 0 for pulleys.
    pub object: Vec<u32>,
    /// Joint coefficient, pulley divisor, or side site of a geom (−1: none).
    pub prm: Vec<f64>,
}
