//! Joints and degrees of freedom.

use crate::ids::{ActuatorId, BodyId, DofId, JointId, TreeId};
use crate::model::kinds::JointKind;
use saltus_math::Vec3;
use serde::{Deserialize, Serialize};

/// Joints, in the order of their bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointTable {
    pub name: Vec<String>,
    pub kind: Vec<JointKind>,
    /// First coordinate in q and first dof in v.
    pub q_start: Vec<u32>,
    pub dof_start: Vec<u32>,
    pub body: Vec<BodyId>,
    /// Actuator that contributes damping and armature.
    pub actuator: Vec<Option<ActuatorId>>,
    pub group: Vec<i32>,
    pub limited: Vec<bool>,
    pub actuator_force_limited: Vec<bool>,
    pub actuator_gravcomp: Vec<bool>,
    pub solref: Vec<[f64; 2]>,
    pub solimp: Vec<[f64; 5]>,
    /// Anchor and axis in the body frame.
    pub pos: Vec<Vec3>,
    pub axis: Vec<Vec3>,
    pub stiffness: Vec<f64>,
    pub stiffness_poly: Vec<[f64; 2]>,
    pub range: Vec<[f64; 2]>,
    pub actuator_force_range: Vec<[f64; 2]>,
    pub margin: Vec<f64>,
    pub user: Vec<f64>,
    pub user_len: usize,
}

/// Degrees of freedom, in the order of their joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DofTable {
    pub body: Vec<BodyId>,
    pub joint: Vec<JointId>,
    /// Previous dof on the path to the root.
    pub parent: Vec<Option<DofId>>,
    pub tree: Vec<TreeId>,
    /// Number of consecutive simple dofs that start here; 0: this one is not simple.
    pub simple_num: Vec<u32>,
    pub solref: Vec<[f64; 2]>,
    pub solimp: Vec<[f64; 5]>,
    pub friction_loss: Vec<f64>,
    pub armature: Vec<f64>,
    pub damping: Vec<f64>,
    pub damping_poly: Vec<[f64; 2]>,
    /// Inverse inertia and inertia at the reference pose.
    pub inv_weight: Vec<f64>,
    pub m0: Vec<f64>,
    /// 1 for linear dofs; a length scale for angular ones.
    pub length: Vec<f64>,
}
