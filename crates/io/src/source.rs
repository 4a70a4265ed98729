//! Sources of the files of a model: a directory tree, a map in memory, or both.

use crate::error::ReadError;
use saltus_sim::ModelSpec;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum size of a file, bytes.
const MAX_FILE: u64 = 1 << 30;

/// Access to files by name. Names use `/`; relative names start at the directory of the main model
/// file.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    store: Store<'a>,
}

#[derive(Clone, Debug)]
enum Store<'a> {
    Disk {
        dir: PathBuf,
    },
    Memory {
        assets: &'a BTreeMap<String, Vec<u8>>,
        dir: String,
    },
    /// A map and then, for files that it lacks, the directory `dir` below `base`.
    Layered {
        assets: &'a BTreeMap<String, Vec<u8>>,
        dir: String,
        base: PathBuf,
    },
}

impl<'a> Source<'a> {
    /// Files on disk, with names relative to `dir`.
    pub fn disk(dir: impl Into<PathBuf>) -> Self {
        Self { store: Store::Disk { dir: dir.into() } }
    }

    /// Files in a map only. No file on disk is ever opened.
    pub fn memory(assets: &'a BTreeMap<String, Vec<u8>>) -> Self {
        Self { store: Store::Memory { assets, dir: String::new() } }
    }

    /// Files in a map and, for files that it lacks, on disk with names relative to `base`.
    pub fn layered(assets: &'a BTreeMap<String, Vec<u8>>, base: impl Into<PathBuf>) -> Self {
        Self { store: Store::Layered { assets, dir: String::new(), base: base.into() } }
    }

    /// The same files, with names relative to a subdirectory (or, with `..`, a parent directory).
    #[must_use]
    pub fn inside(&self, dir: &str) -> Self {
        let store = match &self.store {
            Store::Disk { dir: base } => Store::Disk { dir: base.join(dir) },
            Store::Memory { assets, dir: base } => Store::Memory { assets, dir: join(base, dir) },
            Store::Layered { assets, dir: above, base } => {
                Store::Layered { assets, dir: join(above, dir), base: base.clone() }
            }
        };
        Self { store }
    }

    /// Whether a file of this name can be read.
    pub fn has(&self, name: &str) -> bool {
        match &self.store {
            Store::Disk { dir } => dir.join(name).is_file(),
            Store::Memory { assets, dir } => find(assets, dir, name).is_ok(),
            Store::Layered { assets, dir, base } => {
                find(assets, dir, name).is_ok() || base.join(join(dir, name)).is_file()
            }
        }
    }

    /// Contents of the file `name`. The error says what to do, but not where the name is used.
    pub fn read(&self, name: &str) -> Result<Cow<'a, [u8]>, String> {
        match &self.store {
            Store::Disk { dir } => read_disk(&dir.join(name)).map(Cow::Owned),
            Store::Memory { assets, dir } => find(assets, dir, name).map(|bytes| Cow::Borrowed(bytes.as_slice())),
            Store::Layered { assets, dir, base } => match find(assets, dir, name) {
                Ok(bytes) => Ok(Cow::Borrowed(bytes.as_slice())),
                Err(_) => read_disk(&base.join(join(dir, name))).map(Cow::Owned),
            },
        }
    }

    /// Text of the file `name`; it must be UTF-8.
    pub fn read_text(&self, name: &str) -> Result<String, String> {
        let bytes = self.read(name)?.into_owned();
        let text = String::from_utf8(bytes).map_err(|e| format!("{name:?} is not UTF-8 text: {e}"))?;
        Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        })
    }
}

/// Reads the model file at `path` once and passes the files beside it, its name and its text to
/// `read`.
pub(crate) fn read_model(
    path: &Path,
    read: impl FnOnce(&Source, &str, &str) -> Result<ModelSpec, ReadError>,
) -> Result<ModelSpec, ReadError> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(ReadError::file(path.display().to_string(), "not the name of a file"));
    };
    let source = Source::disk(path.parent().unwrap_or(Path::new("")));
    let text = source.read_text(name).map_err(|message| ReadError::file(name, message))?;
    read(&source, name, &text)
}

