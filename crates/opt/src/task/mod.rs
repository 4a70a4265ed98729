//! Tasks: what a robot is to do. docs/TASKS.md describes task files.
//!
//! A [`Task`] is a value. [`Task::parse`] makes one from TOML text: it knows grammar, keys, kinds
//! and ranges of values, and its errors name the file, the line and the key. [`Task::gait`] and
//! [`Task::goal`] make one by program, and [`Task::to_text`] writes any task completely.
//! [`Task::problem`] joins a task with a model; its errors name what the model lacks.

mod build;
mod error;
mod guess;
mod names;
mod parse;
mod problem;
mod table;
mod term;
mod write;

pub use error::TaskError;
pub use parse::MAX_THREADS;
pub use table::{At, ByDof, Line, TableKeys};
pub use term::{Place, TermKind, TermTask, When};

use crate::geometry::Touch;
use crate::problem::Evaluation;
use crate::problem::continuation::Hardness;
use crate::solve::optimize::OptimizeOptions;
use crate::template::gait::Gait;
use crate::template::goal::Goal;
use crate::template::robot::RobotOptions;
use saltus_sim::options::law::{CompliantOptions, Law, LawOptions};

/// What a robot is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name of the file, for messages; empty for a task that a program made.
    pub file: String,
    /// Name, also of the result folder.
    pub name: String,
    /// A description for people.
    pub about: String,
    /// A model that comes with Saltus, or a file beside the task's own.
    pub model: At<String>,
    /// Whether the body that is fixed to the world gets a free joint.
    pub floating_base: bool,
    /// Whether joints that no actuator drives get motors.
    pub motors: bool,
    /// What is to be done.
    pub kind: TaskKind,
    /// How contact is modelled.
    pub contact: ContactTask,
    /// Terms of its own.
    pub terms: Vec<TermTask>,
    /// Settings of the optimizer.
    pub options: OptimizeOptions,
}

/// What is to be done: a template, or a motion that consists of the task's own terms.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskKind {
    /// A gait of a robot.
    Gait {
        /// Settings of the gait.
        gait: Gait,
        /// The robot.
        robot: RobotOptions,
        /// Where it is written.
        line: Line,
    },
    /// A goal of a robot.
    Goal {
        /// The goal.
        goal: Goal,
        /// The robot.
        robot: RobotOptions,
        /// Where it is written.
        line: Line,
    },
    /// A motion of any model, by its terms.
    Motion(MotionTask),
}

/// `[motion]` and `[guess]`.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionTask {
    /// Number of steps.
    pub steps: usize,
    /// Duration, s.
    pub time: f64,
    /// How the motion begins and ends.
    pub ends: EndsTask,
    /// Pose to begin with.
    pub start: Pose,
    /// Velocity to begin with · nv; empty: at rest.
    pub start_velocity: At<Vec<f64>>,
    /// Where in a step terms and forces are evaluated.
    pub evaluation: Evaluation,
    /// Whether ranges of joints and actuators are constraints.
    pub limits: bool,
    /// Unit of lengths, m; `None`: the largest distance between bodies.
    pub length: Option<f64>,
    /// Poses that the guess leads through, to the last one; none: it stays at the start.
    pub guess: Vec<Pose>,
    /// Size of a slow random motion in the guess, rad.
    pub noise: f64,
    /// Seed of that random motion.
    pub seed: u64,
}

/// What is known of the ends of a motion.
#[derive(Clone, Debug, PartialEq)]
pub enum EndsTask {
    /// It begins in the given state.
    Fixed,
    /// It begins in any state.
    Free,
    /// It repeats itself.
    Cycle {
        /// How far joints advance in a cycle.
        stride: Vec<(At<String>, f64)>,
        /// Whether the next repetition is the mirror image.
        mirror: bool,
        /// Whether the time of a cycle is free.
        free_time: bool,
        /// Where it is written.
        line: Line,
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
    /// Parameters of the compliant law.
    pub compliant: CompliantOptions,
    /// Which shapes are to touch something.
    pub touch: Touch,
    /// Pairs of bodies that may touch each other.
    pub between: Vec<[At<String>; 2]>,
    /// Where the path of continuation begins; `None`: by the length of the robot.
    pub from: Option<Hardness>,
    /// Where it ends.
    pub to: Option<Hardness>,
    /// Where it is written.
    pub line: Line,
}

impl Default for ContactTask {
    fn default() -> Self {
        Self {
            law: Law::Invertible,
            compliant: LawOptions::default().compliant,
            touch: Touch::Environment,
            between: Vec::new(),
            from: None,
            to: None,
            line: Line::default(),
        }
    }
}

impl Task {
    /// A gait for a model: one that comes with Saltus, or a file.
    pub fn gait(name: impl Into<String>, model: impl Into<String>, gait: Gait, robot: RobotOptions) -> Self {
        Self::of_kind(name.into(), model.into(), TaskKind::Gait { gait, robot, line: Line::default() })
    }

    /// A goal for a model: one that comes with Saltus, or a file.
    pub fn goal(name: impl Into<String>, model: impl Into<String>, goal: Goal, robot: RobotOptions) -> Self {
        Self::of_kind(name.into(), model.into(), TaskKind::Goal { goal, robot, line: Line::default() })
    }

    fn of_kind(name: String, model: String, kind: TaskKind) -> Self {
        Self {
            file: String::new(),
            name,
            about: String::new(),
            model: model.into(),
            floating_base: false,
            motors: false,
            kind,
            contact: ContactTask::default(),
            terms: Vec::new(),
            options: OptimizeOptions::default(),
        }
    }

    /// Checks a task that a program made or changed, in the words in which the parser refuses a
    /// file.
    pub fn validate(&self) -> Result<(), TaskError> {
        let placed = |e: TaskError| TaskError { file: self.file.clone(), line: 0, ..e };
        match Self::parse(&self.to_text(), "") {
            Ok(again) if (Self { file: String::new(), ..self.clone() }) == again => Ok(()),
            Ok(_) => {
                // A list that is empty where the file has none, say.
                let message = "the task contradicts itself: what is written of it reads back as another task";
                Err(placed(TaskError::at(Line::default(), "task", message)))
            }
            Err(e) => Err(placed(e)),
        }
    }
}
