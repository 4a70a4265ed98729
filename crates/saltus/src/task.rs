//! Finding tasks and their models.

use crate::{Error, LoadError, LoadOptions, load_spec, shipped};
use saltus_opt::task::{Task, TaskError};
use saltus_sim::ModelSpec;
use std::path::Path;

/// Loads the built-in task of this name, or a file with the extension `.toml`.
pub fn load_task(place: impl AsRef<Path>) -> Result<Task, Error> {
    let place = place.as_ref();
    let name = place.display().to_string();
    if place.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        let text = std::fs::read_to_string(place).map_err(|source| LoadError::Io { path: name.clone(), source })?;
        return Ok(Task::parse(&text, &name)?);
    }
    match shipped::task(&name) {
        Some(text) => Ok(Task::parse(text, &format!("{name}.toml"))?),
        None => Err(Error::UnknownTask { name, known: shipped::task_names().join(", ") }),
    }
}

/// Loads the model of a task: a built-in model, MJCF or URDF text, or a file relative to the task's
/// own.
pub fn load_model(task: &Task) -> Result<ModelSpec, TaskError> {
    let place = &task.model.value;
    let text = shipped::model(place).or(place.trim_start().starts_with('<').then_some(place));
    let spec = match text {
        Some(text) => saltus_io::read_str(text, &Default::default()).map_err(LoadError::from),
        None => load_spec(Path::new(&task.file).with_file_name(place)),
    };
    let options = LoadOptions { floating_base: task.floating_base, motors: task.motors };
    let ready = spec.and_then(|mut spec| options.apply(&mut spec, place).map(|()| spec));
    ready.map_err(|e| TaskError {
        file: task.file.clone(),
        line: task.model.line.0,
        key: "model".to_owned(),
        message: e.to_string(),
    })
}
