//! Planning of motion through contact: trajectory optimization by inverse dynamics, on the public API of `saltus-sim` only.
//!
//! A [`task::Task`] and a model become a [`planning::PlanningProblem`]; solving that gives a [`result::Plan`], which is judged
//! there and simulated by [`mod@replay`].
//!
//! The groups of modules below are layers: a module uses those of lower layers only.
#![allow(non_snake_case)]

pub mod geometry;

pub mod problem;

pub mod solve;

pub mod planning;

pub mod result;

pub mod replay;
pub mod template;

pub mod task;
