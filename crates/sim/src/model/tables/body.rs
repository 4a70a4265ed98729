//! Bodies and kinematic trees.

use crate::ids::{BodyId, Span, TreeId};
use crate::model::kinds::SameFrame;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Bodies; 0 is the world. A parent's id is below its children's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Parent body; the world is its own.
    pub parent: Vec<BodyId>,
    /// Ancestor that is a direct child of the world; the world for the world.
    pub root: Vec<BodyId>,
    /// First body of the group that moves rigidly with this one (a mocap body is its own).
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
    /// Kinematic tree; `None` for bodies that cannot move.
    pub tree: Vec<Option<TreeId>>,
    /// 1: the body's block of M is diagonal and couples to nothing; 2: the same, sliders only; 0: general.
    pub simple: Vec<u8>,
    /// Whether the inertial frame is the body frame.
    pub same_frame: Vec<SameFrame>,
    /// Frame relative to the parent's.
    pub pos: Vec<Vec3>,
    /// Orientation in the frame of the parent.
    pub quat: Vec<Quat>,
    /// Inertial frame relative to the body's.
    pub inertial_pos: Vec<Vec3>,
    /// Orientation of the principal axes in the frame of the body.
    pub inertial_quat: Vec<Quat>,
    /// Mass, kg.
    pub mass: Vec<f64>,
    /// Mass of the body and all below it, kg.
    pub subtree_mass: Vec<f64>,
    /// Principal moments.
    pub inertia: Vec<Vec3>,
    /// Mean inverse inertia at the reference pose: translation, rotation.
    pub inv_weight: Vec<[f64; 2]>,
    /// Share of gravity that is compensated.
    pub gravcomp: Vec<f64>,
    /// Largest margin + gap of the body's geoms.
    pub margin: Vec<f64>,
    /// Bits that are compared with the other shape's `conaffinity`.
    pub contype: Vec<i32>,
    /// Bits that are compared with the other shape's `contype`.
    pub conaffinity: Vec<i32>,
    /// `user_len` numbers per body.
    pub user: Vec<f64>,
    /// How many numbers of the user each has.
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
