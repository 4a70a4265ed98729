//! Comparison of the result in a folder with a task that is about to be run, so that a result of
//! another task is not lost.

use super::{MODEL, SUMMARY, TASK};
use std::fs::read_to_string;
use std::path::Path;

/// Table of a task file that says how to optimize, not what.
const SOLVER: &str = "[solver]";

/// Says how the result in `folder` differs from one of this model and task, which are texts as
/// [`model_text`](super::model_text) and [`task_text`](super::task_text) return them. Settings of
/// the solver are not compared. `None` if the folder has no result, or one of the same task.
pub fn other_task(folder: &Path, model: &str, task: &str) -> Option<String> {
    if !folder.join(SUMMARY).is_file() {
        return None;
    }
    let (Ok(old_model), Ok(old_task)) = (read_to_string(folder.join(MODEL)), read_to_string(folder.join(TASK))) else {
        return Some("its model or its task cannot be read".to_owned());
    };
    let (old, new) = (goal_lines(&old_task), goal_lines(task));
    let unlike = |a: &[&str], b: &[&str]| a.iter().find(|line| !b.contains(line)).map(|line| line.trim().to_owned());
    match (unlike(&old, &new), unlike(&new, &old)) {
        (Some(old), Some(new)) => Some(format!("it has `{old}`, and now `{new}` is asked for")),
        (Some(old), None) => Some(format!("it has `{old}`, which is not asked for now")),
        (None, Some(new)) => Some(format!("it does not have `{new}`")),
        (None, None) if old != new => Some("the parts of its task have another order".to_owned()),
        (None, None) => (old_model != model).then(|| "its model differs".to_owned()),
    }
}

/// The lines of a task that say what is to be done, without comments and settings of the solver.
fn goal_lines(task: &str) -> Vec<&str> {
    let mut is_solver = false;
    let mut keep = |line: &&str| {
        if line.starts_with('[') {
            is_solver = *line == SOLVER;
        }
        !is_solver && !line.is_empty() && !line.starts_with('#')
    };
    task.lines().filter(|line| keep(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_task_is_told_from_the_same_one() {
        let place = std::env::temp_dir().join(format!("saltus-other-{}", std::process::id()));
        let task = "# Do it\nname = \"a\"\n\n[gait]\nspeed = 0.5\nsteps = 20\n\n[solver]\niterations = 9\n";
        assert_eq!(other_task(&place, "m", task), None, "no folder");
        std::fs::create_dir_all(&place).unwrap();
        let write = |name: &str, text: &str| std::fs::write(place.join(name), text).unwrap();
        write("model.xml", "m");
        write("task.toml", task);
        assert_eq!(other_task(&place, "m", task), None, "not a result");
        write("summary.json", "{}");
        let differs = |model: &str, task: &str| other_task(&place, model, task);
        assert_eq!(differs("m", task), None);
        assert_eq!(differs("m", &task.replace("iterations = 9", "iterations = 8")), None);
        assert_eq!(differs("n", task).as_deref(), Some("its model differs"));
        let faster = differs("m", &task.replace("0.5", "0.6"));
        assert_eq!(faster.as_deref(), Some("it has `speed = 0.5`, and now `speed = 0.6` is asked for"));
        assert!(differs("m", &task.replace("steps = 20\n", "")).unwrap().contains("not asked for now"));
        assert!(differs("m", &task.replace("[gait]", "[gait]\nseed = 2")).unwrap().contains("not have `seed = 2`"));
        std::fs::remove_file(place.join("task.toml")).unwrap();
        assert!(differs("m", task).is_some());
        std::fs::remove_dir_all(&place).unwrap();
    }
}
