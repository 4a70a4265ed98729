//! Consistency of a compiled model that came from outside (a binary file).

/// A model whose tables contradict each other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("invalid model: {0}")]
pub struct InvalidModel(pub String);
