//! What can be wrong with a spec.

/// A spec that cannot be compiled: which element, where it was defined, and what was expected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{element}: {message}", if place.is_empty() { String::new() } else { format!("{place}: ") })]
pub struct CompileError {
    /// File and line, where the spec came from a file.
    pub place: String,
    /// Kind and name of the element, e.g. `body "torso"`.
    pub element: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl CompileError {
    /// An error at a place of a file, about an element.
    pub fn new(place: &str, element: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), element: element.into(), message: message.into() }
    }
}
