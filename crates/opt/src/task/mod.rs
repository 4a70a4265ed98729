//! Tasks as files: what a robot shall do, in TOML. docs/TASKS.md has the format.
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
use crate::problem::Evaluation;
use crate::solve::optimize::OptimizeOptions;
use crate::template::gait::Gait;
use crate::template::goal::Goal;
use crate::template::robot::RobotOptions;
use saltus_sim::options::law::{CompliantOptions, Law};

/// What a task file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name of the file, for messages.
    pub file: String,
    /// Name.
    pub name: String,
    /// What it is about, for people.
    pub about: String,
    /// A model that comes with Saltus, or a file beside this one.
    pub model: At<String>,
    /// What kind of task it is.
    pub what: What,
    /// How contact is modelled.
    pub contact: ContactTask,
    /// The terms.
    pub terms: Vec<TermTask>,
    /// Options of the optimizer.
    pub options: OptimizeOptions,
}

/// A template, or a motion of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A gait of a robot.
    Gait { gait: Gait, robot: RobotOptions, line: usize },
    /// A goal of a robot.
    Goal { goal: Goal, robot: RobotOptions, line: usize },
    /// A motion of any model, by its terms.
    Motion(MotionTask),
}

/// `[motion]` and `[guess]`.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionTask {
    /// Number of steps.
    pub steps: usize,
    /// s.
    pub time: f64,
    /// How the motion begins and ends.
    pub ends: EndsTask,
    /// Pose to begin with.
    pub start: Pose,
    /// nv; empty: at rest.
    pub start_velocity: At<Vec<f64>>,
    /// Where in a step terms and forces are evaluated.
    pub evaluation: Evaluation,
    /// Whether ranges of joints and motors are constraints.
    pub limits: bool,
    /// Unit of lengths, m; `None`: the largest distance between bodies.
    pub length: Option<f64>,
    /// Poses that the guess leads through, to the last one; none: it stays at the start.
    pub guess: Vec<Pose>,
    /// Size of a slow random motion in the guess, rad, and its seed.
    pub noise: f64,
    /// Seed of random numbers.
    pub seed: u64,
}

/// What is known of the ends.
#[derive(Clone, Debug, PartialEq)]
pub enum EndsTask {
    /// From a given state.
    Fixed,
    /// From any state.
    Free,
    /// What is added to joints from one repetition to the next; whether that is the mirror image; whether the time is free.
    Cycle {
        /// How far coordinates advance in a cycle.
        stride: Vec<(At<String>, f64)>,
        /// Left and right.
        mirror: bool,
        /// Whether the time of a cycle is free.
        free_time: bool,
        /// Line of the task file.
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
    /// Of a keyframe.
    Keyframe(At<String>),
    /// By coordinates.
    Coordinates(At<Vec<f64>>),
}

/// `[contact]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTask {
    /// Contact law.
    pub law: Law,
    /// Options of the compliant law.
    pub compliant: CompliantOptions,
    /// Which shapes are to touch something.
    pub touch: Touch,
    /// Pairs of bodies that may touch each other.
    pub between: Vec<[At<String>; 2]>,
    /// Ends of the path of continuation: smoothing, and hover, inset and reach in m.
    pub from: Option<crate::problem::continuation::Hardness>,
    /// Where it ends.
    pub to: Option<crate::problem::continuation::Hardness>,
    /// Of `[contact]`.
    pub line: usize,
}
