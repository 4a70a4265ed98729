//! Model files: MJCF, URDF, meshes, height fields → [`ModelSpec`] and back; binary models.

pub mod binary;
pub mod error;
pub mod hfield;
pub mod mesh;
pub mod mjcf;
pub mod source;
pub mod urdf;

pub use error::ReadError;
pub use source::Source;

use saltus_sim::ModelSpec;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a model file, MJCF or URDF by its root element, and the files that it names.
pub fn read_file(path: impl AsRef<Path>) -> Result<ModelSpec, ReadError> {
    let path = path.as_ref();
    // A file that cannot be read is reported by the reader.
    let text = std::fs::read(path).unwrap_or_default();
    if is_urdf(&String::from_utf8_lossy(&text)) { urdf::read_file(path) } else { mjcf::read_file(path) }
}

/// Reads model text, MJCF or URDF by its root element. Files that it names come from `assets` only.
pub fn read_str(xml: &str, assets: &BTreeMap<String, Vec<u8>>) -> Result<ModelSpec, ReadError> {
    if is_urdf(xml) { urdf::read_str(xml, assets) } else { mjcf::read_str(xml, assets) }
}

/// Whether the root element is `robot`.
fn is_urdf(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        // Skip declarations and comments.
        let end = match rest.as_bytes() {
            [b'!', b'-', b'-', ..] => "-->",
            [b'?', ..] => "?>",
            [b'!', ..] => ">",
            _ => return rest.strip_prefix("robot").is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric())),
        };
        match rest.find(end) {
            Some(at) => rest = &rest[at + end.len()..],
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_urdf;

    #[test]
    fn the_root_element_decides() {
        assert!(is_urdf("<robot name='r'/>"));
        assert!(is_urdf("<?xml version=\"1.0\"?>\n<!-- <mujoco> -->\n<robot>"));
        assert!(!is_urdf("<!-- <robot> --><mujoco/>"));
        assert!(!is_urdf("<robots/>"));
        assert!(!is_urdf(""));
        assert!(!is_urdf("<!-- never ends"));
    }
}
