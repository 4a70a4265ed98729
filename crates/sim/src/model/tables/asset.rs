//! Meshes, height fields, materials, textures.

use crate::geometry::{FaceTree, HullGraph};
use crate::ids::{Span, TextureId};
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Meshes, centred on their centre of mass and aligned with their principal axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeshTable {
    pub name: Vec<String>,
    /// File the mesh came from, as the model names it.
    pub file: Vec<String>,
    pub vertices: Vec<Span>,
    pub faces: Vec<Span>,
    /// Convex hull: its triangles in `hull_face`, its vertices in `hull_vertex`; both empty where none was needed.
    pub hull_faces: Vec<Span>,
    pub hull_vertices: Vec<Span>,
    pub scale: Vec<Vec3>,
    /// Transformation that was taken out of the file's vertices.
    pub pos: Vec<Vec3>,
    pub quat: Vec<Quat>,
    /// Vertices of all meshes.
    pub vertex: Vec<[f32; 3]>,
    /// Faces of all meshes, vertex indices local to the mesh.
    pub face: Vec<[u32; 3]>,
    pub hull_face: Vec<[u32; 3]>,
    pub hull_vertex: Vec<u32>,
    /// Neighbours of hull corners · by `Model::index_hulls`, not part of files.
    #[serde(skip)]
    pub hull_graph: Vec<HullGraph>,
    /// Boxes over the faces, for rays · by `Model::index_hulls`, not part of files.
    #[serde(skip)]
    pub face_tree: Vec<FaceTree>,
}

/// Height fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HfieldTable {
    pub name: Vec<String>,
    pub file: Vec<String>,
    pub size: Vec<[f64; 4]>,
    pub nrow: Vec<u32>,
    pub ncol: Vec<u32>,
    pub start: Vec<u32>,
    /// Elevations in [0, 1] of all fields.
    pub data: Vec<f32>,
}

/// Textures by reference, for viewers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextureTable {
    pub name: Vec<String>,
    pub attributes: Vec<Vec<(String, String)>>,
}

/// Materials, for viewers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaterialTable {
    pub name: Vec<String>,
    pub texture: Vec<Option<TextureId>>,
    pub tex_repeat: Vec<[f32; 2]>,
    pub tex_uniform: Vec<bool>,
    pub emission: Vec<f32>,
    pub specular: Vec<f32>,
    pub shininess: Vec<f32>,
    pub reflectance: Vec<f32>,
    pub metallic: Vec<f32>,
    pub roughness: Vec<f32>,
    pub rgba: Vec<[f32; 4]>,
}
