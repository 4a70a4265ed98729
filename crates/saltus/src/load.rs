//! Loading a model by the kind of its file.

use saltus_io::{ReadError, binary};
use saltus_sim::{CompileError, Model, ModelSpec, compile};
use std::path::Path;

/// Why a model could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file that cannot be read from disk.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// Text that is not a model; the message has the place and what was expected.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A model that can be read but not compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A binary model that is damaged or of another version.
    #[error("{path}: {source}")]
    Binary {
        /// The file.
        path: String,
        /// What is wrong with its content.
        source: binary::BinaryError,
    },
    /// A binary model was given where an editable one is needed.
    #[error("{path}: a binary model is already compiled and has no editable form")]
    NotEditable {
        /// The file.
        path: String,
    },
    /// The base of the robot cannot be made to move freely.
    #[error("{model}: {message}")]
    Base {
        /// The file, or what else the model is called.
        model: String,
        /// Why its base cannot move.
        message: String,
    },
}

/// What may be asked of a model while it is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Let the base of the robot move freely: see [`ModelSpec::float_base`].
    pub floating_base: bool,
}

/// A model, and what its reader noticed that is no reason to refuse it.
#[derive(Debug)]
pub struct Loaded {
    /// The compiled model.
    pub model: Model,
    /// What its reader noticed, a sentence each; empty for binary models.
    pub warnings: Vec<String>,
}

/// Ending of binary model files.
pub const BINARY_EXTENSION: &str = "smb";

/// Loads and compiles a model: MJCF, URDF or SDF by the root element of the file, or binary (`.smb`).
pub fn load(path: impl AsRef<Path>) -> Result<Model, LoadError> {
    Ok(load_with(path, &LoadOptions::default())?.model)
}

/// As [`load`], with options; also says what the reader noticed.
pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    if is_binary(path) && !options.floating_base {
        let bytes = std::fs::read(path).map_err(|source| LoadError::Io { path: path.display().to_string(), source })?;
        let model =
            binary::load(&bytes).map_err(|source| LoadError::Binary { path: path.display().to_string(), source })?;
        return Ok(Loaded { model, warnings: Vec::new() });
    }
    let spec = load_spec_with(path, options)?;
    Ok(Loaded { model: compile(&spec)?, warnings: spec.warnings })
}

/// As [`load_spec`], with options.
pub fn load_spec_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<ModelSpec, LoadError> {
    let path = path.as_ref();
    let mut spec = load_spec(path)?;
    options.apply(&mut spec, &path.display().to_string())?;
    Ok(spec)
}

impl LoadOptions {
    /// Does to a spec what the options ask for. `name` is what errors call the model.
    pub fn apply(&self, spec: &mut ModelSpec, name: &str) -> Result<(), LoadError> {
        if self.floating_base {
            spec.float_base().map_err(|message| LoadError::Base { model: name.into(), message })?;
        }
        Ok(())
    }
}

/// Reads an editable model: MJCF, URDF or SDF, by the root element of the file.
pub fn load_spec(path: impl AsRef<Path>) -> Result<ModelSpec, LoadError> {
    let path = path.as_ref();
    if is_binary(path) {
        return Err(LoadError::NotEditable { path: path.display().to_string() });
    }
    Ok(saltus_io::read_file(path)?)
}

fn is_binary(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(BINARY_EXTENSION))
}
