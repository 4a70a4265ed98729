//! Folders of planned motions: the motion, how it was found, and what is needed to do it again.

mod columns;
mod model_text;
mod read;
mod summary;
mod write;

pub use model_text::model_text;
pub use write::probe;

use crate::error::StoreError;
use saltus_opt::planning::PlanningProblem;
use saltus_opt::result::plan::Plan;
use saltus_opt::task::Task;
use saltus_sim::{Model, ModelSpec};
use std::path::Path;

/// Version of the layout of result folders. Format 1 is read too.
const FORMAT: u64 = 2;

/// The model with its own shapes, as MJCF that needs no other file.
pub const MODEL: &str = "model.xml";
/// The model for planning, with the law at the end of the path: what the plan is replayed on.
pub const PLAN_MODEL: &str = "plan_model.smb";
/// Everything of the plan but its arrays.
const SUMMARY: &str = "summary.json";
/// The arrays of the plan.
const TRAJECTORY: &str = "trajectory.npz";
/// The same for spreadsheets; it is not read.
const TRAJECTORY_TEXT: &str = "trajectory.csv";
/// The iterations of the optimizer.
const CONVERGENCE: &str = "convergence.csv";
/// The points of the path of continuation.
const CONTINUATION: &str = "continuation.csv";
/// The task, from which the plan can be made again.
const TASK: &str = "task.toml";

/// The text of a task for a result folder, with the model beside it.
pub fn task_text(task: &Task) -> String {
    let beside = Task { model: MODEL.to_owned().into(), ..task.clone() };
    format!("# Do it again with: saltus optimize task.toml\n{}", beside.to_text())
}

/// What a result folder holds: a plan with its models and its task.
#[derive(Clone, Debug)]
pub struct StoredPlan {
    /// The plan.
    pub plan: Plan,
    /// The model that was planned for, in its editable form.
    pub spec: ModelSpec,
    /// The same, compiled: the model with its own shapes.
    pub own: Model,
    /// The planning twin of `own`, with the contact geometry, the time step and the contact law of
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

    /// Reads a folder. All of it is checked: files may come from anywhere.
    ///
    /// The plan is equal to the one that was saved. One thing differs: single numbers that are not
    /// finite are null in `summary.json` and are read as NaN; those of arrays and tables are kept.
    ///
    /// Folders of format 1 lack some of it. Errors of steps are computed anew from the states. In
    /// verdicts, the number of contacts is zero and the smallest gap is NaN. Violations are in the
    /// order of their names, and of several terms with the same name all but the last one have the
    /// cost NaN. A term of a task file that has the name of one of the planner's own terms is taken
    /// for that one.
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, StoreError> {
        read::load(folder.as_ref())
    }

    /// Writes a folder, all or nothing: an older result there is replaced, with all of its files,
    /// only when the new one is complete. Places that hold something else than a result are
    /// refused.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), StoreError> {
        self.save_with(folder, |_| Ok(Vec::new()))
    }

    /// As [`StoredPlan::save`], with more files in the same step, such as pictures: their names and
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
