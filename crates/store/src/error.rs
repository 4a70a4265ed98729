//! What can be wrong with results on disk.

use saltus_io::ReadError;
use saltus_io::binary::BinaryError;
use saltus_sim::CompileError;
use std::io;
use std::path::Path;

/// A result that cannot be written or read: the place, and what was expected there. The text has
/// the cause in it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refuses an access.
    #[error("{what}: {cause}")]
    Io {
        /// What could not be done, and where.
        what: String,
        /// Why.
        cause: io::Error,
    },
    /// A place where no result can be put, because something else is there or it has no name.
    #[error("{0}")]
    Place(String),
    /// A file has other contents than expected.
    #[error("{path}: {message}")]
    Content {
        /// The file.
        path: String,
        /// What is wrong with it, and what was expected.
        message: String,
    },
    /// The text of the model in a folder cannot be read.
    #[error("{path}: {cause}")]
    Model {
        /// The file.
        path: String,
        /// Why.
        cause: Box<ReadError>,
    },
    /// The model in a folder cannot be compiled.
    #[error("{path}: {cause}")]
    Compile {
        /// The file.
        path: String,
        /// Why.
        cause: Box<CompileError>,
    },
    /// The compiled model for planning cannot be read or written.
    #[error("{path}, the model for planning: {cause}")]
    PlanningModel {
        /// The file.
        path: String,
        /// Why.
        cause: Box<BinaryError>,
    },
    /// A checkpoint is not one that this run can go on from.
    #[error("checkpoint {path}: {message}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong with it, and what was expected.
        message: String,
    },
}

impl StoreError {
    /// An access that was refused; `what` says what could not be done, and where.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |cause| Self::Io { what, cause }
    }

    /// Contents that are not as expected.
    pub(crate) fn content(path: &Path, message: impl Into<String>) -> Self {
        Self::Content { path: path.display().to_string(), message: message.into() }
    }

    /// The same for a message that comes later.
    pub(crate) fn in_file(path: &Path) -> impl Fn(String) -> Self {
        |message| Self::content(path, message)
    }
}

/// An error with this message unless something holds.
pub(crate) fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}
