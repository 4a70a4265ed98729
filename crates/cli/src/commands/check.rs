//! `saltus check`: can this model be used, and what does it use?

use super::model::ModelFile;
use crate::output::{self, say};
use anyhow::Result;
use saltus::Loaded;
use saltus::sim::model::{Model, constraint_sources};

/// Validate a model and print its sizes, the features it uses, and warnings. Exits with 1 if the
/// model is invalid.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  saltus check robot.xml\n  saltus check robot.urdf --floating-base --json")]
pub struct Args {
    #[command(flatten)]
    file: ModelFile,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let Loaded { model, warnings, .. } = args.file.load()?;
    let features = features(&model);
    let constraints = constraint_sources(&model);
    if args.json {
        let report = serde_json::json!({
            "model": model.name,
            "ok": true,
            "sizes": super::info::sizes(&model),
            "features": features,
            "constraints": constraints,
            "warnings": warnings,
        });
        output::json(&report)?;
        return Ok(());
    }
    say!("{}: ok", args.file.model.display());
    say!("  sizes        {}", super::info::size_line(&model));
    if !features.is_empty() {
        say!("  uses         {}", features.join(", "));
    }
    if !constraints.is_empty() {
        say!("  constraints  {}", constraints.join(", "));
    }
    for warning in &warnings {
        say!("  warning      {warning}");
    }
    Ok(())
}

/// The kinds of elements in the model, as text.
fn features(model: &Model) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |kinds: Vec<String>, what: &str| {
        let mut kinds = kinds;
        kinds.sort();
        kinds.dedup();
        if !kinds.is_empty() {
            words.push(format!("{what} {}", kinds.join("/")));
        }
    };
    let names = |kinds: &mut dyn Iterator<Item = String>| kinds.map(|k| k.to_lowercase()).collect();
    add(names(&mut model.joints.kind.iter().map(|k| format!("{k:?}"))), "joints");
    add(names(&mut model.geoms.shape.iter().map(|k| format!("{k:?}"))), "geoms");
    add(names(&mut model.equalities.kind.iter().map(|k| format!("{k:?}"))), "equalities");
    add(names(&mut model.wraps.kind.iter().map(|k| format!("{k:?}"))), "tendon paths");
    add(names(&mut model.actuators.transmission.iter().map(|k| format!("{k:?}"))), "transmissions");
    add(names(&mut model.actuators.activation.iter().map(|k| format!("{k:?}"))), "activations");
    add(names(&mut model.sensors.kind.iter().map(|k| format!("{k:?}"))), "sensors");
    words
}
