//! Assets: meshes and height fields are read from their files; assets for viewers only are kept as
//! text.

use super::settings::Notation;
use super::{builtin, names};
use crate::error::ReadError;
use crate::source::{Source, base_name, dir_name, join, stem};
use crate::xml::Element;
use crate::{hfield, mesh};
use saltus_math::Quat;
use saltus_sim::model::spec::{HfieldSpec, MaterialSpec, MeshSpec, TextureSpec, TriMesh};

/// Maximum number of cells of a height field.
const MAX_CELLS: usize = 1 << 26;

/// Reads the attributes that a mesh inherits from default classes.
pub fn mesh_common(e: Element, m: &mut MeshSpec) -> Result<(), ReadError> {
    e.vec3("scale", &mut m.scale)?;
    if e.integer("maxhullvert", &mut m.max_hull_vertices)? && !(m.max_hull_vertices == -1 || m.max_hull_vertices > 3) {
        return Err(e.attribute_error("maxhullvert", "expected −1 (no limit) or a number above 3"));
    }
    e.keyword("inertia", names::MESH_INERTIA, &mut m.inertia)?;
    Ok(())
}

/// Reads a mesh and its file.
pub fn mesh(e: Element, notation: &Notation, source: &Source, m: &mut MeshSpec) -> Result<(), ReadError> {
    mesh_common(e, m)?;
    e.string("name", &mut m.name);
    e.vec3("refpos", &mut m.ref_pos)?;
    let mut quat = m.ref_quat.to_array();
    if e.exact("refquat", &mut quat)? {
        m.ref_quat = Quat::from_slice(&quat).normalized();
    }
    e.flag("smoothnormal", &mut m.smooth_normal)?;
    e.string_option("material", &mut m.material);
    m.place = e.place();
    if let Some(file) = e.text("file") {
        if let Some(other) = ["vertex", "builtin"].into_iter().find(|a| e.text(a).is_some()) {
            return Err(e.attribute_error(other, "cannot be given together with file"));
        }
        let path = asset_path(e, file, &notation.mesh_dir, notation, source);
        let bytes = source.read(&path).map_err(|message| e.attribute_error("file", message))?;
        m.data = mesh::read(&path, e.text("content_type"), &bytes)
            .map_err(|error| e.attribute_error("file", error.to_string()))?;
        m.file = Some(path);
        if m.name.is_empty() {
            m.name = stem(file).to_owned();
        }
    } else if let Some(kind) = e.text("builtin") {
        m.data = builtin::mesh(e, kind)?;
    } else {
        m.data = vertices(e)?;
    }
    if m.name.is_empty() {
        return Err(e.error("needs a name"));
    }
    Ok(())
}

/// Path of an asset's file, relative to the main model file: in the directory of assets, otherwise
/// relative to the file that refers to it, which may be an included one.
fn asset_path(e: Element, file: &str, dir: &str, notation: &Notation, source: &Source) -> String {
    if notation.strip_path {
        return join(dir, base_name(file));
    }
    let (path, near) = (join(dir, file), join(dir_name(e.file()), file));
    if !source.has(&path) && source.has(&near) { near } else { path }
}

/// Vertices and faces given inline in the model.
fn vertices(e: Element) -> Result<TriMesh, ReadError> {
    let Some(numbers) = e.list("vertex")? else {
        return Err(e.error("needs a file, or vertices"));
    };
    if numbers.len() % 3 != 0 || numbers.iter().any(|v| !v.is_finite()) {
        return Err(e.attribute_error("vertex", "expected three finite numbers for each vertex"));
    }
    let vertices: Vec<_> = numbers.chunks_exact(3).map(|v| [v[0] as f32, v[1] as f32, v[2] as f32]).collect();
    let indices = e.integers("face")?.unwrap_or_default();
    if indices.len() % 3 != 0 {
        return Err(e.attribute_error("face", "expected three indices for each triangle"));
    }
    if let Some(bad) = indices.iter().find(|i| **i < 0 || **i as usize >= vertices.len()) {
        return Err(
            e.attribute_error("face", format!("there is no vertex {bad}; they are 0 to {}", vertices.len() - 1))
        );
    }
    let faces = indices.chunks_exact(3).map(|f| [f[0] as u32, f[1] as u32, f[2] as u32]).collect();
    Ok(TriMesh { vertices, faces })
}

