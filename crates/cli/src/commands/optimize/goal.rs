//! `saltus optimize stand`, `reach` and `jump`.

use super::{RunArgs, Source};
use crate::commands::model::ModelFile;
use anyhow::Result;
use saltus::opt::task::Task;
use saltus::opt::template::goal::{Aim, Goal};
use saltus::opt::template::robot::RobotOptions;

/// Find a balanced standing pose with the torques and contact forces that hold it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  saltus optimize stand robot.xml
  saltus optimize stand robot.urdf --floating-base --motors --feet left_foot,right_foot")]
pub struct StandArgs {
    #[command(flatten)]
    model: ModelFile,
    #[command(flatten)]
    robot: RobotArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Move a site or body to a target position, such as a hand of a fixed arm, or a hand or foot of a
/// standing robot.
///
/// The motion starts at rest in the robot's pose and ends at rest with the site at the target. If
/// the target is out of reach, the plan does not converge and the violated constraint is reported.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  saltus optimize reach arm.xml tip 0.4 0.2 0.3
  saltus optimize reach humanoid.xml left_grip 0.4 0.3 1.2 --time 1.5
  saltus optimize reach robot.xml hand -0.2 0.1 0.5 --keyframe home")]
pub struct ReachArgs {
    #[command(flatten)]
    model: ModelFile,
    /// Name of a site, or of a body.
    site: String,
    /// Target position in the world frame, m.
    #[arg(allow_negative_numbers = true)]
    x: f64,
    #[arg(allow_negative_numbers = true)]
    y: f64,
    #[arg(allow_negative_numbers = true)]
    z: f64,
    #[command(flatten)]
    robot: RobotArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Plan a jump that raises the centre of mass by the given height above its standing height and
/// lands on the feet.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  saltus optimize jump robot.xml 0.3
  saltus optimize jump robot.xml 0.1 --feet foot --steps 100")]
pub struct JumpArgs {
    #[command(flatten)]
    model: ModelFile,
    /// Height of the jump, m.
    #[arg(allow_negative_numbers = true)]
    height: f64,
    #[command(flatten)]
    robot: RobotArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Options about the robot and the time grid.
#[derive(clap::Args)]
struct RobotArgs {
    /// Comma-separated names of the bodies that are feet [default: detected].
    #[arg(long, value_name = "BODIES", value_delimiter = ',')]
    feet: Vec<String>,
    /// Keyframe with the initial pose [default: a keyframe whose name suggests standing].
    #[arg(long, value_name = "KEY")]
    keyframe: Option<String>,
    /// Duration of the motion in seconds [default: from the robot's size].
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    time: Option<f64>,
    /// Number of time steps [default: from the duration and the robot's size].
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
}

impl RobotArgs {
    fn source(&self, aim: Aim, model: &ModelFile, run: &RunArgs) -> Result<Source> {
        let feet = self.feet.iter().map(|f| f.trim().to_owned()).filter(|f| !f.is_empty()).collect();
        let robot = RobotOptions { feet, keyframe: self.keyframe.clone(), keep_pose: false };
        let name = aim.word();
        let goal = Goal { aim, time: self.time, steps: self.steps };
        let task = Task::goal(name, model.model.display().to_string(), goal, robot);
        Source::template(task, model.options(), run.iterations)
    }
}

impl StandArgs {
    pub fn source(&self) -> Result<Source> {
        self.robot.source(Aim::Stand, &self.model, &self.run)
    }
}

impl ReachArgs {
    pub fn source(&self) -> Result<Source> {
        let position = [self.x, self.y, self.z];
        self.robot.source(Aim::Reach { place: self.site.clone(), position }, &self.model, &self.run)
    }
}

impl JumpArgs {
    pub fn source(&self) -> Result<Source> {
        self.robot.source(Aim::Jump { height: self.height }, &self.model, &self.run)
    }
}
