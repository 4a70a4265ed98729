//! Built-in tasks and models, the same for the command line and the Python package.

use crate::published;
use saltus_opt::task::{Task, TaskError};

/// The MJCF of the humanoid.
pub const HUMANOID: &str = include_str!("../models/humanoid.xml");
/// The MJCF of the Atlas-like robot with Sandia-like hands.
pub const ATLAS: &str = include_str!("../models/atlas.xml");

const TASKS: [(&str, &str); 10] = [
    ("walk", include_str!("../tasks/walk.toml")),
    ("trot", include_str!("../tasks/trot.toml")),
    ("bound", include_str!("../tasks/bound.toml")),
    ("hop", include_str!("../tasks/hop.toml")),
    ("spin", include_str!("../tasks/spin.toml")),
    ("push", include_str!("../tasks/push.toml")),
    ("roll", include_str!("../tasks/roll.toml")),
    ("getup", include_str!("../tasks/getup.toml")),
    ("run", include_str!("../tasks/run.toml")),
    ("climb", include_str!("../tasks/climb.toml")),
];

const MODELS: [(&str, &str); 8] = [
    ("humanoid", HUMANOID),
    ("atlas", ATLAS),
    ("quadruped", include_str!("../models/quadruped.xml")),
    ("hopper", include_str!("../models/hopper.xml")),
    ("finger", include_str!("../models/finger.xml")),
    ("arm", include_str!("../models/arm.xml")),
    ("step", include_str!("../models/step.xml")),
    ("palm", include_str!("../models/palm.xml")),
];

/// The text of a built-in task.
pub fn task(name: &str) -> Option<&'static str> {
    find(&TASKS, name).or_else(|| find(&published::TASKS, name))
}

/// The MJCF of a built-in model.
pub fn model(name: &str) -> Option<&'static str> {
    find(&MODELS, name).or_else(|| find(&published::MODELS, name))
}

/// The names of all built-in tasks.
pub fn task_names() -> Vec<&'static str> {
    TASKS.iter().chain(&published::TASKS).map(|(name, _)| *name).collect()
}

/// All built-in tasks, parsed.
pub fn tasks() -> Result<Vec<Task>, TaskError> {
    TASKS.iter().chain(&published::TASKS).map(|(name, text)| Task::parse(text, &format!("{name}.toml"))).collect()
}

fn find(all: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    all.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_sim::compiler::compiled_models;

    #[test]
    fn shipped_tasks_have_their_models_and_can_be_set_up() {
        for (task, name) in tasks().unwrap().into_iter().zip(task_names()) {
            assert_eq!(task.name, name);
            assert!(!task.about.is_empty());
            let spec = saltus_io::mjcf::read_str(model(&task.model.value).unwrap(), &Default::default()).unwrap();
            assert_eq!(Task::parse(&task.to_text(), &task.file).unwrap(), task);
            let before = compiled_models();
            task.problem(&spec).unwrap();
            assert_eq!(compiled_models() - before, 2, "{name}: the model and its planning twin");
        }
        for (name, text) in MODELS {
            let spec = saltus_io::mjcf::read_str(text, &Default::default()).unwrap();
            saltus_sim::compile(&spec).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}
