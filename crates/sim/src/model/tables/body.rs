//! Bodies and kinematic trees.

use crate::ids::{BodyId, Span, TreeId};
use crate::model::kinds::SameFrame;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Bodies; 0 is the world. A parent's id is less than those of its children.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Parent body; the world is its own parent.
    pub parent: Vec<BodyId>,
    /// Ancestor that is a direct child of the world; the world for the world.
    pub root: Vec<BodyId>,
    /// First body of the rigid group: the bodies that cannot move relative to this one (a mocap
    /// body is its own).
    pub weld: Vec<BodyId>,
    /// Index of the body's mocap pose, if it has one.
    pub mocap: Vec<Option<u32>>,
    /// Joints.
    pub joints: Vec<Span>,
    /// Degrees of freedom.
    pub dofs: Vec<Span>,
    /// Geoms.
    pub geoms: Vec<Span>,
    /// Sites.
    pub sites: Vec<Span>,
    /// Kinematic tree; `None` for static bodies.
    pub tree: Vec<Option<TreeId>>,
    /// 1: the body's block of M is diagonal and uncoupled; 2: the same, with slide joints only; 0:
    /// general.
    pub simple: Vec<u8>,
    /// Whether the inertial frame coincides with the body frame.
    pub same_frame: Vec<SameFrame>,
    /// Position in the frame of the parent.
    pub pos: Vec<Vec3>,
    /// Orientation in the frame of the parent.
    pub quat: Vec<Quat>,
    /// Centre of mass in the frame of the body.
    pub inertial_pos: Vec<Vec3>,
    /// Orientation of the principal axes in the frame of the body.
    pub inertial_quat: Vec<Quat>,
    /// Mass, kg.
    pub mass: Vec<f64>,
    /// Mass of the subtree of the body, kg.
    pub subtree_mass: Vec<f64>,
    /// Principal moments of inertia, kg m².
    pub inertia: Vec<Vec3>,
    /// Mean inverse inertia in the reference pose: translation, rotation.
    pub inv_weight: Vec<[f64; 2]>,
    /// Fraction of gravity that is compensated.
    pub gravcomp: Vec<f64>,
    /// Largest margin + gap of the body's geoms.
    pub margin: Vec<f64>,
    /// Bits that are compared with the other shape's `conaffinity`.
    pub contype: Vec<i32>,
    /// Bits that are compared with the other shape's `contype`.
    pub conaffinity: Vec<i32>,
    /// User data, `user_len` numbers per body; not used by the engine.
    pub user: Vec<f64>,
    /// Length of the user data of each body.
    pub user_len: usize,
}

/// Kinematic trees: maximal sets of moving bodies connected by joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeTable {
    /// Bodies.
    pub bodies: Vec<Span>,
    /// Degrees of freedom.
    pub dofs: Vec<Span>,
}
