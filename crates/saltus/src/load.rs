//! Loading a model by the kind of its file.

use saltus_io::{ReadError, binary};
use saltus_sim::{CompileError, Model, ModelSpec, compile};
use std::path::Path;

/// Why a model could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("{path}: {source}")]
    Binary { path: String, source: binary::BinaryError },
    #[error("{path}: a binary model is already compiled and has no editable form")]
    NotEditable { path: String },
}

/// Ending of binary model files.
pub const BINARY_EXTENSION: &str = "smb";

/// Loads and compiles a model: MJCF or URDF by the root element of the file, or binary (`.smb`).
pub fn load(path: impl AsRef<Path>) -> Result<Model, Error> {
    let path = path.as_ref();
    if is_binary(path) {
        let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.display().to_string(), source })?;
        return binary::load(&bytes).map_err(|source| Error::Binary { path: path.display().to_string(), source });
    }
    Ok(compile(&load_spec(path)?)?)
}

/// Reads an editable model: MJCF or URDF, by the root element of the file.
pub fn load_spec(path: impl AsRef<Path>) -> Result<ModelSpec, Error> {
    let path = path.as_ref();
    if is_binary(path) {
        return Err(Error::NotEditable { path: path.display().to_string() });
    }
    Ok(saltus_io::read_file(path)?)
}

fn is_binary(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(BINARY_EXTENSION))
}
