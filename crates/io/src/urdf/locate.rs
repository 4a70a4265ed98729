//! Where the mesh files of a URDF are. Names may be relative or absolute paths, `file://` URLs, or ROS package URLs.

use super::extension::Settings;
use crate::source::{Source, base_name, is_absolute, join};

/// Directories above the URDF that are searched for a package.
const LEVELS: usize = 16;

impl Settings {
    /// The file meant by `name`, relative to the URDF's directory; an error says where it was
    /// sought.
    pub(super) fn locate(&self, source: &Source, name: &str) -> Result<String, String> {
        let candidates = self.candidates(name);
        candidates.iter().find(|c| source.has(c)).cloned().ok_or_else(|| match candidates.first() {
            // Reading the first candidate explains what is missing, in the words of the source.
            Some(first) => source.read(first).err().unwrap_or_else(|| format!("cannot read {first:?}")),
            None => "the name of the mesh file is empty".into(),
        })
    }

    /// Paths in the order in which they are tried.
    fn candidates(&self, name: &str) -> Vec<String> {
        let base = base_name(name);
        let mut names = Vec::new();
        if self.strip_path {
            names.push(base.to_owned());
        } else if let Some(path) = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://")) {
            // The package folder is one of the URDF's ancestors, or next to one of them.
            names.extend((0..LEVELS).map(|up| format!("{}{path}", "../".repeat(up))));
            names.extend(path.split_once('/').map(|(_, inside)| inside.to_owned()));
            names.push(base.to_owned());
        } else {
            names.push(name.strip_prefix("file://").unwrap_or(name).to_owned());
            names.push(base.to_owned());
        }
        names.retain(|n| !n.is_empty());
        let mut paths = Vec::new();
        for n in &names {
            if !self.mesh_dir.is_empty() && !is_absolute(n) {
                paths.push(join(&self.mesh_dir, n));
            }
            paths.push(n.clone());
        }
        paths
    }
}
