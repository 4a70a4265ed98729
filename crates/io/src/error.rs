//! What can be wrong with a model file.

use std::fmt::Write as _;

/// A model file that cannot be read: where, which element and attribute, and what was expected.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{}", self.text())]
pub struct ReadError {
    /// File as the model names it; empty for text given without a file.
    pub file: String,
    /// Line, counted from 1; 0 where none is known.
    pub line: u32,
    /// Element, with its name where it has one: `geom "foot"`.
    pub element: String,
    /// The attribute, if it is about one.
    pub attribute: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl ReadError {
    /// An error about a whole file.
    pub fn file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), message: message.into(), ..Self::default() }
    }

    /// A syntax error of the XML itself.
    pub fn syntax(file: impl Into<String>, error: &roxmltree::Error) -> Self {
        Self { line: error.pos().row, ..Self::file(file, format!("not well-formed XML: {error}")) }
    }

    /// The same error at another element, where it says nothing more precise itself.
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
        text
    }
}
