//! Planning of motion through contact: trajectory optimization by inverse dynamics, on the public
//! API of `saltus-sim` only.
//!
//! A [`task::Task`] and a model become a [`planning::PlanningProblem`]. Solving that gives a
//! [`result::plan::Plan`], which is judged there and simulated by [`mod@replay`].
//!
//! The groups of modules below are layers: a module uses those of lower layers only.
//!
//! | layer | answers |
//! |---|---|
//! | [`geometry`] | which points of a model may touch what, and which links must stay apart |
//! | [`problem`] | what is optimized: a model, steps, ends, terms; how hard contact is |
//! | [`solve`] | how it is optimized, and how trajectories are evaluated |
//! | [`result`] | what is found, and what it is worth |
//! | [`planning`], [`mod@replay`] | a problem from guess to plan; a plan that is simulated and followed |
//! | [`template`] | problems of robots from a few settings: gaits and goals |
//! | [`task`] | problems from files and values |
#![deny(missing_docs)]
#![allow(non_snake_case)]

pub mod geometry;

pub mod problem;

pub mod solve;

pub mod result;

pub mod planning;
pub mod replay;

pub mod template;

pub mod task;
