//! Folders that appear all or nothing: made beside their place under a temporary name, then renamed.

use super::SUMMARY;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder in the making; what is not committed disappears.
#[derive(Debug)]
pub struct Staging {
    temporary: PathBuf,
    target: PathBuf,
}

impl Staging {
    /// Makes the temporary folder. Refuses places that hold something other than a result.
    pub fn new(target: &Path) -> Result<Self> {
        let name = target.file_name().with_context(|| format!("{} is not a name for a folder", target.display()))?;
        check(target)?;
        let parent = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
        let temporary = parent.join(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
        // Left behind by a process of the same number that was killed.
        _ = fs::remove_dir_all(&temporary);
        fs::create_dir(&temporary).with_context(|| format!("cannot write in the folder {}", parent.display()))?;
        Ok(Self { temporary, target: target.to_owned() })
    }

    /// Whether a result could be written to `target`, to be known before long work.
    pub fn probe(target: &Path) -> Result<()> {
        Self::new(target).map(drop)
    }

    pub fn path(&self) -> &Path {
        &self.temporary
    }

    pub fn write(&self, name: &str, contents: &[u8]) -> Result<()> {
        let path = self.temporary.join(name);
        let write = || {
            let mut file = fs::File::create(&path)?;
            std::io::Write::write_all(&mut file, contents)?;
            file.sync_all()
        };
        write().with_context(|| format!("cannot write {name} for {}", self.target.display()))
    }

    /// Puts the folder in its place.
    pub fn commit(self) -> Result<()> {
        check(&self.target)?;
        if !self.target.exists() {
            return Ok(fs::rename(&self.temporary, &self.target)?);
        }
        let old = self.temporary.with_extension("old");
        fs::rename(&self.target, &old)?;
        if let Err(error) = fs::rename(&self.temporary, &self.target) {
            // The old result goes back; if even that fails, say where it is.
            if fs::rename(&old, &self.target).is_err() {
                bail!("{error}; the old result is now in {}", old.display());
            }
            return Err(error.into());
        }
        // The new result is in place; what cannot be removed of the old one does no harm.
        _ = fs::remove_dir_all(&old);
        Ok(())
    }
}

/// A place is free, empty, or has an older result in it.
fn check(target: &Path) -> Result<()> {
    if target.symlink_metadata().is_err() {
        return Ok(());
    }
    ensure!(target.is_dir(), "{} exists and is not a folder", target.display());
    let is_empty =
        fs::read_dir(target).with_context(|| format!("cannot read the folder {}", target.display()))?.next().is_none();
    ensure!(
        is_empty || target.join(SUMMARY).is_file(),
        "{} is not empty and has no {SUMMARY}: it is not a result and will not be replaced; choose another --out",
        target.display()
    );
    Ok(())
}

impl Drop for Staging {
    fn drop(&mut self) {
        // After a commit there is nothing there.
        _ = fs::remove_dir_all(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_replaced_whole_or_not_at_all() {
        let place = std::env::temp_dir().join(format!("saltus-staging-{}", std::process::id()));
        let target = place.join("result");
        let write = |text: &str| {
            let staging = Staging::new(&target).unwrap();
            staging.write(SUMMARY, text.as_bytes()).unwrap();
            staging
        };
        let read = || fs::read_to_string(target.join(SUMMARY)).unwrap();
        write("first").commit().unwrap();
        drop(write("second"));
        assert_eq!(read(), "first");
        write("third").commit().unwrap();
        assert_eq!(read(), "third");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "nothing temporary is left");
        let foreign = place.join("photographs");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("cat.jpg"), "cat").unwrap();
        assert!(Staging::new(&foreign).unwrap_err().to_string().contains("not a result"));
        fs::remove_dir_all(&place).unwrap();
    }
}
