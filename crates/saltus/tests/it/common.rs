//! Models for tests.

use saltus::Model;
use std::path::{Path, PathBuf};

/// A model of the project.
pub fn model_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// A model from MJCF text.
pub fn from_text(xml: &str) -> Model {
    saltus::compile(&saltus::io::mjcf::read_str(xml, &Default::default()).unwrap()).unwrap()
}
