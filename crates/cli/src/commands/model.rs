//! The model that a command is about.

use anyhow::Result;
use saltus::{LoadOptions, Loaded, ModelSpec};
use std::path::PathBuf;

/// A model file and how to load it.
#[derive(clap::Args)]
pub struct ModelFile {
    /// MJCF (.xml), URDF (.urdf), SDF (.sdf) or binary (.smb) model.
    pub model: PathBuf,
    /// Add a free joint to the body that is fixed to the world, so that the base of the robot
    /// floats.
    #[arg(long)]
    floating_base: bool,
}

impl ModelFile {
    fn options(&self) -> LoadOptions {
        LoadOptions { floating_base: self.floating_base }
    }

    /// The compiled model and the warnings of its reader.
    pub fn load(&self) -> Result<Loaded> {
        Ok(saltus::load_with(&self.model, &self.options())?)
    }

    /// The editable model.
    pub fn spec(&self) -> Result<ModelSpec> {
        Ok(saltus::load_spec_with(&self.model, &self.options())?)
    }
}
