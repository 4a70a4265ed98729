//! One error for programs that do several things.

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

/// What can go wrong: every error of the functions in this crate becomes one with `?`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be read, or does not describe a model.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A model that cannot be.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A model whose numbers contradict each other.
    #[error(transparent)]
    Invalid(#[from] InvalidModel),
    /// No object has this name.
    #[error(transparent)]
    Name(#[from] NoSuchName),
    /// Results that belong to another state.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// Too many or too few numbers.
    #[error(transparent)]
    Length(#[from] WrongLength),
    /// A simulation that diverged.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The contact law has no inverse.
    #[error(transparent)]
    NoInverse(#[from] NoInverse),
    /// Derivatives that do not exist, or outputs of the wrong size.
    #[error(transparent)]
    Derivative(#[from] DerivativeError),
    /// Many simulations that cannot be started.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// A task that does not come with Saltus.
    #[error("unknown task {name}; expected one of {known}, or a file with the ending .toml")]
    UnknownTask {
        /// What was asked for.
        name: String,
        /// Names of all tasks.
        known: String,
    },
    /// A task that cannot be planned.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Threads of the planner that cannot be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A result that cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
