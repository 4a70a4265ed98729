//! `saltus optimize`: motion through contact for a robot.

mod gait;
mod job;
mod report;
mod watch;

pub use job::Job;
pub use report::{finish, print};

use crate::task::Task;
use anyhow::{Context, Result};
use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

/// Plan a motion through contact: states, torques, contact forces and feedback.
///
/// When and where the robot touches the ground is found, not given. The result is a folder with the motion (npz, CSV), a
/// summary (JSON), the model, the task and pictures. The exit code is 0 only if the plan converged.
#[derive(clap::Args)]
#[command(subcommand_value_name = "TASK", subcommand_help_heading = "Tasks", after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    source: Source,
}

const EXAMPLES: &str = "\
Besides the tasks above, TASK may be the task.toml of a result folder: it is done again.

Examples:
  saltus optimize gait robot.xml --speed 1.2
  saltus optimize gait robot.xml --speed 0.8 --feet left_foot,right_foot --seed 3 --out out/slow
  saltus optimize gait robot.xml --resume            goes on where a killed or stopped run was
  saltus optimize out/slow/task.toml --out out/again";

/// Where a task comes from.
#[derive(clap::Subcommand)]
enum Source {
    /// Walk or run at a given speed: a limit cycle.
    Gait(gait::Args),
    #[command(external_subcommand)]
    TaskFile(Vec<OsString>),
}

/// How to run, for every task.
#[derive(clap::Args)]
pub struct RunArgs {
    /// Folder for the result [default: out/NAME].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on from the checkpoint of a run that was killed or stopped.
    #[arg(long)]
    pub resume: bool,
    /// Number of threads; 0: as many as there are processors. Does not change the result.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Most iterations in all.
    #[arg(long, value_name = "N")]
    pub iterations: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `saltus optimize FILE.toml`.
#[derive(Parser)]
#[command(name = "saltus optimize", no_binary_name = true)]
struct FileArgs {
    /// Task file.
    file: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

pub fn run(args: Args) -> Result<()> {
    match args.source {
        Source::Gait(args) => {
            let (spec, task) = args.task()?;
            execute(Job::new(spec, task, &args.run)?, &args.run)
        }
        Source::TaskFile(words) => {
            let args = FileArgs::parse_from(words);
            let file = args.file.display();
            let is_file = args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
            anyhow::ensure!(is_file, "unknown task {file}; expected gait or a file with the ending .toml");
            let text = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {file}"))?;
            let task = Task::parse(&text).with_context(|| file.to_string())?;
            let spec = saltus::load_spec(args.file.with_file_name(&task.model))?;
            execute(Job::new(spec, task, &args.run)?, &args.run)
        }
    }
}

fn execute(job: Job, args: &RunArgs) -> Result<()> {
    let plan = job.run(args)?;
    print(&plan, &job, args.json)?;
    finish(&plan, &job)
}
