//! `saltus optimize gait`.

use super::{RunArgs, Source};
use crate::commands::model::ModelFile;
use anyhow::Result;
use saltus::opt::task::Task;
use saltus::opt::template::gait::{Gait, Sides};
use saltus::opt::template::robot::RobotOptions;

/// Plan walking or running at a given speed, as a limit cycle, for any robot with feet.
///
/// Feet, size, symmetry and a standing pose are detected from the model. No weights are tuned per
/// robot.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  saltus optimize gait robot.xml --speed 1.2
  saltus optimize gait robot.xml --speed 1.2 --free-period
  saltus optimize gait quadruped.xml --speed 0.6 --mirror together
  saltus optimize gait robot.xml --feet left_foot,right_foot --keyframe home --seed 3
  saltus optimize gait robot.urdf --floating-base --motors --json | jq .law_independent_residual")]
pub struct Args {
    #[command(flatten)]
    model: ModelFile,
    /// Speed along x in m/s [default: 0.3 √(g · height of the centre of mass)].
    #[arg(long, value_name = "V", allow_negative_numbers = true)]
    speed: Option<f64>,
    /// Comma-separated names of the bodies that are feet [default: detected].
    #[arg(long, value_name = "BODIES", value_delimiter = ',')]
    feet: Vec<String>,
    /// Keyframe with the pose to stay close to [default: a keyframe whose name suggests standing].
    #[arg(long, value_name = "KEY")]
    keyframe: Option<String>,
    /// Duration of a full stride in seconds [default: from the robot's size].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    period: Option<f64>,
    /// Also optimize the period, starting from --period; the length of a stride then follows from
    /// the speed.
    #[arg(long)]
    free_period: bool,
    /// Number of time steps per half stride.
    #[arg(long, value_name = "N", default_value_t = Gait::default().steps)]
    steps: usize,
    /// Symmetry of left and right: `turns` (each half stride mirrors the other), `together` (both
    /// sides in phase, as in bounding) or `free` (none) [default: turns if the robot is symmetric].
    #[arg(long, value_name = "HOW", value_parser = sides)]
    mirror: Option<Sides>,
    /// Seed of the random initial guess; a different seed may lead to a different gait.
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
    /// Loads the model and the validated task. The options are checked before the model is read.
    pub fn source(&self) -> Result<Source> {
        let (speed, period, steps, seed, mirror) = (self.speed, self.period, self.steps, self.seed, self.mirror);
        let free_period = self.free_period;
        let gait = Gait { speed, period, free_period, steps, seed, mirror, ..Gait::default() };
        let feet = self.feet.iter().map(|f| f.trim().to_owned()).filter(|f| !f.is_empty()).collect();
        let robot = RobotOptions { feet, keyframe: self.keyframe.clone(), keep_pose: false };
        let model = self.model.model.display().to_string();
        Source::template(Task::gait("gait", model, gait, robot), self.model.options(), self.run.iterations)
    }
}
