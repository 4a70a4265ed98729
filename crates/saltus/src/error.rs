//! The common error type of this crate.

use crate::LoadError;
use saltus_opt::solve::PoolError;
use saltus_opt::task::TaskError;
use saltus_sim::data::{Stale, WrongLength};
use saltus_sim::derivative::DerivativeError;
use saltus_sim::law::NoInverse;
use saltus_sim::model::{InvalidModel, NoSuchName};
use saltus_sim::rollout::RolloutError;
use saltus_sim::{CompileError, StepError};
use saltus_store::StoreError;

/// The union of all errors in this crate; each of them converts to it with `?`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read or does not describe a model.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The model is inconsistent and cannot be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The values in a compiled model contradict each other.
    #[error(transparent)]
    Invalid(#[from] InvalidModel),
    /// No object has this name.
    #[error(transparent)]
    Name(#[from] NoSuchName),
    /// The results belong to another state.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// An array has the wrong length.
    #[error(transparent)]
    Length(#[from] WrongLength),
    /// The simulation diverged.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The contact law has no inverse.
    #[error(transparent)]
    NoInverse(#[from] NoInverse),
    /// The derivatives do not exist, or an output has the wrong size.
    #[error(transparent)]
    Derivative(#[from] DerivativeError),
    /// A rollout cannot be started.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// There is no built-in task with this name.
    #[error("unknown task {name}; expected one of {known}, or a file with the extension .toml")]
    UnknownTask {
        /// The requested name.
        name: String,
        /// Names of all built-in tasks.
        known: String,
    },
    /// The task is invalid or does not fit the model.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The threads of the planner cannot be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A result cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
