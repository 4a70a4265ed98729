//! Saltus: a physics engine for planning robot motion through contact.
//!
//! ```
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/models/humanoid.xml");
//! let model = saltus::load(file)?;
//! let (knee, foot) = (model.actuator("left_knee")?, model.body("left_foot")?);
//!
//! let mut data = saltus::Data::new(&model);
//! data.reset_to_key(&model, model.key("squat")?);
//! data.set_control(&model, knee, 1.5);
//! for _ in 0..100 {
//!     saltus::step(&model, &mut data)?;
//! }
//!
//! // After a step, the results still belong to the state before the step.
//! saltus::forward(&model, &mut data);
//! println!("foot at {}, gyro {:?}", data.body_pose(&model, foot)?.p, data.sensor(&model, model.sensor("gyro")?)?);
//! for contact in data.contact_forces(&model)? {
//!     let [first, second] = contact.geoms.map(|geom| model.name(geom));
//!     println!("{first} pushes {second} with {:.1} N", contact.normal);
//! }
//! let d = saltus::derivatives(&model, &data)?;
//! println!("dx⁺ = A dx + B du: {} × {}, {} × {}", d.A.rows(), d.A.cols(), d.B.rows(), d.B.cols());
//! # Ok::<(), saltus::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | get a model | [`load`], [`load_with`]; [`ModelSpec`] and [`compile`] to build or change one ([`spec`]) |
//! | find things by name | [`Model::actuator`], [`Model::body`], [`Model::joint`], …; [`Model::name`] for the reverse |
//! | simulate | [`Data`], [`step`]; [`step_with`] with [`Callbacks`] |
//! | set state and inputs | [`Data::set_control`], [`Data::set_joint_q`], [`Data::set_body_force`], … |
//! | compute all results of a state | [`forward`], [`inverse()`] |
//! | read results | [`Data::sensor`], [`Data::body_pose`], [`Data::contact_forces`], …; [`Stale`] if they belong to another state |
//! | run many simulations | [`rollout`] |
//! | differentiate a step | [`derivatives()`], [`inverse_derivatives`] |
//! | plan a motion | [`plan()`] |
//! | keep a planned motion | [`store::StoredPlan`] |
//! | handle errors | [`Error`], which every other error becomes with `?` |
//!
//! A model is immutable: to change it, change a [`ModelSpec`] and compile it, or create a modified
//! copy with [`Model::edited`]. The modules [`sim`] (the engine, stage by stage), [`opt`]
//! (planning), [`store`] (results on disk), [`io`] (model files), [`maximal`] (maximal coordinates)
//! and [`math`] contain the full interface.
#![allow(non_snake_case)]
#![deny(missing_docs)]

/// The Rust programs in the documents are compiled as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/MAXIMAL.md")]
    mod maximal {}
    #[doc = include_str!("../../../docs/PLANNING.md")]
    mod planning {}
    #[doc = include_str!("../../../docs/PLANNING_DESIGN.md")]
    mod planning_design {}
}

mod cpu;
mod derivatives;
mod error;
mod load;
mod matrix;
mod plan;
mod published;
mod rollouts;
pub mod shipped;
pub mod task;

pub use saltus_io as io;
pub use saltus_math as math;
pub use saltus_maximal as maximal;
pub use saltus_opt as opt;
pub use saltus_render as render;
pub use saltus_sim as sim;
pub use saltus_store as store;

// Models.
pub use load::{BINARY_EXTENSION, LoadError, LoadOptions, Loaded, load, load_spec, load_spec_with, load_with};
pub use saltus_sim::ids::{
    ActuatorId, BodyId, CameraId, EqualityId, GeomId, JointId, KeyId, LightId, MocapId, SensorId, SiteId, TendonId,
};
pub use saltus_sim::model::{InvalidModel, NoSuchName, spec};
pub use saltus_sim::{CompileError, Model, ModelSpec, Options, compile};

// Simulation.
pub use cpu::check_cpu;
pub use saltus_sim::data::{ContactForce, Pose, Stale, StateParts, WrongLength};
pub use saltus_sim::inverse;
pub use saltus_sim::law::NoInverse;
pub use saltus_sim::{
    Callbacks, Data, NoCallbacks, Stage, StepError, forward, forward_from, forward_smooth, forward_smooth_from, step,
    step_or_reset, step_with,
};

// Rollouts, derivatives, plans.
pub use derivatives::{Derivatives, InverseDerivatives, derivatives, inverse_derivatives};
pub use error::Error;
pub use matrix::Matrix;
pub use plan::plan;
pub use rollouts::{Rollout, rollout};
pub use saltus_math::{Mat3, Motion, Quat, Vec3};
pub use saltus_sim::derivative::DerivativeError;
pub use saltus_sim::rollout::{Controls, Outcome, RolloutError};
