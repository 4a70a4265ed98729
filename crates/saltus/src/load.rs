//! Loading models, with the format detected from the file.

use saltus_io::{ReadError, binary};
use saltus_sim::{CompileError, Model, ModelSpec, compile};
use std::path::Path;

/// The reason why a model could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read from disk.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is not a valid model; the message contains the position and the expectation.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The model can be read but not compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The binary model is damaged or of another version.
    #[error("{path}: {source}")]
    Binary {
        /// The file.
        path: String,
        /// The error in its contents.
        source: binary::BinaryError,
    },
    /// A binary model was given where an editable one is required.
    #[error("{path}: a binary model is already compiled and has no editable form")]
    NotEditable {
        /// The file.
        path: String,
    },
    /// The robot cannot be given a floating base.
    #[error("{model}: {message}")]
    Base {
        /// The file or the name of the model.
        model: String,
        /// The reason.
        message: String,
    },
}

/// Options for loading a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Give the robot a floating base: see [`ModelSpec::float_base`].
    pub floating_base: bool,
    /// Give motors to the joints that have none: see [`ModelSpec::add_motors`].
    pub motors: bool,
}

/// A model with the warnings of its reader.
#[derive(Debug)]
pub struct Loaded {
    /// The compiled model.
    pub model: Model,
    /// Warnings of the reader, one sentence each; empty for binary models.
    pub warnings: Vec<String>,
    /// What the options added, in sentences.
    pub notes: Vec<String>,
}

/// File extension of binary models.
pub const BINARY_EXTENSION: &str = "smb";

/// Loads and compiles a model: MJCF, URDF or SDF by the root element of the file, or binary
/// (`.smb`).
pub fn load(path: impl AsRef<Path>) -> Result<Model, LoadError> {
    Ok(load_with(path, &LoadOptions::default())?.model)
}

/// As [`load`], with options; also returns the warnings of the reader.
pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    if is_binary(path) && *options == LoadOptions::default() {
        let bytes = std::fs::read(path).map_err(|source| LoadError::Io { path: path.display().to_string(), source })?;
        let model =
            binary::load(&bytes).map_err(|source| LoadError::Binary { path: path.display().to_string(), source })?;
        return Ok(Loaded { model, warnings: Vec::new(), notes: Vec::new() });
    }
    let spec = load_spec_with(path, options)?;
    Ok(Loaded { model: compile(&spec)?, warnings: spec.warnings, notes: spec.notes })
}

/// As [`load_spec`], with options.
pub fn load_spec_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<ModelSpec, LoadError> {
    let path = path.as_ref();
    let mut spec = load_spec(path)?;
    options.apply(&mut spec, &path.display().to_string())?;
    Ok(spec)
}

impl LoadOptions {
    /// Applies the options to a spec. `name` identifies the model in errors.
    pub fn apply(&self, spec: &mut ModelSpec, name: &str) -> Result<(), LoadError> {
        if self.floating_base {
            spec.float_base().map_err(|message| LoadError::Base { model: name.into(), message })?;
        }
        if self.motors {
            spec.add_motors();
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
