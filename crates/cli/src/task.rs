//! Planning tasks as TOML: what `task.toml` in a result folder says.

use anyhow::{Context, Result, ensure};
use saltus::ModelSpec;
use saltus::opt::optimize::OptimizeOptions;
use saltus::opt::setup::Setup;
use saltus::opt::template::gait::{Gait, gait};
use saltus::opt::template::robot::RobotOptions;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FORMAT: u32 = 1;

/// A task: a template with its settings, the robot, and how to optimize.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    format: u32,
    pub name: String,
    /// Model file, beside the task.
    pub model: String,
    pub gait: Gait,
    pub robot: RobotSettings,
    pub optimize: OptimizeOptions,
}

/// [`RobotOptions`] in a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RobotSettings {
    pub feet: Vec<String>,
    pub keyframe: Option<String>,
    pub keep_pose: bool,
}

impl Task {
    pub fn gait(name: &str, gait: Gait, robot: RobotSettings, optimize: OptimizeOptions) -> Self {
        Self { format: FORMAT, name: name.to_owned(), model: crate::result::MODEL.to_owned(), gait, robot, optimize }
    }

    pub fn parse(text: &str) -> Result<Self> {
        let task: Self = toml::from_str(text)?;
        ensure!(task.format == FORMAT, "the task has format {}; this program reads format {FORMAT}", task.format);
        task.check()?;
        Ok(task)
    }

    /// The task as a file. The number of threads is left out: it does not change the result.
    pub fn text(&self) -> Result<String> {
        let mut task = self.clone();
        task.optimize.threads = 0;
        let settings = toml::to_string(&task).context("the task cannot be written as TOML")?;
        Ok(format!("# Do it again with: saltus optimize task.toml\n{settings}"))
    }

    /// Refuses numbers that make no sense.
    pub fn check(&self) -> Result<()> {
        // The result folder has this name.
        let is_name = Path::new(&self.name).file_name().is_some_and(|name| name == self.name.as_str());
        ensure!(is_name, "expected a name that a folder can have, found {:?}", self.name);
        let gait = &self.gait;
        if let Some(speed) = gait.speed {
            ensure!(speed.is_finite() && speed.abs() <= 100.0, "speed must be a number of m/s up to 100, not {speed}");
        }
        if let Some(period) = gait.period {
            ensure!(period.is_finite() && period > 0.0, "period must be a positive number of seconds, not {period}");
        }
        ensure!((5..=1000).contains(&gait.steps), "steps must be between 5 and 1000, not {}", gait.steps);
        ensure!(i64::try_from(gait.seed).is_ok(), "seed must be at most {}, not {}", i64::MAX, gait.seed);
        ensure!(gait.noise.is_finite(), "noise must be a finite number, not {}", gait.noise);
        ensure!(self.optimize.iterations > 0, "iterations must be at least 1");
        Ok(())
    }

    /// The problem, ready to be optimized.
    pub fn build(&self, spec: &ModelSpec, threads: usize) -> Result<Setup> {
        let robot = RobotOptions {
            feet: self.robot.feet.clone(),
            keyframe: self.robot.keyframe.clone(),
            keep_pose: self.robot.keep_pose,
        };
        let options = OptimizeOptions { threads, ..self.optimize };
        Ok(gait(&self.name, spec, &robot, &self.gait, &options)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_reads_back_the_same() {
        let robot = RobotSettings { feet: vec!["a".into(), "b \"c\"".into()], ..RobotSettings::default() };
        let wish = Gait { speed: Some(1.2), ..Gait::default() };
        let text = Task::gait("walk", wish, robot, OptimizeOptions::default()).text().unwrap();
        let again = Task::parse(&text).unwrap();
        assert_eq!(again.text().unwrap(), text);
        assert_eq!((again.gait.speed, again.robot.feet.len()), (Some(1.2), 2));
    }
}
