//! Output files: checked before the computation and written atomically.

use anyhow::{Context, Result};
use std::path::Path;

/// Checks that [`write_file`] can write to `path`, so that errors appear before a long computation.
pub fn check_writable(path: &Path) -> Result<()> {
    let is_new = !path.exists();
    let cannot = || format!("cannot write {}", path.display());
    make_folder(path)?;
    std::fs::OpenOptions::new().append(true).create(true).open(path).with_context(cannot)?;
    if is_new { std::fs::remove_file(path).with_context(cannot) } else { Ok(()) }
}

fn make_folder(path: &Path) -> Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))
}

/// Writes a file atomically: to a temporary file in the same folder, which is then renamed.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    make_folder(path)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = std::fs::write(&temporary, contents).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        _ = std::fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}
