//! Rust values as Python objects and back, for every type that serde knows: structs are
//! dictionaries, variants of enums are their names or dictionaries with one entry. Rows of numbers
//! are arrays, and so are quaternions, w first.

mod from_python;
mod to_python;

pub use from_python::from_python;
pub use to_python::to_python;

use pyo3::PyErr;
use std::fmt::{self, Display, Formatter};

/// Why a value cannot be converted, and where in it: `bodies[1].pos: …`.
#[derive(Debug)]
pub struct ConversionError {
    place: String,
    message: String,
}

impl ConversionError {
    /// The same error in the field or entry `key` of something larger.
    fn in_field(mut self, key: &str) -> Self {
        let dot = if self.place.is_empty() || self.place.starts_with('[') { "" } else { "." };
        self.place = format!("{key}{dot}{}", self.place);
        self
    }

    /// The same error in an item of a list.
    fn in_item(self, index: usize) -> Self {
        self.in_field(&format!("[{index}]"))
    }
}

impl Display for ConversionError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let colon = if self.place.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{}", self.place, self.message)
    }
}

impl std::error::Error for ConversionError {}

impl From<PyErr> for ConversionError {
    fn from(error: PyErr) -> Self {
        Self { place: String::new(), message: error.to_string() }
    }
}

impl serde::ser::Error for ConversionError {
    fn custom<T: Display>(message: T) -> Self {
        Self { place: String::new(), message: message.to_string() }
    }
}

impl serde::de::Error for ConversionError {
    fn custom<T: Display>(message: T) -> Self {
        serde::ser::Error::custom(message)
    }
}
