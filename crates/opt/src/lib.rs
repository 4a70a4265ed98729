//! Planning of motion through contact: trajectory optimization by inverse dynamics, on sim's public API only.
#![allow(non_snake_case)]

pub mod actuation;
pub mod assemble;
pub mod certify;
pub mod correction;
pub mod curvature;
pub mod feedback;
pub mod finish;
pub mod geometry;
pub mod knot;
pub mod layout;
pub mod linearized;
pub mod minimize;
pub mod mirror;
pub mod multiplier;
pub mod names;
pub mod optimize;
pub mod physics;
pub mod plan;
pub mod point;
pub mod pool;
pub mod problem;
pub mod random;
pub mod replay;
pub mod rows;
pub mod setup;
pub mod sqp;
pub mod stance;
pub mod steps;
pub mod summary;
pub mod tangent;
pub mod task;
pub mod template;
pub mod term;
pub mod unfold;
