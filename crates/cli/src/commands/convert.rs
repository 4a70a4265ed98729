//! `saltus convert`: from one model format to another.

use super::model::ModelFile;
use crate::files::{check_writable, write_file};
use crate::output::{self, say};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Convert a model: MJCF, URDF or SDF to MJCF (.xml) or to a binary model (.smb).
///
/// The written file finds meshes, height fields, and textures where they are. A binary model is
/// compiled and has no editable form, so it cannot be converted back.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  saltus convert robot.urdf robot.xml --floating-base --motors\n  saltus convert scene.xml scene.smb"
)]
pub struct Args {
    #[command(flatten)]
    input: ModelFile,
    /// Output file; its extension selects the format.
    output: PathBuf,
    /// Print a summary of the output as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let ending = args.output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let mut spec = args.input.spec()?;
    // Also for MJCF: what does not compile is not worth writing.
    let model = saltus::compile(&spec)?;
    let contents = match ending.as_str() {
        "xml" | "mjcf" => {
            check_writable(&args.output)?;
            let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
            saltus::io::relocate(&mut spec, &folder(&args.input.model), &folder(&args.output))
                .with_context(|| args.output.display().to_string())?;
            saltus::io::mjcf::write(&spec).into_bytes()
        }
        saltus::BINARY_EXTENSION => saltus::io::binary::save(&model)?,
        "urdf" => bail!("writing URDF is not supported; use .xml (MJCF) or .{}", saltus::BINARY_EXTENSION),
        _ => bail!("unknown output extension {ending:?}; use .xml (MJCF) or .{}", saltus::BINARY_EXTENSION),
    };
    write_file(&args.output, &contents)?;
    if args.json {
        let report = serde_json::json!({
            "input": args.input.model, "output": args.output, "bytes": contents.len(), "warnings": spec.warnings,
            "sizes": super::info::sizes(&model),
        });
        output::json(&report)?;
    } else {
        say!("{}: {} bytes ({})", args.output.display(), contents.len(), super::info::size_line(&model));
        for warning in &spec.warnings {
            say!("  warning  {warning}");
        }
    }
    Ok(())
}
