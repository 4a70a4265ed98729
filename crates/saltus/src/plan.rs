//! Planning in one call. See `opt` for the full interface.

use crate::{Error, task};
use saltus_opt::result::plan::Plan;
use std::path::Path;

/// Plans a motion: `task` is the name of a built-in task ("walk", …) or a `.toml` file.
///
/// ```no_run
/// let plan = saltus::plan("walk")?;
/// println!("{}: {:?} after {} iterations", plan.name, plan.status, plan.iterations);
/// # Ok::<(), saltus::Error>(())
/// ```
pub fn plan(task: impl AsRef<Path>) -> Result<Plan, Error> {
    let task = task::load_task(task)?;
    let spec = task::load_model(&task)?;
    Ok(task.problem(&spec)?.optimize(&mut |_| true)?)
}
