//! Result folders of planned motions: the motion, the history of the optimization, and all inputs
//! needed to repeat it.

mod columns;
mod model_text;
mod other;
mod read;
mod summary;
mod write;

pub use model_text::model_text;
pub use other::other_task;
pub use write::probe;

use crate::error::StoreError;
use saltus_opt::planning::PlanningProblem;
use saltus_opt::result::plan::Plan;
use saltus_opt::task::Task;
use saltus_sim::{Model, ModelSpec};
use std::path::Path;

/// Version of the layout of result folders. Format 1 can also be read.
const FORMAT: u64 = 2;

/// The model with its original collision geometry, as MJCF that references no other file.
pub const MODEL: &str = "model.xml";
/// The planning model, with the contact law at the end of the continuation. The plan is replayed on
/// it.
pub const PLAN_MODEL: &str = "plan_model.smb";
/// All data of the plan except its arrays.
const SUMMARY: &str = "summary.json";
/// The arrays of the plan.
const TRAJECTORY: &str = "trajectory.npz";
/// The same for spreadsheets; this file is never read.
const TRAJECTORY_TEXT: &str = "trajectory.csv";
/// The iterations of the optimizer.
const CONVERGENCE: &str = "convergence.csv";
/// The points of the continuation.
const CONTINUATION: &str = "continuation.csv";
/// The task, which repeats the optimization.
const TASK: &str = "task.toml";

/// The text of a task for a result folder, with the model beside it.
pub fn task_text(task: &Task) -> String {
    let beside = Task { model: MODEL.to_owned().into(), ..task.clone() };
    format!("# Do it again with: saltus optimize task.toml\n{}", beside.to_text())
}

/// The contents of a result folder: a plan with its models and its task.
#[derive(Clone, Debug)]
pub struct StoredPlan {
    /// The plan.
    pub plan: Plan,
    /// The model of the robot in its editable form.
    pub spec: ModelSpec,
    /// The same, compiled: the model with its original collision geometry.
    pub own: Model,
    /// The planning model of `own`, with the contact geometry, the time step and the contact law of
    /// the plan.
    pub planning: Model,
    /// The task as the text of a task file, whose model is [`MODEL`].
    pub task_text: String,
}

impl StoredPlan {
    /// The result of a finished run of a task.
    pub fn new(plan: Plan, problem: PlanningProblem, task: &Task) -> Self {
        let PlanningProblem { spec, own, problem, .. } = problem;
        Self { plan, spec, own, planning: problem.model, task_text: task_text(task) }
    }

    /// Reads a folder. All contents are validated, since files may come from anywhere.
    ///
    /// The plan is equal to the saved one, with one exception: scalars that are not finite are null
    /// in `summary.json` and are read as NaN. Those in arrays and tables are preserved.
    ///
    /// Folders of format 1 are less complete. Step errors are recomputed from the states. In
    /// verdicts, the number of contacts is zero and the smallest gap is NaN. Violations are ordered
    /// by name. If several terms have the same name, all but the last one have the cost NaN. A term
    /// of a task file that has the name of one of the planner's own terms is taken for that one.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        read::load(folder.as_ref())
    }

    /// Writes a folder atomically: an older result is replaced, with all of its files, only when
    /// the new one is complete. Folders that contain anything other than a result are refused.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), StoreError> {
        self.save_with(folder, |_| Ok(Vec::new()))
    }

    /// As [`StoredPlan::save`], with additional files, such as pictures, given by name and
    /// contents.
    pub fn save_with<E: From<StoreError>>(
        &self,
        folder: impl AsRef<Path>,
        more: impl FnOnce(&Self) -> Result<Vec<(String, Vec<u8>)>, E>,
    ) -> Result<(), E> {
        let staging = write::stage(self, folder.as_ref())?;
        for (name, contents) in more(self)? {
            staging.write(&name, &contents)?;
        }
        Ok(staging.commit()?)
    }
}
