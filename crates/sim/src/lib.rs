//! Models, data and the pipeline of the physics engine. No files, no XML.
//!
//! Free functions take `(&Model, &mut Data)`; each fills one stage. Names follow
//! `docs/NOTATION.md`: `p_WB` is the position of frame B in frame W, `V` a spatial velocity, `M`
//! the inertia matrix.
#![allow(non_snake_case)]

// Layers from the bottom up, divided by blank lines: a module uses those of lower layers only
// (`scripts/modules` holds it).

pub mod geometry;
pub mod ids;
pub mod options;
pub mod stage;

pub mod model;

pub mod inertia;

pub mod data;

pub mod callbacks;
pub mod divergence;
mod joint;
pub mod workers;

pub mod collide;
pub mod kinematics;

pub mod actuation;
pub mod constraint;
pub mod tendon;

pub mod dynamics;
pub mod law;

pub mod sensor;

mod forward;

pub mod compiler;
pub mod integrate;

mod inverse;

mod step;

pub mod finite_difference;

pub mod derivative;
pub mod rollout;

pub use callbacks::{Callbacks, NoCallbacks};
pub use compiler::compile;
pub use data::Data;
pub use divergence::StepError;
pub use forward::{
    forward, forward_from, forward_smooth, forward_smooth_from, forward_without_sensors_from, update_position,
    update_smooth_acceleration, update_velocity,
};
pub use inverse::{compare_with_inverse, inverse, inverse_forces_from, inverse_from};
pub use model::spec::ModelSpec;
pub use model::{CompileError, Model};
pub use options::Options;
pub use stage::Stage;
pub use step::{Recovery, step, step_or_reset, step_with, step1, step2};
