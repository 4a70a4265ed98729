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

/// Largest difference, relative to the largest number of `b` where that is above 1.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    let scale = b.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale
}
