//! `saltus plot`: the pictures of a result folder, drawn again.

use crate::draw::pictures;
use crate::files::write_file;
use crate::output::{self, say};
use anyhow::Result;
use saltus::store::StoredPlan;
use std::path::PathBuf;

/// Draw the pictures of a result folder again from its data files.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  saltus plot out/walk\n  saltus plot out/walk --json")]
pub struct Args {
    /// Result folder written by `saltus optimize`.
    folder: PathBuf,
    /// Print the names of the pictures as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let stored = StoredPlan::load(&args.folder)?;
    let mut files = Vec::new();
    for (name, picture) in pictures(&stored)? {
        write_file(&args.folder.join(&name), &picture)?;
        files.push(args.folder.join(name));
    }
    let plan = &stored.plan;
    if args.json {
        let report = serde_json::json!({ "name": plan.name, "converged": plan.status.converged(), "pictures": files });
        output::json(&report)?;
    } else {
        say!("{}: {}", plan.name, plan.status);
        files.iter().filter(|f| f.extension().is_some_and(|e| e == "svg")).for_each(|f| say!("  {}", f.display()));
    }
    Ok(())
}
