//! `saltus optimize gait`.

use super::{RunArgs, Source};
use anyhow::Result;
use saltus::opt::task::Task;
use saltus::opt::template::gait::{Gait, Sides};
use saltus::opt::template::robot::RobotOptions;
use std::path::PathBuf;

/// Walk or run at a given speed: a limit cycle, for any robot with feet.
///
/// Feet, size, symmetry and a pose to stand in are found from the model. No weight is tuned per robot.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  saltus optimize gait robot.xml --speed 1.2
  saltus optimize gait robot.xml --speed 1.2 --free-period
  saltus optimize gait quadruped.xml --speed 0.6 --mirror together
  saltus optimize gait robot.xml --feet left_foot,right_foot --keyframe home --seed 3
  saltus optimize gait robot.urdf --json | jq .law_independent_residual")]
pub struct Args {
    /// MJCF (.xml) or URDF (.urdf) model.
    model: PathBuf,
    /// Speed along x in m/s [default: by size, 0.3 √(g · height of the centre of mass)].
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    speed: Option<f64>,
    /// Bodies that are feet, separated by commas [default: those are found].
    #[arg(long, value_name = "BODIES", value_delimiter = ',')]
    feet: Vec<String>,
    /// Keyframe of the pose to stay close to [default: one whose name says that it stands].
    #[arg(long, value_name = "KEY")]
    keyframe: Option<String>,
    /// Time of a whole stride in seconds [default: by size].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    period: Option<f64>,
    /// Look for the period of least cost, beginning with that of --period; strides become as long as the speed makes them.
    #[arg(long)]
    free_period: bool,
    /// Steps of time per half stride.
    #[arg(long, value_name = "N", default_value_t = Gait::default().steps)]
    steps: usize,
    /// Left and right: each half of a stride the mirror image of the other (turns), both the same at the same time, as in
    /// bounding (together), or neither (free) [default: turns if the robot is symmetric].
    #[arg(long, value_name = "HOW", value_parser = sides)]
    mirror: Option<Sides>,
    /// Seed of the random motion that optimization starts from; another one may find another gait.
    #[arg(long, value_name = "N", default_value_t = Gait::default().seed)]
    seed: u64,
    #[command(flatten)]
    pub run: RunArgs,
}

fn sides(word: &str) -> Result<Sides, String> {
    let found = Sides::WORDS.iter().find(|(own, _)| *own == word).map(|(_, sides)| *sides);
    found.ok_or_else(|| format!("expected one of {}", Sides::WORDS.map(|(own, _)| own).join(", ")))
}

impl Args {
    /// The model and the task, checked: mistakes on the command line are found before the model is read.
    pub fn source(&self) -> Result<Source> {
        let (speed, period, steps, seed, mirror) = (self.speed, self.period, self.steps, self.seed, self.mirror);
        let free_period = self.free_period;
        let gait = Gait { speed, period, free_period, steps, seed, mirror, ..Gait::default() };
        let feet = self.feet.iter().map(|f| f.trim().to_owned()).filter(|f| !f.is_empty()).collect();
        let robot = RobotOptions { feet, keyframe: self.keyframe.clone(), keep_pose: false };
        let stem = self.model.file_stem().unwrap_or_default().to_string_lossy();
        let model = self.model.display().to_string();
        Source::template(Task::gait(format!("{stem}-gait"), model, gait, robot), self.run.iterations)
    }
}
