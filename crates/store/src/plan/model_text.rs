//! The model as a single text without references to other files.

use saltus_sim::ModelSpec;

/// MJCF with all meshes and height fields inlined. Textures from files are omitted, since only
/// viewers use them.
pub fn model_text(spec: &ModelSpec) -> String {
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
    saltus_io::mjcf::write(&spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_needs_no_other_file() {
        let xml = r#"<mujoco>
          <asset>
            <mesh name="m" file="m.obj" scale="2 1 1"/>
            <texture name="t" type="2d" file="t.png"/><material name="painted" texture="t"/>
          </asset>
          <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" material="painted"/></body></worldbody>
        </mujoco>"#;
        let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        let assets = [("m.obj", mesh), ("t.png", "")].map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
        let spec = saltus_io::read_str(xml, &assets.into()).unwrap();
        let text = model_text(&spec);
        assert!(!text.contains("m.obj") && !text.contains("t.png"), "{text}");
        let again = saltus_io::read_str(&text, &Default::default()).unwrap();
        let (a, b) = (saltus_sim::compile(&spec).unwrap(), saltus_sim::compile(&again).unwrap());
        assert_eq!((a.bodies.mass, a.bodies.inertia, a.geoms.pos), (b.bodies.mass, b.bodies.inertia, b.geoms.pos));
    }
}
