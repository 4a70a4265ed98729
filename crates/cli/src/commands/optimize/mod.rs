//! `saltus optimize`: plan motions through contact.

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

/// Plan a motion through contact: states, torques, contact forces and feedback gains.
///
/// The contact sequence is found by the optimizer, not given. The result is a folder with the
/// motion (npz, CSV), a summary (JSON), the model, the task and pictures. The exit code is 0 only
/// if the plan converged.
#[derive(clap::Args)]
#[command(
    subcommand_value_name = "TASK",
    subcommand_help_heading = "Templates",
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
pub struct Args {
    /// List the built-in tasks and the templates.
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    task: Option<TaskCommand>,
}

const EXAMPLES: &str = "\
TASK is a template, the name of a built-in task (--list), or a task file (.toml). The task.toml of a result folder
repeats that run.

Examples:
  saltus optimize --list
  saltus optimize hop                                out/hop
  saltus optimize my_task.toml --out out/mine
  saltus optimize gait robot.xml --speed 1.2
  saltus optimize gait robot.xml --speed 0.8 --feet left_foot,right_foot --seed 3 --out out/slow
  saltus optimize stand robot.xml
  saltus optimize reach arm.xml tip 0.4 0.2 0.3
  saltus optimize jump robot.xml 0.3
  saltus optimize gait robot.xml --resume            continue a run that was killed or stopped
  saltus optimize out/slow/task.toml --out out/again";

/// The templates, or else the name or file of a task.
#[derive(clap::Subcommand)]
enum TaskCommand {
    /// Walk or run at a given speed, as a limit cycle.
    Gait(gait::Args),
    /// Stand still.
    Stand(goal::StandArgs),
    /// Move a site or body to a target position.
    Reach(goal::ReachArgs),
    /// Jump and land.
    Jump(goal::JumpArgs),
    #[command(external_subcommand)]
    Task(Vec<OsString>),
}

/// Options that all tasks share.
#[derive(clap::Args)]
pub struct RunArgs {
    /// Folder for the result [default: out/NAME].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Continue from the checkpoint of a run that was killed or stopped.
    #[arg(long)]
    pub resume: bool,
    /// Replace the result of another task in the folder.
    #[arg(long)]
    pub force: bool,
    /// Number of threads; 0 uses as many as there are processors. The result does not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Maximum total number of iterations.
    #[arg(long, value_name = "N")]
    pub iterations: Option<usize>,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

/// `saltus optimize TASK`.
#[derive(Parser)]
#[command(name = "saltus optimize", no_binary_name = true)]
struct TaskArgs {
    /// Name of a built-in task, or a task file (.toml).
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
        None => bail!("no task given; see saltus optimize --list"),
    }
}

fn list() -> Result<()> {
    for task in shipped::tasks()? {
        say!("{:17} {}", task.name, task.about);
    }
    say!("Templates, for your own models:");
    say!("{:17} Walk or run at a given speed: saltus optimize gait MODEL --speed V", "gait");
    say!("{:17} Stand still: saltus optimize stand MODEL", "stand");
    say!("{:17} Move a site or body to a target position: saltus optimize reach MODEL SITE X Y Z", "reach");
    say!("{:17} Jump and land: saltus optimize jump MODEL HEIGHT", "jump");
    Ok(())
}

fn execute(source: Source, args: &RunArgs) -> Result<()> {
    let job = Job::new(source, args)?;
    let stored = job.run(args)?;
    print(&stored, &job, args.json, None)?;
    finish(&stored.plan, &job)
}
