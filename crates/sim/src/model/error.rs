//! Errors of the model compiler.

use super::shorten::shortened;

/// The spec cannot be compiled: the element, where it is defined, and what was expected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}", if place.is_empty() { String::new() } else { format!("{place}: ") }, shortened(&format!("{element}: {message}")))]
pub struct CompileError {
    /// File and line of the element, if the spec was read from a file.
    pub place: String,
    /// Kind and name of the element, e.g. `body "torso"`.
    pub element: String,
    /// The problem and what was expected.
    pub message: String,
}

impl CompileError {
    /// Creates an error about an element at a place in a file.
    pub fn new(place: &str, element: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), element: element.into(), message: message.into() }
    }
}
