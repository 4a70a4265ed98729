//! Model arrays that Python may write: all fields of a group in one block of memory, so that one
//! comparison of two blocks finds out whether Python wrote anything.
//!
//! The engine's model is immutable and shared, and what is written to it must be checked, so that
//! arrays cannot be its own memory. Comparing blocks takes a fraction of a microsecond: what no
//! step reads, and large tables, are not compared in a step ([`Group`]).

use crate::arrays::{self, contents, layout};
use crate::fields::{Shape, model as fields, settable};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PySlice;
use saltus::Model;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// When a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// At each use of the model.
    Dynamics,
    /// When the model is copied, saved, or searched for keyframes: fields that no step reads.
    Rest,
    /// After Python said that it wrote to it: a large table, read-only to numpy.
    Large(&'static str),
}

/// Fields that no step reads, in addition to user data.
const REST: &[&str] = &["key_", "mat_", "mesh_", "numeric_", "tuple_"];
/// Size from which a table is large, bytes.
const LARGE: usize = 4096;

impl Group {
    /// The group of a writable field.
    pub fn of(model: &Model, name: &'static str) -> Self {
        let is_rest = |start: &&str| name.starts_with(start) && name != "mesh_vert";
        if REST.iter().any(is_rest) || name.ends_with("_user") || name.ends_with("_rgba") {
            Self::Rest
        } else if contents(model, name).len() < LARGE {
            Self::Dynamics
        } else {
            Self::Large(name)
        }
    }
}

/// A block of memory that Python writes, and what it contained when it was last compared.
#[derive(Debug)]
pub struct Mirror {
    pub group: Group,
    /// Whether Python said that it wrote to it.
    pub is_written: bool,
    memory: Py<PyArray1<u8>>,
    known: Vec<u8>,
    fields: Vec<(&'static str, Range<usize>)>,
    /// Views that were handed out.
    views: HashMap<&'static str, Py<PyAny>>,
}

impl Mirror {
    /// A block of all fields of a group.
    pub fn new(py: Python<'_>, model: &Model, group: Group) -> PyResult<Self> {
        let (mut known, mut fields) = (Vec::new(), Vec::new());
        for name in fields::PLAIN.iter().chain(settable::NAMES).filter(|name| Group::of(model, name) == group) {
            let start = known.len();
            known.extend_from_slice(&contents(model, name));
            fields.push((*name, start..known.len()));
            // Numbers of all types are aligned in the block.
            known.resize(known.len().next_multiple_of(align_of::<f64>()), 0);
        }
        let memory = PyArray1::from_slice(py, &known);
        if matches!(group, Group::Large(_)) {
            memory.getattr("flags")?.setattr("writeable", false)?;
        }
        Ok(Self { group, is_written: false, memory: memory.unbind(), known, fields, views: HashMap::new() })
    }

    /// The view of a field that was made before.
    pub fn view(&self, py: Python<'_>, name: &str) -> Option<Py<PyAny>> {
        self.views.get(name).map(|view| view.clone_ref(py))
    }

    /// The memory of a field, to make a view of; `None` if the block does not have the field.
    pub fn part(&self, py: Python<'_>, model: &Model, name: &str) -> Option<Part> {
        let (name, range) = self.fields.iter().find(|(n, _)| *n == name)?.clone();
        Some(Part { name, memory: self.memory.clone_ref(py), range, layout: layout(model, name) })
    }

    /// Keeps a view, and returns the one that is kept.
    pub fn keep(&mut self, py: Python<'_>, name: &'static str, view: Py<PyAny>) -> Py<PyAny> {
        self.views.entry(name).or_insert(view).clone_ref(py)
    }

    /// Checks what Python wrote since the last call, and writes it to the model. An invalid number
    /// is an error of this call and the next ones, until it is corrected; the model does not change
    /// until then.
    pub fn write_to(&mut self, py: Python<'_>, model: &mut Arc<Model>) -> Result<(), String> {
        let memory = self.memory.bind(py);
        // SAFETY: this thread is attached to the interpreter, and functions ask for the model
        // before they borrow the memory of their arguments.
        let Ok(bytes) = (unsafe { memory.as_slice() }) else { return Ok(()) };
        if bytes.len() != self.known.len() {
            return Err("the memory of a model's arrays was resized".into());
        }
        if bytes == self.known.as_slice() {
            self.is_written = false;
            return Ok(());
        }
        for (name, range) in &self.fields {
            let written = &bytes[range.clone()];
            if written != &self.known[range.clone()] {
                arrays::check(model, name, written)?;
                arrays::write(Arc::make_mut(model), name, written);
                self.known[range.clone()].copy_from_slice(written);
            }
        }
        self.is_written = false;
        Ok(())
    }

    /// Copies the model's fields into the block, after the engine changed the model.
    pub fn read_from(&mut self, py: Python<'_>, model: &Model) {
        for (name, range) in &self.fields {
            self.known[range.clone()].copy_from_slice(&contents(model, name));
        }
        // SAFETY: as in `write_to`.
        if let Ok(memory) = unsafe { self.memory.bind(py).as_slice_mut() } {
            memory.copy_from_slice(&self.known);
        }
    }
}

/// The memory of one field.
#[derive(Debug)]
pub struct Part {
    pub name: &'static str,
    memory: Py<PyArray1<u8>>,
    range: Range<usize>,
    layout: (&'static str, Shape),
}

impl Part {
    /// A view of the memory with the type and the shape of the field.
    pub fn view(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let (kind, shape) = self.layout;
        let place = PySlice::new(py, self.range.start as isize, self.range.end as isize, 1);
        let numbers = self.memory.bind(py).get_item(place)?.call_method1("view", (kind,))?;
        let count: usize = numbers.getattr("size")?.extract()?;
        Ok(numbers.call_method1("reshape", (shape.dims(count),))?.unbind())
    }
}
