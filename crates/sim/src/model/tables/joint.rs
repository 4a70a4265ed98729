//! Joints and degrees of freedom.

use crate::ids::{ActuatorId, BodyId, DofId, JointId, TreeId};
use crate::model::kinds::JointKind;
use saltus_math::Vec3;
use serde::{Deserialize, Serialize};

/// Joints, in the order of their bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Kind of joint.
    pub kind: Vec<JointKind>,
    /// Index of its first coordinate in q.
    pub q_start: Vec<u32>,
    /// Index of its first dof in v.
    pub dof_start: Vec<u32>,
    /// Body that the joint moves.
    pub body: Vec<BodyId>,
    /// Actuator that contributes damping and armature.
    pub actuator: Vec<Option<ActuatorId>>,
    /// Group, for viewers and ray filters.
    pub group: Vec<i32>,
    /// Whether it has limits.
    pub limited: Vec<bool>,
    /// Whether the total actuator force on it is limited.
    pub actuator_force_limited: Vec<bool>,
    /// Whether gravity compensation counts as an actuator force.
    pub actuator_gravcomp: Vec<bool>,
    /// `solref`: time constant and damping ratio of the constraint, or negative stiffness and
    /// damping.
    pub solref: Vec<[f64; 2]>,
    /// `solimp`: impedance of the constraint at zero and at the width, width, midpoint, power.
    pub solimp: Vec<[f64; 5]>,
    /// Anchor in the frame of the body.
    pub pos: Vec<Vec3>,
    /// Axis in the frame of the body.
    pub axis: Vec<Vec3>,
    /// Stiffness, linear coefficient.
    pub stiffness: Vec<f64>,
    /// Stiffness, quadratic and cubic coefficients.
    pub stiffness_poly: Vec<[f64; 2]>,
    /// Lower and upper limits.
    pub range: Vec<[f64; 2]>,
    /// Limits of the total actuator force on it.
    pub actuator_force_range: Vec<[f64; 2]>,
    /// Distance below which the constraint is active, m or rad.
    pub margin: Vec<f64>,
    /// User data, not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each joint.
    pub user_len: usize,
}

/// Degrees of freedom, in the order of their joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DofTable {
    /// Body that the dof moves.
    pub body: Vec<BodyId>,
    /// Joint that it belongs to.
    pub joint: Vec<JointId>,
    /// Previous dof on the path to the root.
    pub parent: Vec<Option<DofId>>,
    /// Kinematic tree that it belongs to.
    pub tree: Vec<TreeId>,
    /// Number of consecutive simple dofs that start here; 0 if this one is not simple.
    pub simple_num: Vec<u32>,
    /// `solref` of dry friction: time constant and damping ratio, or negative stiffness and
    /// damping.
    pub solref: Vec<[f64; 2]>,
    /// `solimp` of dry friction: impedance at zero and at the width, width, midpoint, power.
    pub solimp: Vec<[f64; 5]>,
    /// Dry friction, N or N m.
    pub friction_loss: Vec<f64>,
    /// Armature: the reflected inertia of rotors.
    pub armature: Vec<f64>,
    /// Damping, linear coefficient.
    pub damping: Vec<f64>,
    /// Damping, quadratic and cubic coefficients.
    pub damping_poly: Vec<[f64; 2]>,
    /// Inverse inertia in the reference pose.
    pub inv_weight: Vec<f64>,
    /// Diagonal of M in the reference pose.
    pub m0: Vec<f64>,
    /// 1 for linear dofs; a length scale for angular ones.
    pub length: Vec<f64>,
}
