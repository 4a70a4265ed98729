//! From [`ModelSpec`] to [`Model`].

use super::spec::ModelSpec;
use super::{CompileError, Model};

/// Compiles a spec: checks it, resolves names, infers inertias, and lays the model out in tables.
pub fn compile(_spec: &ModelSpec) -> Result<Model, CompileError> {
    todo!()
}
