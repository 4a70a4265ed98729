//! Results on disk: tables of numbers, folders of plans, and checkpoints.
//!
//! [`StoredPlan`] is the contents of the result folder of a planned motion. The command line and
//! Python read and write the same folders. [`table`] contains numbers over time as CSV or npz, and
//! [`checkpoint::Checkpoint`] a run of the optimizer that can be resumed. Everything that is read
//! is validated, since files may come from anywhere.
//!
//! ```no_run
//! use saltus_store::StoredPlan;
//!
//! let stored = StoredPlan::load("out/walk")?;
//! println!("{}: {}, {} states", stored.plan.name, stored.plan.status, stored.plan.motion.steps);
//! stored.save("library/walk")?;
//! # Ok::<(), saltus_store::StoreError>(())
//! ```
//!
//! The groups of modules below are layers: a module uses only those of lower layers.
#![deny(missing_docs)]

mod error;

pub mod file;

pub mod staging;
pub mod table;

pub mod checkpoint;
pub mod plan;

pub use error::StoreError;
pub use plan::{MODEL, PLAN_MODEL, StoredPlan, model_text, other_task, probe, task_text};
