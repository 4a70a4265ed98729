//! Errors of model files.

use saltus_sim::model::shortened;
use std::fmt::Write as _;

/// The model file cannot be read: the place, the element and attribute, and what was expected.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{}", self.text())]
pub struct ReadError {
    /// Name of the file as used in the model; empty for text without a file.
    pub file: String,
    /// Line, counted from 1; 0 if unknown.
    pub line: u32,
    /// The element with its name, if it has one: `geom "foot"`.
    pub element: String,
    /// The attribute; empty if the error is not about an attribute.
    pub attribute: String,
    /// The problem and what was expected.
    pub message: String,
}

impl ReadError {
    /// Creates an error about a whole file.
    pub fn file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), message: message.into(), ..Self::default() }
    }

    /// Creates an error about the XML syntax.
    pub fn syntax(file: impl Into<String>, error: &roxmltree::Error) -> Self {
        Self { line: error.pos().row, ..Self::file(file, format!("not well-formed XML: {error}")) }
    }

    /// Adds a place to the error, where it does not contain a more precise one.
    #[must_use]
    pub fn at(mut self, file: &str, line: u32, element: impl Into<String>) -> Self {
        if self.file.is_empty() {
            self.file = file.into();
        }
        if self.line == 0 {
            self.line = line;
        }
        if self.element.is_empty() {
            self.element = element.into();
        }
        self
    }

    fn text(&self) -> String {
        let mut text = String::new();
        match (self.file.is_empty(), self.line) {
            (true, 0) => {}
            (true, line) => _ = write!(text, "line {line}: "),
            (false, 0) => _ = write!(text, "{}: ", self.file),
            (false, line) => _ = write!(text, "{}:{line}: ", self.file),
        }
        if !self.element.is_empty() {
            text.push_str(&self.element);
            if !self.attribute.is_empty() {
                _ = write!(text, ", attribute {:?}", self.attribute);
            }
            text.push_str(": ");
        }
        text.push_str(&self.message);
        shortened(&text).into_owned()
    }
}
