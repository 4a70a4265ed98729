//! The model that a command is about.

use crate::output::note;
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
    /// Add a motor to each joint that no actuator drives, with the effort limit of the file.
    #[arg(long)]
    motors: bool,
}

impl ModelFile {
    /// How to load it.
    pub fn options(&self) -> LoadOptions {
        LoadOptions { floating_base: self.floating_base, motors: self.motors }
    }

    /// The compiled model and the warnings of its reader.
    pub fn load(&self) -> Result<Loaded> {
        let loaded = saltus::load_with(&self.model, &self.options())?;
        self.tell(&loaded.notes);
        Ok(loaded)
    }

    /// The editable model.
    pub fn spec(&self) -> Result<ModelSpec> {
        let spec = saltus::load_spec_with(&self.model, &self.options())?;
        self.tell(&spec.notes);
        Ok(spec)
    }

    /// Says what the options added. Standard output has the results.
    fn tell(&self, notes: &[String]) {
        notes.iter().for_each(|text| note!("{}: {text}", self.model.display()));
    }
}
