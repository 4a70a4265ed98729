//! Output files: checked before the computation and written atomically.

pub use saltus::store::file::replace as write_file;

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
