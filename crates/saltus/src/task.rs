//! Tasks with their models: where the model of a task is, and which numbers of a task make sense.

use crate::{LoadError, load_spec, shipped};
use saltus_opt::solve::optimize::OptimizeOptions;
use saltus_opt::task::{Task, What};
use saltus_sim::ModelSpec;
use std::path::Path;

/// Largest whole number in task files; the smallest is 1.
const MAX_COUNT: usize = 1_000_000;
/// Most threads that a run may ask for.
pub const MAX_THREADS: usize = 1024;

/// The model of a task: one that comes with Saltus, MJCF or URDF text, or a file beside the task's own, `file`.
pub fn load_model(task: &Task, file: &Path) -> Result<ModelSpec, LoadError> {
    let place = &task.model.value;
    if let Some(text) = shipped::model(place).or(place.trim_start().starts_with('<').then_some(place)) {
        return Ok(saltus_io::read_str(text, &Default::default())?);
    }
    load_spec(file.with_file_name(place))
}

/// Refuses numbers that make no sense.
pub fn check(what: &What, options: &OptimizeOptions) -> Result<(), String> {
    let ensure = |holds: bool, message: String| if holds { Ok(()) } else { Err(message) };
    let count = options.iterations;
    ensure(count > 0, "iterations must be at least 1".to_owned())?;
    ensure(count <= MAX_COUNT, format!("iterations must be at most {MAX_COUNT}, not {count}"))?;
    let threads = options.threads;
    ensure(threads <= MAX_THREADS, format!("threads must be at most {MAX_THREADS}, not {threads}"))?;
    let steps = match what {
        What::Gait { gait, .. } => {
            if let Some(speed) = gait.speed {
                let is_sane = speed.is_finite() && speed.abs() <= 100.0;
                ensure(is_sane, format!("speed must be a number of m/s up to 100, not {speed}"))?;
            }
            if let Some(period) = gait.period {
                let is_sane = period.is_finite() && period > 0.0;
                ensure(is_sane, format!("period must be a positive number of seconds, not {period}"))?;
            }
            let is_sane = (1..=MAX_COUNT as u64).contains(&gait.seed);
            ensure(is_sane, format!("seed must be between 1 and {MAX_COUNT}, not {}", gait.seed))?;
            gait.steps
        }
        What::Goal { goal, .. } => {
            if let Some(time) = goal.time {
                let is_sane = time.is_finite() && time > 0.0;
                ensure(is_sane, format!("time must be a positive number of seconds, not {time}"))?;
            }
            goal.steps.unwrap_or(5)
        }
        What::Motion(motion) => motion.steps,
    };
    ensure((5..=1000).contains(&steps), format!("steps must be between 5 and 1000, not {steps}"))
}