/// Reads a height field and its file.
pub fn height_field(e: Element, notation: &Notation, source: &Source) -> Result<HfieldSpec, ReadError> {
    let mut h = HfieldSpec { place: e.place(), ..HfieldSpec::default() };
    e.string("name", &mut h.name);
    e.required("size")?;
    e.exact("size", &mut h.size)?;
    if let Some(i) = h.size.iter().position(|s| *s <= 0.0) {
        return Err(e.attribute_error("size", format!("all numbers must be positive, number {} is not", i + 1)));
    }
    e.count("nrow", &mut h.nrow)?;
    e.count("ncol", &mut h.ncol)?;
    if let Some(file) = e.text("file") {
        if h.nrow > 0 || h.ncol > 0 {
            return Err(
                e.attribute_error("file", "the file defines the numbers of rows and columns; omit nrow and ncol")
            );
        }
        let path = asset_path(e, file, &notation.mesh_dir, notation, source);
        let bytes = source.read(&path).map_err(|message| e.attribute_error("file", message))?;
        let png = match e.text("content_type") {
            Some(kind) => e.word("content_type", kind, &[("image/png", true), ("image/vnd.mujoco.hfield", false)])?,
            None => path.to_ascii_lowercase().ends_with(".png"),
        };
        let grid = if png { hfield::read_png(&bytes) } else { hfield::read_binary(&bytes) };
        let grid = grid.map_err(|error| e.attribute_error("file", format!("{path}: {error}")))?;
        (h.nrow, h.ncol, h.elevation) = (grid.nrow, grid.ncol, grid.data);
        h.file = Some(path);
        if h.name.is_empty() {
            h.name = stem(file).to_owned();
        }
    }
    if h.nrow < 2 || h.ncol < 2 {
        return Err(e.error(format!("needs at least 2 rows and 2 columns, found {} and {}", h.nrow, h.ncol)));
    }
    let cells = h.nrow.saturating_mul(h.ncol);
    if cells > MAX_CELLS {
        return Err(e.error(format!("more than {MAX_CELLS} cells")));
    }
    if h.name.is_empty() {
        return Err(e.error("needs a name"));
    }
    match e.list("elevation")? {
        Some(values) if values.len() != cells => {
            Err(e.attribute_error("elevation", format!("expected nrow·ncol = {cells} numbers, found {}", values.len())))
        }
        Some(values) => {
            if values.iter().any(|v| !v.is_finite()) {
                return Err(e.attribute_error("elevation", "expected finite numbers"));
            }
            // Rows are given from the far side (+y) to the near one.
            h.elevation = values.chunks_exact(h.ncol).rev().flatten().map(|v| *v as f32).collect();
            Ok(h)
        }
        None => {
            if h.elevation.is_empty() {
                h.elevation = vec![0.0; cells];
            }
            Ok(h)
        }
    }
}

/// Keeps a texture as text, with file paths relative to the main model file.
pub fn texture(e: Element, notation: &Notation, source: &Source) -> Result<TextureSpec, ReadError> {
    let value = |name: &str, text: &str| match name.starts_with("file") && !text.is_empty() {
        true => asset_path(e, text, &notation.texture_dir, notation, source),
        false => text.to_owned(),
    };
    let attributes: Vec<_> = e.attributes().map(|(n, v)| (n.to_owned(), value(n, v))).collect();
    let file = e.text("file").map(stem).unwrap_or_default();
    let name = e.text("name").unwrap_or(file).to_owned();
    if name.is_empty() && e.text("type") != Some("skybox") {
        return Err(e.error("needs a name"));
    }
    Ok(TextureSpec { name, attributes })
}

/// Reads a material.
pub fn material(e: Element, m: &mut MaterialSpec) -> Result<(), ReadError> {
    e.string("name", &mut m.name);
    e.string_option("texture", &mut m.texture);
    e.single("texrepeat", &mut m.tex_repeat)?;
    e.flag("texuniform", &mut m.tex_uniform)?;
    for (name, value) in [
        ("emission", &mut m.emission),
        ("specular", &mut m.specular),
        ("shininess", &mut m.shininess),
        ("reflectance", &mut m.reflectance),
        ("metallic", &mut m.metallic),
        ("roughness", &mut m.roughness),
    ] {
        e.single(name, std::slice::from_mut(value))?;
    }
    e.single("rgba", &mut m.rgba)?;
    for layer in e.all("layer") {
        m.layers.push((layer.required("role")?, layer.required("texture")?));
    }
    Ok(())
}
