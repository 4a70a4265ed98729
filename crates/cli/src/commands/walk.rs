//! `saltus` without arguments: plan how the built-in humanoid walks.

use super::optimize::{Job, RunArgs, Source, finish, print};
use super::replay::Replays;
use crate::output::say;
use anyhow::Result;
use std::path::Path;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let job = Job::new(Source::named(Path::new("walk"), args.run.iterations)?, &args.run)?;
    if !args.run.json {
        say!("Planning: {}", job.source.task.about);
    }
    let stored = job.run(&args.run)?;
    let replays = Replays::own(&stored, &job.folder)?;
    print(&stored, &job, args.run.json, Some(&replays))?;
    finish(&stored.plan, &job)?;
    if !args.run.json {
        let folder = job.folder.display();
        say!("Next:");
        say!("  view {folder}/film.svg, and modes.svg, torques.svg and forces.svg in the same folder");
        say!(
            "  use the motion: numpy.load(\"{folder}/trajectory.npz\") contains q, v, u, tau, gains and contact forces"
        );
        say!("  simulate it under other contact laws: saltus replay {folder}");
        say!("  plan for your own robot: saltus optimize gait robot.xml --speed 1");
    }
    Ok(())
}