fn read_disk(path: &Path) -> Result<Vec<u8>, String> {
    let fail = |e: std::io::Error| format!("cannot read {:?}: {e}", path.display().to_string());
    let meta = std::fs::metadata(path).map_err(fail)?;
    if !meta.is_file() {
        return Err(format!("cannot read {:?}: not a regular file", path.display().to_string()));
    }
    if meta.len() > MAX_FILE {
        return Err(format!("{:?} is larger than 1 GiB", path.display().to_string()));
    }
    std::fs::read(path).map_err(fail)
}

/// Finds an asset by its whole path or else by its file name, if that is unique.
fn find<'a>(assets: &'a BTreeMap<String, Vec<u8>>, dir: &str, name: &str) -> Result<&'a Vec<u8>, String> {
    let full = join(dir, name);
    if let Some(bytes) = assets.get(name).or_else(|| assets.get(&full)) {
        return Ok(bytes);
    }
    if let Some((_, bytes)) = assets.iter().find(|(key, _)| normalize(key) == full) {
        return Ok(bytes);
    }
    let base = base_name(&full);
    let mut same = assets.iter().filter(|(key, _)| base_name(&normalize(key)).eq_ignore_ascii_case(base));
    match (same.next(), same.next()) {
        (Some((_, bytes)), None) => Ok(bytes),
        (Some((first, _)), Some((second, _))) => {
            Err(format!("{name:?} is ambiguous: assets has {first:?} and {second:?}; use the whole path as the key"))
        }
        (None, _) => Err(format!(
            "file {name:?} is not given: pass its bytes in `assets`, or load the model from a path to read it from disk"
        )),
    }
}

/// `dir/name` in normal form; `name` alone if it is absolute.
pub fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() || is_absolute(name) { normalize(name) } else { normalize(&format!("{dir}/{name}")) }
}

/// The path with `/` separators and without `.` and inner `..`.
pub fn normalize(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Whether a path is absolute.
pub fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with('/') || path.starts_with('\\') || drive
}

/// The part after the last separator.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The part before the last separator; empty if there is none.
pub fn dir_name(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |i| &path[..i])
}

/// File name without directory and extension: the default name of an asset.
pub fn stem(path: &str) -> &str {
    let base = base_name(path);
    base.rfind('.').map_or(base, |i| &base[..i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized() {
        assert_eq!(normalize("./a//b/../c.stl"), "a/c.stl");
        assert_eq!(normalize("../a\\b"), "../a/b");
        assert_eq!(normalize("/a/./b"), "/a/b");
        assert_eq!(join("meshes", "../x.obj"), "x.obj");
        assert_eq!(join("meshes", "/x.obj"), "/x.obj");
        assert_eq!((base_name("a/b.c"), dir_name("a/b.c"), stem("a/b.tar.gz")), ("b.c", "a", "b.tar"));
    }

    #[test]
    fn memory_finds_by_path_then_by_file_name_and_never_opens_files() {
        let assets: BTreeMap<String, Vec<u8>> =
            [("./common/sky.xml".into(), vec![1]), ("x/m.stl".into(), vec![2]), ("y/m.stl".into(), vec![3])].into();
        let source = Source::memory(&assets);
        assert_eq!(source.read("common/sky.xml").as_deref(), Ok(&[1][..]));
        assert_eq!(source.read("elsewhere/sky.xml").as_deref(), Ok(&[1][..]));
        assert_eq!(source.inside("y").read("m.stl").as_deref(), Ok(&[3][..]));
        assert!(source.read("z/m.stl").is_err_and(|e| e.contains("ambiguous")));
        assert!(source.read("/etc/hostname").is_err_and(|e| e.contains("assets")));
        assert!(!source.has("/etc/hostname"));
    }

    #[test]
    fn layers_prefer_the_map_and_then_open_files() {
        let folder = std::env::temp_dir().join(format!("saltus-layers-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("meshes")).unwrap();
        std::fs::write(folder.join("meshes/a.stl"), [7]).unwrap();
        std::fs::write(folder.join("b.stl"), [8]).unwrap();
        let assets: BTreeMap<String, Vec<u8>> = [("b.stl".into(), vec![1])].into();
        let source = Source::layered(&assets, &folder);
        let read = |name: &str| source.read(name).map(Cow::into_owned);
        assert_eq!((read("b.stl"), read("meshes/a.stl")), (Ok(vec![1]), Ok(vec![7])));
        assert_eq!(source.inside("meshes").read("a.stl").as_deref(), Ok(&[7][..]));
        assert!(source.has("meshes/a.stl") && !source.has("a.stl"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
