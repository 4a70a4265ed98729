//! Writes meshes, height fields, textures, materials.

use super::word;
use super::xml::Xml;
use crate::mjcf::names::MESH_INERTIA;
use saltus_math::Vec3;
use saltus_sim::ModelSpec;
use saltus_sim::model::spec::{HfieldSpec, MaterialSpec, MeshSpec};

pub(super) fn write(x: &mut Xml, spec: &ModelSpec) {
    x.section("asset", |x| {
        for texture in &spec.textures {
            x.element("texture");
            if !texture.attributes.iter().any(|(name, _)| name == "name") {
                x.string("name", &texture.name);
            }
            for (name, text) in texture.attributes.iter().filter(|(name, _)| name != "class") {
                x.string(name, text);
            }
            x.leaf();
        }
        spec.materials.iter().for_each(|m| material(x, m));
        spec.meshes.iter().for_each(|m| mesh(x, m));
        spec.hfields.iter().for_each(|h| hfield(x, h));
    });
}

fn material(x: &mut Xml, m: &MaterialSpec) {
    let d = MaterialSpec::default();
    x.element("material")
        .string("name", &m.name)
        .differing("texrepeat", &m.tex_repeat, &d.tex_repeat)
        .flag("texuniform", m.tex_uniform, d.tex_uniform)
        .single("emission", m.emission, d.emission)
        .single("specular", m.specular, d.specular)
        .single("shininess", m.shininess, d.shininess)
        .single("reflectance", m.reflectance, d.reflectance)
        .single("metallic", m.metallic, d.metallic)
        .single("roughness", m.roughness, d.roughness)
        .differing("rgba", &m.rgba, &d.rgba);
    if m.layers.is_empty() {
        x.option("texture", &m.texture).leaf();
        return;
    }
    x.open();
    for (role, texture) in &m.layers {
        x.element("layer").string("role", role).string("texture", texture).leaf();
    }
    x.close("material");
}

fn mesh(x: &mut Xml, m: &MeshSpec) {
    let d = MeshSpec::default();
    x.element("mesh")
        .string("name", &m.name)
        .vec3("scale", m.scale, Vec3::ONE)
        .vec3("refpos", m.ref_pos, Vec3::ZERO)
        .quat("refquat", m.ref_quat)
        .flag("smoothnormal", m.smooth_normal, d.smooth_normal)
        .integer("maxhullvert", m.max_hull_vertices, d.max_hull_vertices)
        .option("material", &m.material);
    if m.inertia != d.inertia {
        x.string("inertia", word(MESH_INERTIA, m.inertia));
    }
    match &m.file {
        Some(file) if has_extension(file, &["stl", "obj", "msh"]) => x.string("file", file),
        _ => x.numbers("vertex", m.data.vertices.iter().flatten()).numbers("face", m.data.faces.iter().flatten()),
    };
    x.leaf();
}

/// Elevations in MJCF start with the row at +y; those of the spec start with the row at −y.
fn hfield(x: &mut Xml, h: &HfieldSpec) {
    x.element("hfield").string("name", &h.name).numbers("size", h.size);
    match &h.file {
        // Without a known extension the file's format must be given explicitly.
        Some(file) if has_extension(file, &["png", "bin"]) => x.string("file", file),
        _ => x
            .numbers("nrow", [h.nrow])
            .numbers("ncol", [h.ncol])
            .numbers("elevation", h.elevation.chunks(h.ncol.max(1)).rev().flatten()),
    };
    x.leaf();
}

fn has_extension(file: &str, extensions: &[&str]) -> bool {
    file.rsplit_once('.').is_some_and(|(_, e)| extensions.iter().any(|known| e.eq_ignore_ascii_case(known)))
}
