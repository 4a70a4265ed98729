//! MuJoCo 0.5 manual (Todorov, Tassa, Erez, 2013), chapter 2.

pub mod equality;
pub mod integrators;
pub mod sweeps;

use anyhow::{Context, Result};
use saltus::Model;
use saltus::sim::options::law::Law;

/// A model of ours under the impulse law.
fn model(xml: &str) -> Result<Model> {
    let spec = saltus::io::mjcf::read_str(xml, &Default::default()).context("a built-in model")?;
    let mut model = saltus::compile(&spec).context("a built-in model")?;
    model.options.laws.law = Law::Impulse;
    Ok(model)
}
