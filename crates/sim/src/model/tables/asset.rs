//! Meshes, height fields, materials, textures.

use crate::geometry::{FaceTree, HullGraph};
use crate::ids::{Span, TextureId};
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Meshes, centred on their centre of mass and aligned with their principal axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeshTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// File that the mesh was read from, as given in the model.
    pub file: Vec<String>,
    /// Vertices of each mesh.
    pub vertices: Vec<Span>,
    /// Triangles of each mesh.
    pub faces: Vec<Span>,
    /// Convex hull: triangles in `hull_face`; empty if the mesh needs none.
    pub hull_faces: Vec<Span>,
    /// Corners of the hull of each mesh, in `hull_vertex`; empty if it needs none.
    pub hull_vertices: Vec<Span>,
    /// Scale that was applied to the vertices of the file.
    pub scale: Vec<Vec3>,
    /// Position of the mesh frame (centre of mass, principal axes) in the frame of the file.
    pub pos: Vec<Vec3>,
    /// Orientation of the mesh frame in the frame of the file.
    pub quat: Vec<Quat>,
    /// Vertices of all meshes.
    pub vertex: Vec<[f32; 3]>,
    /// Faces of all meshes, vertex indices local to the mesh.
    pub face: Vec<[u32; 3]>,
    /// Triangles of hulls.
    pub hull_face: Vec<[u32; 3]>,
    /// Corners of hulls.
    pub hull_vertex: Vec<u32>,
    /// Neighbours of hull corners; computed by `Model::index_hulls`, not stored in files.
    #[serde(skip)]
    pub hull_graph: Vec<HullGraph>,
    /// Bounding-box tree of the faces, for rays; computed by `Model::index_hulls`, not stored in
    /// files.
    #[serde(skip)]
    pub face_tree: Vec<FaceTree>,
}

/// Height fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HfieldTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// File that it was read from.
    pub file: Vec<String>,
    /// Half sizes along x and y, height, depth of the base, m.
    pub size: Vec<[f64; 4]>,
    /// Rows of samples, along y.
    pub nrow: Vec<u32>,
    /// Columns of samples, along x.
    pub ncol: Vec<u32>,
    /// Index of the first sample in `data`.
    pub start: Vec<u32>,
    /// Elevations in [0, 1] of all fields.
    pub data: Vec<f32>,
}

/// Textures by reference, for viewers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextureTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Attributes of the element, as text.
    pub attributes: Vec<Vec<(String, String)>>,
}

/// Materials, for viewers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaterialTable {
    /// Name; empty if it has none.
    pub name: Vec<String>,
    /// Texture for rendering.
    pub texture: Vec<Option<TextureId>>,
    /// Number of repetitions of the texture.
    pub tex_repeat: Vec<[f32; 2]>,
    /// Whether repetitions of the texture are per metre.
    pub tex_uniform: Vec<bool>,
    /// Emission.
    pub emission: Vec<f32>,
    /// Specular colour.
    pub specular: Vec<f32>,
    /// Shininess.
    pub shininess: Vec<f32>,
    /// Reflectance.
    pub reflectance: Vec<f32>,
    /// Metallicity.
    pub metallic: Vec<f32>,
    /// Roughness.
    pub roughness: Vec<f32>,
    /// Colour: red, green, blue, opacity.
    pub rgba: Vec<[f32; 4]>,
}
