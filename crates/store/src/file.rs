//! Single files: read with a size limit, written atomically.

use crate::error::StoreError;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum size of a file to read, in bytes: 1 GiB.
pub const MAX_BYTES: usize = 1 << 30;

/// The contents of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(StoreError::io(format!("cannot read {}", path.display())))?;
    if bytes.len() > MAX_BYTES {
        return Err(StoreError::content(path, "the file is larger than 1 GiB"));
    }
    Ok(bytes)
}

/// The contents of a text file.
pub(crate) fn read_text(path: &Path) -> Result<String, StoreError> {
    String::from_utf8(read(path)?).map_err(|_| StoreError::content(path, "expected text in UTF-8"))
}

/// Writes a new file and waits until it is on disk.
pub(crate) fn write_new(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// The place that a path leads to if it is a symbolic link, which need not exist yet; otherwise the
/// path itself.
pub(crate) fn through_links(path: &Path) -> PathBuf {
    // Links that lead in a circle are left to the error of the operating system.
    const MAX_LINKS: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = std::fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    place
}

/// Writes a file atomically: to a temporary file beside it, which is then renamed. Creates the
/// folder if it does not exist. A symbolic link stays; the file that it leads to is written.
pub fn replace(path: &Path, contents: &[u8]) -> Result<(), StoreError> {
    let path = &through_links(path);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(StoreError::io(format!("cannot create the folder {}", folder.display())))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = std::fs::write(&temporary, contents).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        _ = std::fs::remove_file(&temporary);
    }
    written.map_err(StoreError::io(format!("cannot write {}", path.display())))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_stay_and_the_files_behind_them_are_written() {
        let folder = std::env::temp_dir().join(format!("saltus-links-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("data")).unwrap();
        std::fs::write(folder.join("data/a.csv"), "old").unwrap();
        symlink("data/a.csv", folder.join("a.csv")).unwrap();
        symlink("a.csv", folder.join("again.csv")).unwrap();
        symlink("data/new.csv", folder.join("new.csv")).unwrap();
        for (link, file) in [("a.csv", "data/a.csv"), ("again.csv", "data/a.csv"), ("new.csv", "data/new.csv")] {
            replace(&folder.join(link), link.as_bytes()).unwrap();
            assert!(folder.join(link).symlink_metadata().unwrap().is_symlink(), "{link}");
            assert_eq!(std::fs::read_to_string(folder.join(file)).unwrap(), link);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
