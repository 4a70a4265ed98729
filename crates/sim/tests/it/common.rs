//! Models for tests.

use saltus_sim::{Model, compile};
use std::path::{Path, PathBuf};

/// A model of the project.
pub fn model_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// The model of a file.
pub fn load(path: impl AsRef<Path>) -> Result<Model, Box<dyn std::error::Error>> {
    Ok(compile(&saltus_io::read_file(path)?)?)
}

/// A model from MJCF text.
pub fn from_text(xml: &str) -> Model {
    compile(&saltus_io::mjcf::read_str(xml, &Default::default()).unwrap()).unwrap()
}

/// Largest difference, relative to the largest number of `b` where that is above 1.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    let scale = b.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale
}
