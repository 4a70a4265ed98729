//! Maps names to ids, and formats errors.

use crate::model::kinds::{ObjectKind, kind_name};
use crate::model::{CompileError, Model};
use std::collections::HashMap;

/// Result of a step of the compiler.
pub(super) type Outcome<T = ()> = Result<T, CompileError>;

/// An element of the spec, as named in errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    pub kind: &'static str,
    pub name: &'a str,
    pub index: usize,
    pub place: &'a str,
}

impl<'a> Element<'a> {
    pub fn new(kind: &'static str, name: &'a str, index: usize, place: &'a str) -> Self {
        Self { kind, name, index, place }
    }

    /// An error about this element.
    pub fn error(&self, message: impl Into<String>) -> CompileError {
        let element = if self.name.is_empty() {
            format!("unnamed {} (number {})", self.kind, self.index)
        } else {
            format!("{} \"{}\"", self.kind, self.name)
        };
        CompileError::new(self.place, element, message)
    }

    /// Fails with `message` unless `ok`.
    pub fn check(&self, ok: bool, message: impl FnOnce() -> String) -> Outcome {
        if ok { Ok(()) } else { Err(self.error(message())) }
    }

    /// Fails unless all numbers are finite.
    pub fn check_finite(&self, what: &str, values: &[f64]) -> Outcome {
        self.check(values.iter().all(|v| v.is_finite()), || format!("{what} must be finite, got {values:?}"))
    }
}

/// Ids of all named objects.
#[derive(Debug, Default)]
pub(super) struct Names {
    maps: HashMap<ObjectKind, HashMap<String, u32>>,
}

impl Names {
    /// Adds the names of one kind from the model's tables. Duplicate names are an error.
    pub fn add(&mut self, model: &Model, kind: ObjectKind) -> Outcome {
        self.add_names(kind, model.names(kind).iter().map(String::as_str))
    }

    /// Adds the names of one kind, in the order of their ids.
    pub fn add_names<'a>(&mut self, kind: ObjectKind, names: impl Iterator<Item = &'a str>) -> Outcome {
        let map = self.maps.entry(kind).or_default();
        for (id, name) in names.enumerate() {
            if !name.is_empty() && map.insert(name.to_string(), id as u32).is_some() {
                let element = Element::new(kind_name(kind), name, id, "");
                return Err(element.error(format!("two elements of kind {} have this name", kind_name(kind))));
            }
        }
        Ok(())
    }

    /// Id of a named object.
    pub fn find(&self, kind: ObjectKind, name: &str) -> Option<u32> {
        let kind = if kind == ObjectKind::XBody { ObjectKind::Body } else { kind };
        self.maps.get(&kind)?.get(name).copied()
    }

    /// Id of an object that `from` refers to; otherwise an error that names both.
    pub fn require(&self, kind: ObjectKind, name: &str, from: &Element) -> Outcome<u32> {
        self.find(kind, name).ok_or_else(|| {
            from.error(if name.is_empty() {
                format!("the name of a {} is missing", kind_name(kind))
            } else {
                format!("there is no {} \"{name}\"", kind_name(kind))
            })
        })
    }

    /// Same as [`Names::require`], for optional references.
    pub fn require_some(&self, kind: ObjectKind, name: Option<&str>, from: &Element) -> Outcome<Option<u32>> {
        match name {
            Some(name) if !name.is_empty() => self.require(kind, name, from).map(Some),
            _ => Ok(None),
        }
    }
}
