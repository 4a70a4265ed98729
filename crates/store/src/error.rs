//! Errors of results on disk.

use saltus_io::ReadError;
use saltus_io::binary::BinaryError;
use saltus_sim::CompileError;
use std::io;
use std::path::Path;

/// A result cannot be written or read. The message contains the path, the expectation and the
/// cause.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refuses an access.
    #[error("{what}: {cause}")]
    Io {
        /// The failed operation and its path.
        what: String,
        /// Why.
        cause: io::Error,
    },
    /// The result cannot be placed here, because something else exists or the path has no name.
    #[error("{0}")]
    Place(String),
    /// A file has unexpected contents.
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
    /// The compiled planning model cannot be read or written.
    #[error("{path}, the model for planning: {cause}")]
    PlanningModel {
        /// The file.
        path: String,
        /// Why.
        cause: Box<BinaryError>,
    },
    /// This run cannot be resumed from the checkpoint.
    #[error("checkpoint {path}: {message}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong with it, and what was expected.
        message: String,
    },
}

impl StoreError {
    /// An error of the operating system; `what` is the failed operation and its path.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |cause| Self::Io { what, cause }
    }

    /// An error about unexpected contents.
    pub(crate) fn content(path: &Path, message: impl Into<String>) -> Self {
        Self::Content { path: path.display().to_string(), message: message.into() }
    }

    /// As `content`, for a message that is supplied later.
    pub(crate) fn in_file(path: &Path) -> impl Fn(String) -> Self {
        |message| Self::content(path, message)
    }
}

/// Returns an error with this message unless the condition holds.
pub(crate) fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}
