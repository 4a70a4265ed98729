//! Readers and writers of model files: MJCF, URDF, SDF, meshes, height fields, and binary models.

pub mod binary;
pub mod envelope;
pub mod error;
mod files;
pub mod hfield;
pub mod mesh;
pub mod mjcf;
pub mod sdf;
pub mod source;
pub mod urdf;
mod xml;

pub use error::ReadError;
pub use files::relocate;
pub use source::Source;

use saltus_sim::ModelSpec;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a model file and the files that it refers to. The root element selects MJCF, URDF or SDF.
pub fn read_file(path: impl AsRef<Path>) -> Result<ModelSpec, ReadError> {
    source::read_model(path.as_ref(), read_text)
}

/// Reads model text. The root element selects MJCF, URDF or SDF. Referenced files are taken from
/// `assets` only.
pub fn read_str(xml: &str, assets: &BTreeMap<String, Vec<u8>>) -> Result<ModelSpec, ReadError> {
    read_text(&Source::memory(assets), "", xml)
}

/// Reads the text of the model `name`. The root element selects MJCF, URDF or SDF. Referenced files
/// are taken from `source`.
pub fn read_text(source: &Source, name: &str, xml: &str) -> Result<ModelSpec, ReadError> {
    match root_tag(xml) {
        "robot" => urdf::read(source, name, xml),
        "sdf" => sdf::read(source, name, xml),
        _ => mjcf::read_text(source, name, xml),
    }
}

/// Name of the root element; empty if there is none.
fn root_tag(text: &str) -> &str {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        // Skip declarations and comments.
        let end = match rest.as_bytes() {
            [b'!', b'-', b'-', ..] => "-->",
            [b'?', ..] => "?>",
            [b'!', ..] => ">",
            _ => return rest.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next().unwrap_or_default(),
        };
        match rest.find(end) {
            Some(at) => rest = &rest[at + end.len()..],
            None => return "",
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::root_tag;

    #[test]
    fn the_root_element_decides() {
        assert_eq!(root_tag("<robot name='r'/>"), "robot");
        assert_eq!(root_tag("<?xml version=\"1.0\"?>\n<!-- <mujoco> -->\n<robot>"), "robot");
        assert_eq!(root_tag("<!-- <robot> --><mujoco/>"), "mujoco");
        assert_eq!(root_tag("<sdf version=\"1.9\">"), "sdf");
        assert_eq!(root_tag("<robots/>"), "robots");
        assert_eq!(root_tag(""), "");
        assert_eq!(root_tag("<!-- never ends"), "");
    }
}
