//! The main job, `saltus` alone: plan how the built-in humanoid walks.

use super::demo::HUMANOID;
use super::optimize::{Job, RunArgs, finish, print};
use crate::task::{RobotSettings, Task};
use anyhow::{Context, Result};
use saltus::opt::optimize::OptimizeOptions;
use saltus::opt::template::gait::Gait;

/// m/s, and a seed from which it converges.
const SPEED: f64 = 1.2;
const SEED: u64 = 2;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    run: RunArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let spec = saltus::io::mjcf::read_str(HUMANOID, &Default::default()).context("the built-in humanoid")?;
    let gait = Gait { speed: Some(SPEED), seed: SEED, ..Gait::default() };
    let task = Task::gait("walk", gait, RobotSettings::default(), OptimizeOptions::default());
    let job = Job::new(spec, task, &args.run)?;
    if !args.run.json {
        println!("Planning how a humanoid walks at {SPEED} m/s. When its feet touch the ground is not given.");
    }
    let plan = job.run(&args.run)?;
    print(&plan, &job, args.run.json)?;
    finish(&plan, &job)?;
    if !args.run.json {
        let folder = job.folder.display();
        println!("Next:");
        println!("  look at {folder}/film.svg, and at modes.svg, torques.svg and forces.svg beside it");
        println!(
            "  use the motion: numpy.load(\"{folder}/trajectory.npz\") has q, v, u, tau, gains and contact forces"
        );
        println!("  plan for your own robot: saltus optimize gait robot.xml --speed 1");
    }
    Ok(())
}
