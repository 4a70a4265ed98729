//! Sources of tasks: names of built-in tasks, task files, and the settings of templates.

use anyhow::{Result, anyhow};
use saltus::opt::task::{Task, TaskError};
use saltus::task::{load_model, load_task, model_name};
use saltus::{LoadOptions, ModelSpec};
use std::path::Path;

/// A task and its model.
#[derive(Debug)]
pub struct Source {
    pub task: Task,
    pub spec: ModelSpec,
    /// Whether the task is from a file, so that errors refer to its keys; otherwise to options of
    /// the command line.
    pub is_file: bool,
}

impl Source {
    /// Loads the built-in task of this name, or a task file.
    pub fn named(place: &Path, iterations: Option<usize>) -> Result<Self> {
        let mut task = load_task(place).map_err(|e| match e {
            saltus::Error::UnknownTask { .. } => anyhow!("{e}, or a template (gait, stand, reach, jump) and a model"),
            e => e.into(),
        })?;
        task.options.iterations = iterations.unwrap_or(task.options.iterations);
        task.validate()?;
        let spec = load_model(&task)?;
        Ok(Self { task, spec, is_file: true })
    }

    /// A template with settings from the command line. They are checked before the model is read.
    /// The task is named after the model and itself, such as `go2-gait`.
    pub fn template(mut task: Task, load: LoadOptions, iterations: Option<usize>) -> Result<Self> {
        (task.floating_base, task.motors) = (load.floating_base, load.motors);
        task.options.iterations = iterations.unwrap_or(task.options.iterations);
        task.validate().map_err(on_command_line)?;
        let place = Path::new(&task.model.value);
        let spec = saltus::load_spec_with(place, &load)?;
        task.name = format!("{}-{}", model_name(place, &spec), task.name);
        Ok(Self { task, spec, is_file: false })
    }

    /// Converts an error of the task to one that names the key of the file or the option of the
    /// command line.
    pub fn error(&self, error: TaskError) -> anyhow::Error {
        if self.is_file { error.into() } else { on_command_line(error) }
    }
}

/// Keys of templates that are also options of the command line.
const OPTIONS: [&str; 9] =
    ["speed", "period", "free_period", "steps", "mirror", "seed", "keyframe", "time", "iterations"];

/// Converts an error of a task that was built from options of the command line.
fn on_command_line(error: TaskError) -> anyhow::Error {
    let key = error.key.split_whitespace().last().unwrap_or_default();
    if OPTIONS.contains(&key) {
        anyhow!("--{}: {}", key.replace('_', "-"), error.message)
    } else if key.starts_with('[') {
        // Errors about the model do not belong to an option.
        anyhow!(error.message)
    } else if key == "position" {
        anyhow!("X Y Z: {}", error.message)
    } else {
        anyhow!("{}: {}", key.to_uppercase(), error.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus::opt::template::gait::Gait;
    use saltus::shipped;

    #[test]
    fn shipped_tasks_are_found_with_another_number_of_iterations() {
        for name in shipped::task_names() {
            let source = Source::named(Path::new(name), Some(3)).unwrap();
            assert_eq!((source.task.options.iterations, source.task.name.as_str()), (3, name));
        }
    }

    #[test]
    fn mistakes_name_the_option() {
        let error = |gait: Gait, iterations: Option<usize>| {
            let task = Task::gait("g", "no such model.xml", gait, Default::default());
            Source::template(task, LoadOptions::default(), iterations).unwrap_err().to_string()
        };
        let wish = || Gait::default();
        assert_eq!(
            error(Gait { steps: 2, ..wish() }, None),
            "--steps: expected a whole number from 5 to 1000, found 2"
        );
        assert!(error(wish(), Some(0)).starts_with("--iterations: expected a whole number from 1"));
        assert!(error(Gait { speed: Some(f64::NAN), ..wish() }, None).starts_with("--speed: expected a number of m/s"));
    }
}
