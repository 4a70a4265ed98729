//! From text to a task, table by table. Every key and every range of values is here.

mod contact;
mod motion;
mod solver;
mod template;
mod term;

pub(super) use contact::LAWS;
pub use solver::MAX_THREADS;
pub(super) use solver::METHODS;

use super::error::TaskError;
use super::table::{Table, TableKeys};
use super::{Pose, Task, TaskKind, TermTask};
use std::ops::RangeInclusive;
use std::path::Path;

pub(super) type Result<T> = core::result::Result<T, TaskError>;

/// The format of task files. A file without the key `format` has format 1, whose defaults must not
/// change.
pub(super) const FORMAT: usize = 1;

/// Counts such as seeds and iterations.
const COUNTS: RangeInclusive<usize> = 1..=1_000_000;

impl Task {
    /// Reads a task; `file` is for messages.
    pub fn parse(text: &str, file: &str) -> Result<Task> {
        Self::parse_with_keys(text, file).map(|(task, _)| task)
    }

    /// Reads a task, and says which keys its tables may have.
    pub fn parse_with_keys(text: &str, file: &str) -> Result<(Task, Vec<TableKeys>)> {
        let parsed = Table::parse(text).and_then(|top| {
            let keys = top.keys();
            let task = parse(top, file)?;
            let keys = keys.borrow().clone();
            Ok((task, keys))
        });
        parsed.map_err(|e| e.in_file(file))
    }
}

fn parse(mut top: Table, file: &str) -> Result<Task> {
    let format = top.count("format", COUNTS)?.unwrap_or(FORMAT);
    if format != FORMAT {
        let message = format!("this version of Saltus reads task files of format {FORMAT}, found {format}");
        return Err(TaskError::at(top.line, top.key("format"), message));
    }
    let name = top.text("name")?.ok_or_else(|| top.missing("name", "a short text"))?;
    // The result folder has this name.
    if Path::new(&name.value).file_name().is_none_or(|file| file != name.value.as_str()) {
        let message = format!("expected a name that a folder can have, found {:?}", name.value);
        return Err(TaskError::at(name.line, top.key("name"), message));
    }
    let about = top.text("about")?.map_or(String::new(), |t| t.value);
    let model = top.text("model")?.ok_or_else(|| top.missing("model", "the name of a model or of its file"))?;
    let floating_base = top.flag("floating_base")?.unwrap_or(false);
    let motors = top.flag("motors")?.unwrap_or(false);
    let kind = parse_kind(&mut top)?;
    let contact = contact::parse(top.table_or_empty("contact")?, matches!(kind, TaskKind::Motion(_)))?;
    let options = solver::parse(top.table_or_empty("solver")?)?;
    let terms = top.tables("term")?.into_iter().map(TermTask::parse).collect::<Result<Vec<_>>>()?;
    top.finish()?;
    Ok(Task {
        file: file.to_owned(),
        name: name.value,
        about,
        model,
        floating_base,
        motors,
        kind,
        contact,
        terms,
        options,
    })
}

/// What to do: one of the templates, or a motion with its guess.
fn parse_kind(top: &mut Table) -> Result<TaskKind> {
    let (motion, guess) = (top.table("motion")?, top.table("guess")?);
    let mut found: Option<(TaskKind, &'static str)> = None;
    for word in template::WORDS {
        let Some(table) = top.table(word)? else { continue };
        if let Some((_, other)) = &found {
            let message = format!("a task has one template: [{other}] or [{word}]");
            return Err(TaskError::at(table.line, format!("[{word}]"), message));
        }
        found = Some((template::parse(word, table)?, word));
    }
    match (found, motion, guess) {
        (Some((_, word)), Some(motion), _) => {
            let message = format!("a task has either a [{word}] or a [motion]");
            Err(TaskError::at(motion.line, "[motion]", message))
        }
        (Some((_, word)), None, Some(guess)) => {
            Err(TaskError::at(guess.line, "[guess]", format!("a {word} makes its own guess")))
        }
        (Some((kind, _)), None, None) => Ok(kind),
        (None, Some(motion), guess) => {
            let guess = guess.map_or_else(|| top.table_or_empty("guess"), Ok)?;
            Ok(TaskKind::Motion(motion::parse(motion, guess)?))
        }
        (None, None, _) => {
            Err(top.missing("[motion]", "what to do: a table [gait], [stand], [reach], [jump] or [motion]"))
        }
    }
}

/// A configuration: `keyframe`, or coordinates under `key`.
fn take_pose(table: &mut Table, key: &'static str) -> Result<Option<Pose>> {
    let (name, q) = (table.text("keyframe")?, table.numbers(key)?);
    match (name, q) {
        (Some(name), Some(_)) => {
            let message = format!("either keyframe or {key} is expected, not both");
            Err(TaskError::at(name.line, table.key("keyframe"), message))
        }
        (Some(name), None) => Ok(Some(Pose::Keyframe(name))),
        (None, Some(q)) => Ok(Some(Pose::Coordinates(q))),
        (None, None) => Ok(None),
    }
}
