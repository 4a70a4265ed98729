//! `saltus optimize`: motion through contact for a robot.

mod gait;
mod goal;
mod job;
mod report;
mod source;
mod watch;

pub use job::Job;
pub use report::{finish, print};
pub use source::Source;

use crate::output::{self, say};
use anyhow::{Result, bail};
use clap::Parser;
use saltus::shipped;
use std::ffi::OsString;
use std::path::PathBuf;

/// Plan a motion through contact: states, torques, contact forces and feedback.
///
/// When and where the robot touches the ground is found, not given. The result is a folder with the motion (npz, CSV), a
/// summary (JSON), the model, the task and pictures. The exit code is 0 only if the plan converged.
#[derive(clap::Args)]
#[command(
    subcommand_value_name = "TASK",
    subcommand_help_heading = "Templates",
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
pub struct Args {
    /// List the tasks that come with Saltus.
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    task: Option<TaskCommand>,
}

const EXAMPLES: &str = "\
Besides a template, TASK is the name of a task that comes with Saltus (--list) or a task file (.toml), such as the
task.toml of a result folder, which does it again.

Examples:
  saltus optimize --list
  saltus optimize hop                                out/hop
  saltus optimize my_task.toml --out out/mine
  saltus optimize gait robot.xml --speed 1.2
  saltus optimize gait robot.xml --speed 0.8 --feet left_foot,right_foot --seed 3 --out out/slow
  saltus optimize stand robot.xml
  saltus optimize reach arm.xml tip 0.4 0.2 0.3
  saltus optimize jump robot.xml 0.3
  saltus optimize gait robot.xml --resume            goes on where a killed or stopped run was
  saltus optimize out/slow/task.toml --out out/again";

/// Where a task comes from.
#[derive(clap::Subcommand)]
enum TaskCommand {
    /// Walk or run at a given speed: a limit cycle.
    Gait(gait::Args),
    /// Stand still.
    Stand(goal::StandArgs),
    /// Bring a site or body to a place.
    Reach(goal::ReachArgs),
    /// Jump and land.
    Jump(goal::JumpArgs),
    #[command(external_subcommand)]
    Task(Vec<OsString>),
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

/// `saltus optimize TASK`.
#[derive(Parser)]
#[command(name = "saltus optimize", no_binary_name = true)]
struct TaskArgs {
    /// Name of a task that comes with Saltus, or a task file (.toml).
    task: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

pub fn run(args: Args) -> Result<()> {
    match args.task {
        Some(TaskCommand::Gait(args)) => execute(args.source()?, &args.run),
        Some(TaskCommand::Stand(args)) => execute(args.source()?, &args.run),
        Some(TaskCommand::Reach(args)) => execute(args.source()?, &args.run),
        Some(TaskCommand::Jump(args)) => execute(args.source()?, &args.run),
        Some(TaskCommand::Task(words)) => {
            let args = TaskArgs::try_parse_from(words).unwrap_or_else(|wrong| output::exit_with(&wrong));
            execute(Source::named(&args.task, args.run.iterations)?, &args.run)
        }
        None if args.list => list(),
        None => bail!("which task? saltus optimize --list lists them"),
    }
}

fn list() -> Result<()> {
    for task in shipped::tasks()? {
        say!("{:17} {}", task.name, task.about);
    }
    say!("Templates, for your own models:");
    say!("{:17} Walk or run at a given speed: saltus optimize gait MODEL --speed V", "gait");
    say!("{:17} Stand still: saltus optimize stand MODEL", "stand");
    say!("{:17} Bring a site or body to a place: saltus optimize reach MODEL SITE X Y Z", "reach");
    say!("{:17} Jump and land: saltus optimize jump MODEL HEIGHT", "jump");
    Ok(())
}

fn execute(source: Source, args: &RunArgs) -> Result<()> {
    let job = Job::new(source, args)?;
    let stored = job.run(args)?;
    print(&stored, &job, args.json, None)?;
    finish(&stored.plan, &job)
}
