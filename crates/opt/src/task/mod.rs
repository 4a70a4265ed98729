//! Tasks as files: what a robot shall do, in TOML. docs/PLANNING.md has the format.
//!
//! Reading has two halves. [`Task::parse`] knows the file alone: grammar, keys, kinds of values. [`Task::setup`] knows
//! the model: names, numbers of dofs. Both say file, line and key of a mistake, and what was expected.

mod build;
mod error;
mod guess;
mod names;
mod parse;
mod setup;
mod table;
mod term;

pub use error::TaskError;
pub use table::{At, ByDof};
pub use term::{Kind, Place, TermTask, When};

use crate::geometry::Touch;
use crate::optimize::OptimizeOptions;
use crate::problem::Evaluation;
use crate::template::gait::Gait;
use crate::template::goal::Goal;
use crate::template::robot::RobotOptions;
use saltus_sim::options::law::{CompliantOptions, Law};

/// What a task file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name of the file, for messages.
    pub file: String,
    pub name: String,
    pub about: String,
    /// A model that comes with Saltus, or a file beside this one.
    pub model: At<String>,
    pub what: What,
    pub contact: ContactTask,
    pub terms: Vec<TermTask>,
    pub options: OptimizeOptions,
}

/// A template, or a motion of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Gait { gait: Gait, robot: RobotOptions, line: usize },
    Goal { goal: Goal, robot: RobotOptions, line: usize },
    Motion(MotionTask),
}

/// `[motion]` and `[guess]`.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionTask {
    pub steps: usize,
    /// s.
    pub time: f64,
    pub ends: EndsTask,
    pub start: Pose,
    /// nv; empty: at rest.
    pub start_velocity: At<Vec<f64>>,
    pub evaluation: Evaluation,
    /// Whether ranges of joints and motors are constraints.
    pub limits: bool,
    /// Unit of lengths, m; `None`: the largest distance between bodies.
    pub length: Option<f64>,
    /// Poses that the guess leads through, to the last one; none: it stays at the start.
    pub guess: Vec<Pose>,
    /// Size of a slow random motion in the guess, rad, and its seed.
    pub noise: f64,
    pub seed: u64,
}

/// What is known of the ends.
#[derive(Clone, Debug, PartialEq)]
pub enum EndsTask {
    Fixed,
    Free,
    /// What is added to joints from one repetition to the next; whether that is the mirror image; whether the time is free.
    Cycle {
        stride: Vec<(At<String>, f64)>,
        mirror: bool,
        free_time: bool,
        line: usize,
    },
}

/// A configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum Pose {
    /// The reference pose.
    Reference,
    /// The start of the motion.
    Start,
    Keyframe(At<String>),
    Coordinates(At<Vec<f64>>),
}

/// `[contact]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTask {
    pub law: Law,
    pub compliant: CompliantOptions,
    pub touch: Touch,
    pub between: Vec<[At<String>; 2]>,
    /// Ends of the path of continuation: smoothing, and hover, inset and reach in m.
    pub from: Option<crate::hardness::Hardness>,
    pub to: Option<crate::hardness::Hardness>,
    /// Of `[contact]`.
    pub line: usize,
}
