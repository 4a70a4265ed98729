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

/// Names that say nothing about a robot; many collections of models have one file with such a name
/// per folder.
const COMMON: [&str; 12] =
    ["", "mujoco model", "scene", "robot", "model", "main", "mjmodel", "world", "untitled", "mjcf", "urdf", "xml"];

/// A name for a model, which can be a file name: that in the file, or else that of the file or of
/// the nearest folder with a name that is not common to many models, such as `scene`.
pub fn model_name(place: impl AsRef<Path>, spec: &ModelSpec) -> String {
    let place = place.as_ref();
    let from_text = |name: &std::ffi::OsStr| name.to_string_lossy().into_owned();
    // The folder of a relative path may be the working directory.
    let whole = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    let folders = whole.ancestors().skip(1).filter_map(|folder| folder.file_name()).map(from_text);
    let names = [spec.name.clone()].into_iter().chain(place.file_stem().map(from_text)).chain(folders);
    let found = names
        .map(|name| file_name(&name))
        .find(|name| !COMMON.contains(&name.to_lowercase().replace('-', " ").as_str()));
    found.unwrap_or_else(|| "model".to_owned())
}

/// The name with everything that does not belong into names of files replaced by hyphens.
fn file_name(name: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let words = name.split(|c| !is_kept(c)).map(|word| word.trim_matches('.')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_after_themselves_or_their_folders() {
        let name =
            |place: &str, own: &str| model_name(place, &ModelSpec { name: own.to_owned(), ..Default::default() });
        assert_eq!(name("models/hopper.xml", "planar hopper"), "planar-hopper");
        assert_eq!(name("robots/go2/scene.xml", "go2 scene"), "go2-scene");
        assert_eq!(name("robots/go2/scene.xml", "scene"), "go2");
        assert_eq!(name("robots/go2/scene.xml", "MuJoCo Model"), "go2");
        assert_eq!(name("robots/go2/mjcf/robot.xml", ""), "go2");
        assert_eq!(name("robots/go2.xml", "MuJoCo Model"), "go2");
        assert_eq!(name("a/b.xml", "../../etc/passwd"), "etc-passwd");
        assert_eq!(name("a/b.xml", ".."), "b");
        assert_eq!(name("/scene.xml", ""), "model");
    }
}
