//! Reader and writer of MJCF, the model format of MuJoCo 4.0.
//!
//! A file is read in four steps: `tree` expands includes into one document, `schema` checks that
//! every element and attribute exists, `reader` converts sections to the elements of a
//! [`ModelSpec`], and `world` walks the kinematic tree with its frames, replicas and attachments.
//! Default classes are applied here; values that depend on the rest of the model are left to the
//! compiler. [`write`](fn@write) is the inverse.

mod actuator;
mod asset;
mod body_parts;
mod builtin;
mod classes;
mod custom;
mod keys;
mod links;
mod names;
mod number;
mod pose;
mod reader;
mod schema;
mod schema_table;
mod sensor;
pub(crate) mod settings;
mod shortcut;
mod unique;
mod world;
mod write;

use crate::error::ReadError;
use crate::source::{self, Source};
use crate::xml::Tree;
use saltus_sim::ModelSpec;
use std::collections::BTreeMap;
use std::path::Path;

pub use write::write;

/// Reads a model file. Referenced files are looked up relative to its directory.
pub fn read_file(path: impl AsRef<Path>) -> Result<ModelSpec, ReadError> {
    source::read_model(path.as_ref(), read_text)
}

/// Reads model text. Referenced files are taken from `assets` only, never from disk.
pub fn read_str(xml: &str, assets: &BTreeMap<String, Vec<u8>>) -> Result<ModelSpec, ReadError> {
    read_text(&Source::memory(assets), "", xml)
}

/// Reads the text of the model `name`. Referenced files are taken from `source`.
pub(crate) fn read_text(source: &Source, name: &str, text: &str) -> Result<ModelSpec, ReadError> {
    let tree = Tree::load(source, name, text)?;
    reader::read(source.clone(), &tree)
}
