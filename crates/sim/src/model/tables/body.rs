//! Bodies and kinematic trees.

use crate::ids::{BodyId, Span, TreeId};
use crate::model::kinds::SameFrame;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Bodies; 0 is the world. A parent's id is below its children's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyTable {
    pub name: Vec<String>,
    /// Parent body; the world is its own.
    pub parent: Vec<BodyId>,
    /// Ancestor that is a direct child of the world; the world for the world.
    pub root: Vec<BodyId>,
    /// First body of the group that moves rigidly with this one (a mocap body is its own).
    pub weld: Vec<BodyId>,
    /// Index of the body's mocap pose, if it has one.
    pub mocap: Vec<Option<u32>>,
    pub joints: Vec<Span>,
    pub dofs: Vec<Span>,
    pub geoms: Vec<Span>,
    pub sites: Vec<Span>,
    /// Kinematic tree; `None` for bodies that cannot move.
    pub tree: Vec<Option<TreeId>>,
    /// 1: the body's block of M is diagonal and couples to nothing; 2: the same, sliders only; 0: general.
    pub simple: Vec<u8>,
    /// Whether the inertial frame is the body frame.
    pub same_frame: Vec<SameFrame>,
    /// Frame relative to the parent's.
    pub pos: Vec<Vec3>,
    pub quat: Vec<Quat>,
    /// Inertial frame relative to the body's.
    pub inertial_pos: Vec<Vec3>,
    pub inertial_quat: Vec<Quat>,
    pub mass: Vec<f64>,
    pub subtree_mass: Vec<f64>,
    /// Principal moments.
    pub inertia: Vec<Vec3>,
    /// Mean inverse inertia at the reference pose: translation, rotation.
    pub inv_weight: Vec<[f64; 2]>,
    pub gravcomp: Vec<f64>,
    /// Largest margin + gap of the body's geoms.
    pub margin: Vec<f64>,
    pub contype: Vec<i32>,
    pub conaffinity: Vec<i32>,
    /// `user_len` numbers per body.
    pub user: Vec<f64>,
    pub user_len: usize,
}

/// Kinematic trees: maximal sets of moving bodies connected by joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeTable {
    pub bodies: Vec<Span>,
    pub dofs: Vec<Span>,
}
