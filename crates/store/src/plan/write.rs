//! Writing result folders.

use super::{
    CONTINUATION, CONVERGENCE, MODEL, PLAN_MODEL, SUMMARY, StoredPlan, TASK, TRAJECTORY, TRAJECTORY_TEXT, columns,
    model_text, summary,
};
use crate::error::StoreError;
use crate::staging::Staging;
use crate::table::{self, Array, Format};
use std::path::Path;

/// Checks that a result can be written to `folder`, before a long computation.
pub fn probe(folder: &Path) -> Result<(), StoreError> {
    Staging::new(folder, SUMMARY).map(drop)
}

/// The folder with all files of a plan, before it is moved to its place.
pub fn stage(stored: &StoredPlan, folder: &Path) -> Result<Staging, StoreError> {
    let StoredPlan { plan, spec, own, planning, task_text } = stored;
    let staging = Staging::new(folder, SUMMARY)?;
    let arrays = columns::arrays(plan);
    let total: usize = arrays.iter().map(|a| a.values.len()).sum();
    if total > table::MAX_NUMBERS {
        let message = format!("the trajectory has {total} numbers, more than 1 GiB");
        return Err(StoreError::content(&folder.join(TRAJECTORY), message));
    }
    staging.write(TRAJECTORY, &table::encode(&arrays, Format::Npz))?;
    let csv = |columns: &[Array]| table::encode(columns, Format::Csv);
    staging.write(TRAJECTORY_TEXT, &csv(&columns::named(plan, own)))?;
    staging.write(CONVERGENCE, &csv(&columns::convergence(plan)))?;
    staging.write(CONTINUATION, &csv(&columns::continuation(plan)))?;
    staging.write(MODEL, model_text(spec).as_bytes())?;
    let model = saltus_io::binary::save(planning).map_err(|cause| StoreError::PlanningModel {
        path: folder.join(PLAN_MODEL).display().to_string(),
        cause: cause.into(),
    })?;
    staging.write(PLAN_MODEL, &model)?;
    staging.write(TASK, task_text.as_bytes())?;
    staging.write(SUMMARY, format!("{:#}\n", summary::write(plan, own)).as_bytes())?;
    Ok(staging)
}
