//! Triangle meshes: STL (binary and text), OBJ, MSH and COLLADA.
//!
//! Readers keep the file's vertices and their order, because the compiled model exposes both. Only
//! STL, which has no vertex list, is welded: corners with identical bits become one vertex,
//! numbered by first appearance.

mod dae;
mod msh;
mod obj;
mod polygon;
mod stl;

use saltus_sim::model::spec::TriMesh;
use std::fmt;

/// The mesh file cannot be read: the file, the position in it, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}{place}: {message}")]
pub struct MeshError {
    /// Name of the file.
    pub name: String,
    /// Position in the file.
    pub place: Place,
    /// The problem and what was expected.
    pub message: String,
}

/// Position in a mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// Byte offset, counted from 0.
    Byte(usize),
    /// Line, counted from 1.
    Line(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Byte(offset) => write!(f, " at byte {offset}"),
            Place::Line(line) => write!(f, ":{line}"),
        }
    }
}

/// An error of a format reader; [`read`] adds the name of the file.
#[derive(Debug)]
struct Fault {
    place: Place,
    message: String,
}

impl Fault {
    fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into() }
    }
}

/// Reads a mesh. The format is determined by the media type, or without one by the extension of
/// `name`.
pub fn read(name: &str, content_type: Option<&str>, bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let result = match format(name, content_type) {
        Ok(Format::Stl) => stl::read(bytes),
        Ok(Format::Obj) => obj::read(bytes),
        Ok(Format::Msh) => msh::read(bytes),
        Ok(Format::Dae) => dae::read(bytes),
        Err(fault) => Err(fault),
    };
    result.map_err(|fault| MeshError { name: name.into(), place: fault.place, message: fault.message })
}

enum Format {
    Stl,
    Obj,
    Msh,
    Dae,
}

fn format(name: &str, content_type: Option<&str>) -> Result<Format, Fault> {
    if let Some(media) = content_type.filter(|t| !t.is_empty()) {
        return match media {
            "model/stl" => Ok(Format::Stl),
            "model/obj" => Ok(Format::Obj),
            "model/vnd.mujoco.msh" => Ok(Format::Msh),
            "model/vnd.collada+xml" => Ok(Format::Dae),
            _ => {
                let expected = "expected model/stl, model/obj, model/vnd.mujoco.msh or model/vnd.collada+xml";
                Err(Fault::new(Place::File, format!("unknown content type \"{media}\"; {expected}")))
            }
        };
    }
    let extension = name.rsplit_once('.').map_or("", |(_, e)| e).to_ascii_lowercase();
    match extension.as_str() {
        "stl" => Ok(Format::Stl),
        "obj" => Ok(Format::Obj),
        "msh" => Ok(Format::Msh),
        "dae" => Ok(Format::Dae),
        _ => Err(Fault::new(Place::File, "unknown kind of mesh file; expected the extension stl, obj, msh or dae")),
    }
}

/// Little-endian 4-byte word number `index` after `start`; the caller has checked the length.
fn word(bytes: &[u8], start: usize, index: usize) -> Option<[u8; 4]> {
    let at = start.checked_add(index.checked_mul(4)?)?;
    bytes.get(at..at.checked_add(4)?)?.try_into().ok()
}
