//! The `saltus` command. One file per subcommand.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod control;
mod draw;
mod files;
mod interrupt;
mod output;
mod plot;
mod record;
mod thin;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Saltus: plan robot motion through contact.
///
/// Without a subcommand, plans a walking gait of the built-in humanoid (the task `walk`), writes
/// the motion and its pictures to out/walk, replays the motion in simulation and prints the result.
#[derive(Parser)]
#[command(name = "saltus", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    walk: commands::walk::Args,
}

const EXAMPLES: &str = "\
Examples:
  saltus                             plan a walking gait of the built-in humanoid and write it to out/walk
  saltus optimize gait robot.xml --speed 1.2 --out out/robot
  saltus optimize --list             list the built-in tasks; `saltus optimize hop` runs one
  saltus replay out/robot            simulate the plan under its own contact law and others
  saltus plot out/robot              draw its pictures again
  saltus check robot.xml             validate a model and list the features it uses
  saltus info robot.urdf --json      print sizes, masses, joints and actuators as JSON
  saltus convert robot.urdf robot.xml
  saltus sim robot.xml --keyframe stand --time 2 --plot out.svg
  saltus render robot.xml --out robot.png
  saltus bench robot.xml             measure steps per second by stage and by thread count
  saltus compare robot.xml           compare the contact laws
  saltus demo                        simulate a somersault of the built-in humanoid
  saltus reproduce                   reproduce figures of published papers";

#[derive(Subcommand)]
enum Command {
    Optimize(commands::optimize::Args),
    Replay(commands::replay::Args),
    Plot(commands::plot::Args),
    Check(commands::check::Args),
    Info(commands::info::Args),
    Convert(commands::convert::Args),
    Sim(commands::sim::Args),
    Render(commands::render::Args),
    Bench(commands::bench::Args),
    Compare(commands::compare::Args),
    Reproduce(commands::reproduce::Args),
    Demo(commands::demo::Args),
}

fn main() -> ExitCode {
    if let Err(missing) = saltus::check_cpu() {
        output::error(&missing.to_string());
        return ExitCode::FAILURE;
    }
    let cli = Cli::try_parse().unwrap_or_else(|wrong| output::exit_with(&wrong));
    let outcome = match cli.command {
        None => commands::walk::run(&cli.walk),
        Some(Command::Optimize(args)) => commands::optimize::run(args),
        Some(Command::Replay(args)) => commands::replay::run(&args),
        Some(Command::Plot(args)) => commands::plot::run(&args),
        Some(Command::Check(args)) => commands::check::run(&args),
        Some(Command::Info(args)) => commands::info::run(&args),
        Some(Command::Convert(args)) => commands::convert::run(&args),
        Some(Command::Sim(args)) => commands::sim::run(&args),
        Some(Command::Render(args)) => commands::render::run(&args),
        Some(Command::Bench(args)) => commands::bench::run(&args),
        Some(Command::Compare(args)) => commands::compare::run(&args),
        Some(Command::Reproduce(args)) => commands::reproduce::run(&args),
        Some(Command::Demo(args)) => commands::demo::run(&args),
    };
    match outcome.and_then(|()| output::finish()) {
        Ok(()) if interrupt::is_asked() => ExitCode::from(interrupt::EXIT_CODE),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
