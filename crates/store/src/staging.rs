//! Atomic creation of folders: a folder is written beside its target under a temporary name and
//! then renamed.

use crate::error::StoreError;
use crate::file::{through_links, write_new};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is being written. It is removed unless it is committed.
#[derive(Debug)]
pub struct Staging {
    temporary: PathBuf,
    target: PathBuf,
    /// The file that identifies a folder as a result.
    mark: &'static str,
}

impl Staging {
    /// Creates the temporary folder. Refuses targets that contain anything other than a result,
    /// which is identified by a file `mark`.
    pub fn new(target: &Path, mark: &'static str) -> Result<Self, StoreError> {
        let target = &through_links(target);
        let Some(name) = target.file_name() else {
            return Err(StoreError::Place(format!("{} is not a name for a folder", target.display())));
        };
        check(target, mark)?;
        let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let cannot = |what: &str| StoreError::io(format!("cannot {what} the folder {}", parent.display()));
        fs::create_dir_all(parent).map_err(cannot("create"))?;
        let temporary = parent.join(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
        // May be left over from a killed process with the same id.
        _ = fs::remove_dir_all(&temporary);
        fs::create_dir(&temporary).map_err(cannot("write in"))?;
        Ok(Self { temporary, target: target.to_owned(), mark })
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), StoreError> {
        let cannot = StoreError::io(format!("cannot write {name} for {}", self.target.display()));
        write_new(&self.temporary.join(name), contents).map_err(cannot)
    }

    /// Moves the folder to its target.
    pub fn commit(self) -> Result<(), StoreError> {
        check(&self.target, self.mark)?;
        let place = self.target.display();
        let cannot = || StoreError::io(format!("cannot move the result to {place}"));
        if !self.target.exists() {
            return fs::rename(&self.temporary, &self.target).map_err(cannot());
        }
        let old = self.temporary.with_extension("old");
        fs::rename(&self.target, &old).map_err(cannot())?;
        if let Err(error) = fs::rename(&self.temporary, &self.target) {
            // Restore the old result; if even that fails, report where it is.
            if fs::rename(&old, &self.target).is_err() {
                let what = format!("cannot move the result to {place}; the old result is now in {}", old.display());
                return Err(StoreError::io(what)(error));
            }
            return Err(cannot()(error));
        }
        // The new result is in place; remains of the old one are harmless.
        _ = fs::remove_dir_all(&old);
        Ok(())
    }
}

/// Checks that a target does not exist, is empty, or contains an older result.
fn check(target: &Path, mark: &str) -> Result<(), StoreError> {
    if target.symlink_metadata().is_err() {
        return Ok(());
    }
    let place = target.display();
    if !target.is_dir() {
        return Err(StoreError::Place(format!("{place} exists and is not a folder")));
    }
    let cannot = StoreError::io(format!("cannot read the folder {place}"));
    let is_empty = fs::read_dir(target).map_err(cannot)?.next().is_none();
    if is_empty || target.join(mark).is_file() {
        return Ok(());
    }
    Err(StoreError::Place(format!(
        "{place} is not empty and has no {mark}: it is not a result and will not be replaced; choose another folder"
    )))
}

impl Drop for Staging {
    fn drop(&mut self) {
        // After a commit the temporary folder no longer exists.
        _ = fs::remove_dir_all(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "summary.json";

    #[test]
    fn a_result_is_replaced_whole_or_not_at_all() {
        let place = std::env::temp_dir().join(format!("saltus-staging-{}", std::process::id()));
        let target = place.join("result");
        let write = |text: &str| {
            let staging = Staging::new(&target, MARK).unwrap();
            staging.write(MARK, text.as_bytes()).unwrap();
            staging
        };
        let read = || fs::read_to_string(target.join(MARK)).unwrap();
        write("first").commit().unwrap();
        drop(write("second"));
        assert_eq!(read(), "first");
        write("third").commit().unwrap();
        assert_eq!(read(), "third");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "nothing temporary is left");
        let foreign = place.join("photographs");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("cat.jpg"), "cat").unwrap();
        assert!(Staging::new(&foreign, MARK).unwrap_err().to_string().contains("not a result"));
        fs::remove_dir_all(&place).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_stays() {
        let place = std::env::temp_dir().join(format!("saltus-staging-link-{}", std::process::id()));
        fs::create_dir_all(place.join("disk")).unwrap();
        std::os::unix::fs::symlink("disk", place.join("out")).unwrap();
        let staging = Staging::new(&place.join("out"), MARK).unwrap();
        staging.write(MARK, b"new").unwrap();
        staging.commit().unwrap();
        assert!(place.join("out").is_symlink() && place.join("disk").join(MARK).is_file());
        fs::remove_dir_all(&place).unwrap();
    }
}
