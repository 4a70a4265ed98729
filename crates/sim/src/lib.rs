//! Models, data and the pipeline of the physics engine. No files, no XML.
//!
//! Free functions take `(&Model, &mut Data)`; each fills one stage. Names follow `docs/NOTATION.md`: `p_WB` is the
//! position of frame B in frame W, `V` a spatial velocity, `M` the inertia matrix.
#![allow(non_snake_case)]

pub mod actuation;
pub mod callbacks;
pub mod collide;
pub mod compiler;
pub mod constraint;
pub mod data;
pub mod derivative;
pub mod divergence;
pub mod dynamics;
pub mod finite_difference;
pub mod forward;
pub mod geometry;
pub mod ids;
pub mod integrate;
pub mod inverse;
mod joint;
pub mod kinematics;
pub mod law;
pub mod model;
pub mod options;
pub mod rollout;
pub mod sensor;
pub mod stage;
pub mod step;
pub mod tendon;
pub mod workers;

pub use callbacks::{Callbacks, NoCallbacks};
pub use compiler::compile;
pub use data::Data;
pub use divergence::StepError;
pub use forward::{forward, forward_from, forward_smooth, forward_smooth_from};
pub use model::spec::ModelSpec;
pub use model::{CompileError, Model};
pub use options::Options;
pub use rollout::rollout;
pub use stage::Stage;
pub use step::{step, step_or_reset, step_with};
