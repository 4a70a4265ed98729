//! Standard output. A reader that went away, such as `head`, is no error: nothing more is printed,
//! but work goes on and files are written. Any other failure, such as a full device, is the error
//! of the command when its work is done.
//!
//! Standard error has progress, warnings and errors. If it cannot be written, nothing can be said
//! about it, and work goes on.

use anyhow::{Result, anyhow};
use serde::Serialize;
use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Write, stderr, stdout};
use std::sync::Mutex;

/// State of the output.
struct State {
    failed: Option<Error>,
    has_json: bool,
}

static STATE: Mutex<State> = Mutex::new(State { failed: None, has_json: false });

fn with_state<T>(f: impl FnOnce(&mut State) -> T) -> T {
    // Nothing that holds the lock panics.
    f(&mut STATE.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// Prints a line, as `println!` does.
macro_rules! say {
    ($($what:tt)*) => { $crate::output::line(format_args!($($what)*)) };
}
pub(crate) use say;

/// The function behind `say!`.
pub fn line(text: Arguments<'_>) {
    with_state(|state| {
        if state.failed.is_none() {
            let mut out = stdout().lock();
            state.failed = out.write_fmt(text).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).err();
        }
    });
}

/// Prints a line to standard error. Unlike `eprintln!`, it does not panic if that is full or
/// closed.
macro_rules! note {
    ($($what:tt)*) => { $crate::output::note_line(format_args!($($what)*)) };
}
pub(crate) use note;

/// The function behind `note!`.
pub fn note_line(text: Arguments<'_>) {
    // In one piece, so that lines of several threads do not mix.
    _ = stderr().write_all(format!("{text}\n").as_bytes());
}

/// Prints the JSON document of a command.
pub fn json(report: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(report)?;
    with_state(|state| state.has_json = true);
    say!("{text}");
    Ok(())
}

/// Prints an error: as a JSON document if --json is given and no document has been printed yet,
/// otherwise as text.
pub fn error(message: &str) {
    let document = serde_json::json!({ "error": message });
    match (wants_json(), with_state(|state| state.has_json)) {
        (false, _) => note!("error: {message}"),
        (true, true) => note!("{document}"),
        (true, false) => say!("{document:#}"),
    }
}

/// Whether --json is given. Errors need to know this before the command line is parsed.
pub fn wants_json() -> bool {
    std::env::args_os().any(|word| word == "--json")
}

/// An error if the output could not be written; a closed pipe is not an error.
pub fn finish() -> Result<()> {
    match with_state(|state| state.failed.take()) {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(anyhow!("cannot print the result: {error}")),
        _ => Ok(()),
    }
}

/// Prints a command-line error or a help text and ends the process.
pub fn exit_with(wrong: &clap::Error) -> ! {
    if wrong.use_stderr() && wants_json() {
        error(wrong.render().to_string().trim().trim_start_matches("error: "));
        std::process::exit(wrong.exit_code());
    }
    wrong.exit()
}
