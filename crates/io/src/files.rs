//! File names in models that are written to another folder than the one they were read from.

use crate::source::{is_absolute, join};
use saltus_sim::ModelSpec;
use std::path::{Component, Path, PathBuf};

/// Renames the files of a model that was read from the folder `from` so that they are found from
/// the folder `to`. Absolute names stay.
pub fn relocate(spec: &mut ModelSpec, from: &Path, to: &Path) -> std::io::Result<()> {
    let folder = |path: &Path| if path.as_os_str().is_empty() { Path::new(".") } else { path }.canonicalize();
    let (from, to) = (folder(from)?, folder(to)?);
    if from != to {
        rename_files(spec, |name| if is_absolute(name) { name.to_owned() } else { relative(&from.join(name), &to) });
    }
    Ok(())
}

/// Puts a folder before the names of all files of a model.
pub(crate) fn put_into(spec: &mut ModelSpec, dir: &str) {
    if !dir.is_empty() {
        rename_files(spec, |name| join(dir, name));
    }
}

fn rename_files(spec: &mut ModelSpec, rename: impl Fn(&str) -> String) {
    let meshes = spec.meshes.iter_mut().filter_map(|m| m.file.as_mut());
    let hfields = spec.hfields.iter_mut().filter_map(|h| h.file.as_mut());
    let textures = spec.textures.iter_mut().flat_map(|t| &mut t.attributes);
    let pictures = textures.filter(|(name, text)| name.starts_with("file") && !text.is_empty()).map(|(_, text)| text);
    meshes.chain(hfields).chain(pictures).for_each(|name| *name = rename(name));
}

/// The path of a file as seen from a folder; both are absolute.
fn relative(file: &Path, folder: &Path) -> String {
    // The real path, if there is one: the file may be behind a symbolic link.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return file.display().to_string();
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(file.components().skip(shared)).collect();
    path.display().to_string().replace('\\', "/")
}
