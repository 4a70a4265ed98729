//! The model as one text that needs no other file.

use saltus::ModelSpec;

/// MJCF with all meshes and height fields written out. Textures from files are left out: nothing but viewers uses them.
pub fn self_contained(spec: &ModelSpec) -> String {
    let mut spec = spec.clone();
    spec.meshes.iter_mut().for_each(|mesh| mesh.file = None);
    spec.hfields.iter_mut().for_each(|field| field.file = None);
    let from_file = |attributes: &[(String, String)]| attributes.iter().any(|(name, _)| name.starts_with("file"));
    let (dropped, kept) = spec.textures.into_iter().partition(|texture| from_file(&texture.attributes));
    spec.textures = kept;
    let dropped: Vec<_> = dropped;
    let is_dropped = |name: &str| dropped.iter().any(|texture| texture.name == name);
    for material in &mut spec.materials {
        material.texture = material.texture.take().filter(|name| !is_dropped(name));
        material.layers.retain(|(_, name)| !is_dropped(name));
    }
    saltus::io::mjcf::write(&spec)
}
