//! Errors of task files.

use super::table::Line;
use saltus_sim::model::shortened;

/// A mistake in a task file: where, which key, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskError {
    /// The task file; empty if the task was made by a program.
    pub file: String,
    /// From 1; 0 if the task was made by a program.
    pub line: usize,
    /// Table and key, such as `[gait] speed`; empty for mistakes of grammar.
    pub key: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl core::error::Error for TaskError {}

impl core::fmt::Display for TaskError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
            if self.line > 0 {
                write!(f, "{}:", self.line)?;
            }
            write!(f, " ")?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&shortened(&self.message))
    }
}

impl TaskError {
    /// A mistake at a key; the file is added by those who know it.
    pub(super) fn at(line: Line, key: impl core::fmt::Display, message: impl Into<String>) -> Self {
        Self { file: String::new(), line: line.0, key: key.to_string(), message: message.into() }
    }
    pub(super) fn grammar(line: Line, message: impl Into<String>) -> Self {
        Self { file: String::new(), line: line.0, key: String::new(), message: message.into() }
    }
    pub(super) fn in_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }
}

/// Names as a list for messages.
pub(super) fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut out = String::new();
    for name in names {
        let name = name.as_ref();
        if !name.is_empty() {
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(name);
        }
    }
    if out.is_empty() { "none".to_owned() } else { out }
}
