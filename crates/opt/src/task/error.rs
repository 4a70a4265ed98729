//! What can be wrong with a task file.

/// A mistake in a task file: where, which key, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}{message}")]
pub struct TaskError {
    /// The task file.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Table and key, with what separates them from the message; empty for mistakes of grammar.
    pub key: String,
    /// What is wrong, and what was expected.
    pub message: String,
    /// Keys that the table has, if one was given that it has not.
    pub known: Vec<&'static str>,
}

impl TaskError {
    /// A mistake at a key; the file is added by those who know it.
    pub(super) fn at(line: usize, key: impl core::fmt::Display, message: impl Into<String>) -> Self {
        Self { file: String::new(), line, key: format!("{key}: "), message: message.into(), known: Vec::new() }
    }
    pub(super) fn grammar(line: usize, message: impl Into<String>) -> Self {
        Self { file: String::new(), line, key: String::new(), message: message.into(), known: Vec::new() }
    }
    pub(super) fn in_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }
}

/// Names for people: what there is to choose from.
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
