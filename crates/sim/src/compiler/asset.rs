//! Assets: those that geoms refer to, and those that only viewers use.

use super::hfield;
use super::mesh::{self, BuiltMesh};
use super::names::{Element, Names, Outcome};
use crate::ids::TextureId;
use crate::model::Model;
use crate::model::kinds::ObjectKind;
use crate::model::spec::ModelSpec;

/// Assets from which geoms are built.
#[derive(Debug)]
pub(super) struct Assets {
    pub names: Names,
    pub meshes: Vec<BuiltMesh>,
    pub hfield_size: Vec<[f64; 4]>,
}

/// Fills the tables of assets.
pub(super) fn fill_assets(spec: &ModelSpec, model: &mut Model) -> Outcome<Assets> {
    hfield::fill_hfields(spec, model)?;
    let meshes = mesh::build_meshes(spec)?;
    mesh::fill_meshes(spec, &meshes, model);
    fill_textures(spec, model);
    let mut names = Names::default();
    names.add(model, ObjectKind::Texture)?;
    fill_materials(spec, &names, model)?;
    for kind in [ObjectKind::Hfield, ObjectKind::Mesh, ObjectKind::Material] {
        names.add(model, kind)?;
    }
    Ok(Assets { names, meshes, hfield_size: model.hfields.size.clone() })
}

fn fill_textures(spec: &ModelSpec, model: &mut Model) {
    for texture in &spec.textures {
        model.textures.name.push(texture.name.clone());
        model.textures.attributes.push(texture.attributes.clone());
    }
}

fn fill_materials(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    let table = &mut model.materials;
    for (id, material) in spec.materials.iter().enumerate() {
        let element = Element::new("material", &material.name, id, "");
        let texture = names.require_some(ObjectKind::Texture, material.texture.as_deref(), &element)?;
        // If no single texture is named, viewers use the first colour layer.
        let layer = material.layers.iter().find(|(role, _)| role == "rgb" || role == "rgba");
        let texture = match (texture, layer) {
            (None, Some((_, name))) => names.require_some(ObjectKind::Texture, Some(name), &element)?,
            (texture, _) => texture,
        };
        table.name.push(material.name.clone());
        table.texture.push(texture.map(TextureId));
        table.tex_repeat.push(material.tex_repeat);
        table.tex_uniform.push(material.tex_uniform);
        table.emission.push(material.emission);
        table.specular.push(material.specular);
        table.shininess.push(material.shininess);
        table.reflectance.push(material.reflectance);
        table.metallic.push(material.metallic);
        table.roughness.push(material.roughness);
        table.rgba.push(material.rgba);
    }
    Ok(())
}
