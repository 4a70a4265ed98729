//! `saltus replay`: a planned motion simulated forward, under its own contact law and under others.

mod picture;
mod runs;

pub use runs::Replays;
use runs::Run;

use crate::files::write_file;
use crate::output::{self, note, say};
use anyhow::{Result, bail, ensure};
use clap::builder::PossibleValuesParser;
use saltus::opt::replay::Feedback;
use saltus::sim::options::law::Law;
use saltus::store::StoredPlan;
use std::path::PathBuf;

const PICTURE: &str = "replay.svg";
const MAX_STRIDES: usize = 10_000;
/// Minimum of --timestep, s.
const MIN_TIMESTEP: f64 = 1e-6;

/// Simulate a planned motion under its own contact law and under others.
///
/// Under its own law, with the collision geometry and time step of the plan and without feedback,
/// the simulation must reproduce the plan: the exit code is 0 only if the error stays below 1e-6
/// over one stride. The other laws use the model's original geometry; their results are printed and
/// do not affect the exit code.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  saltus replay out/walk
  saltus replay out/walk --law soft --strides 20 --plot
  saltus replay out/walk --law own --json | jq .reproduced")]
pub struct Args {
    /// Result folder written by `saltus optimize`.
    folder: PathBuf,
    /// Contact law to simulate in addition to the plan's own (`own`: none).
    #[arg(long, value_name = "LAW", default_value = "all",
        value_parser = PossibleValuesParser::new(["own"].into_iter().chain(Law::NAMES.map(|(name, _)| name)).chain(["all"])))]
    law: String,
    /// Maximum time step in seconds under other laws. Under its own law the simulation uses the
    /// time steps of the plan.
    #[arg(long, value_name = "S", default_value_t = runs::TIMESTEP, allow_negative_numbers = true)]
    timestep: f64,
    /// Simulate without feedback.
    #[arg(long, conflicts_with = "feedback")]
    open_loop: bool,
    /// Feedback under other laws: `body` is whole-body tracking, which solves for the torques in
    /// every step; `gains` uses the optimizer's gains, which are valid only for the plan's own law,
    /// geometry and time step, and usually make things worse elsewhere. Under its own law the plan
    /// always uses its gains.
    #[arg(long, value_name = "KIND", default_value = "body", value_parser = PossibleValuesParser::new(["gains", "body"]))]
    feedback: String,
    /// Number of repetitions of a limit cycle.
    #[arg(long, value_name = "N", default_value_t = 10)]
    strides: usize,
    /// Plot the error over time to replay.svg in the folder.
    #[arg(long)]
    plot: bool,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let (step, strides) = (args.timestep, args.strides);
    ensure!(step.is_finite() && step >= MIN_TIMESTEP, "--timestep must be at least {MIN_TIMESTEP} s, not {step}");
    ensure!((1..=MAX_STRIDES).contains(&strides), "--strides must be between 1 and {MAX_STRIDES}, not {strides}");
    let stored = StoredPlan::load(&args.folder)?;
    let mut replays = Replays::new(&stored, &args.folder)?;
    let feedback = match args.feedback.as_str() {
        _ if args.open_loop => Feedback::None,
        "gains" => Feedback::Gains,
        _ => Feedback::Body,
    };
    replays.add_own(Feedback::None, 1);
    if args.open_loop && strides > 1 && stored.plan.motion.periodic {
        replays.add_own(Feedback::None, strides);
    } else if !args.open_loop {
        replays.add_own(Feedback::Gains, strides);
    }
    for (name, law) in Law::NAMES.iter().filter(|(name, _)| args.law == "all" || args.law == *name) {
        replays.add(name, *law, step, feedback, strides);
    }
    if feedback == Feedback::Gains && args.law != "own" {
        note!("warning: {}", replays.limits_of_gains());
    }
    if args.plot {
        let picture = picture::picture(&stored.plan.name, &replays.runs).to_svg();
        write_file(&args.folder.join(PICTURE), picture.as_bytes())?;
    }
    if args.json {
        output::json(&replays.json())?;
    } else {
        replays.print();
        if args.plot {
            say!("  {}", args.folder.join(PICTURE).display());
        }
    }
    if !replays.reproduced() {
        bail!(replays.failure());
    }
    Ok(())
}
