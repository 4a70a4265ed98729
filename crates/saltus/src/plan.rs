//! Planning in one call. `opt` has all of it.

use crate::{Error, shipped, task};
use saltus_opt::result::plan::Plan;
use saltus_opt::task::Task;
use std::path::Path;

/// Plans a motion: `task` is the name of one that comes with Saltus ("walk", …) or a `.toml` file.
///
/// ```no_run
/// let plan = saltus::plan("walk")?;
/// println!("{}: {:?} after {} iterations", plan.name, plan.status, plan.iterations);
/// # Ok::<(), saltus::Error>(())
/// ```
pub fn plan(task: impl AsRef<Path>) -> Result<Plan, Error> {
    let file = task.as_ref();
    let shipped = file.to_str().and_then(shipped::task);
    let text = match shipped {
        Some(text) => text.to_owned(),
        None => std::fs::read_to_string(file)
            .map_err(|source| crate::LoadError::Io { path: file.display().to_string(), source })?,
    };
    let task = Task::parse(&text, &file.display().to_string())?;
    let spec = task::load_model(&task, file)?;
    Ok(task.setup(&spec)?.optimize(&mut |_| true)?)
}
