//! Results of planning on disk: a folder with the motion, how it was found, what is needed to do it again, and pictures.

pub mod checkpoint;
mod columns;
mod folder;
mod model_text;
mod read;
mod summary;

pub use folder::Staging;
pub use model_text::self_contained;
pub use read::Stored;

use crate::table::{self, Format};
use anyhow::{Context, Result, ensure};
use saltus::Model;
use saltus::opt::result::plan::Plan;
use saltus::opt::task::Task;
use std::path::Path;

/// Version of the layout of result folders.
pub const FORMAT: u64 = 1;

pub const TRAJECTORY: &str = "trajectory.npz";
pub const SUMMARY: &str = "summary.json";
pub const CONVERGENCE: &str = "convergence.csv";
pub const CONTINUATION: &str = "continuation.csv";
pub const MODEL: &str = "model.xml";
/// The model for planning, with the law at the end of the path: what the plan is replayed on.
pub const PLAN_MODEL: &str = "plan_model.smb";
pub const TASK: &str = "task.toml";

/// The text of a task with the model beside it.
pub fn task_text(task: &Task) -> String {
    let beside = Task { model: MODEL.to_owned().into(), ..task.clone() };
    format!("# Do it again with: saltus optimize task.toml\n{}", beside.to_text())
}

/// What a result folder is made of.
#[derive(Debug)]
pub struct Contents<'a> {
    pub plan: &'a Plan,
    pub model: &'a Model,
    pub planning: &'a Model,
    pub model_text: &'a str,
    pub task_text: &'a str,
}

/// Draws what a result folder holds: names and contents of files.
pub type Draw = fn(&Stored) -> Result<Vec<(String, Vec<u8>)>>;

/// Writes the folder `target` all or nothing: an older result there is replaced only when the new one is complete.
pub fn write(target: &Path, contents: &Contents<'_>, draw: Draw) -> Result<()> {
    let plan = contents.plan;
    let staging = Staging::new(target)?;
    let arrays = columns::arrays(plan);
    let total: usize = arrays.iter().map(|a| a.values.len()).sum();
    ensure!(total <= table::MAX_NUMBERS, "the trajectory has {total} numbers, more than 1 GiB");
    staging.write(TRAJECTORY, &table::encode(&arrays, Format::Npz))?;
    let csv = |columns: &[table::Array]| table::encode(columns, Format::Csv);
    staging.write("trajectory.csv", &csv(&columns::named(plan, contents.model)))?;
    staging.write(CONVERGENCE, &csv(&columns::convergence(plan)))?;
    staging.write(CONTINUATION, &csv(&columns::continuation(plan)))?;
    staging.write(MODEL, contents.model_text.as_bytes())?;
    staging.write(PLAN_MODEL, &saltus::io::binary::save(contents.planning)?)?;
    staging.write(TASK, contents.task_text.as_bytes())?;
    let summary = summary::summary(plan, contents.model)?;
    staging.write(SUMMARY, (serde_json::to_string_pretty(&summary)? + "\n").as_bytes())?;
    // From the files, as `saltus plot` draws them.
    for (name, picture) in draw(&Stored::read(staging.path())?)? {
        staging.write(&name, &picture)?;
    }
    staging.commit().with_context(|| format!("cannot put the result in its place, {}", target.display()))
}
