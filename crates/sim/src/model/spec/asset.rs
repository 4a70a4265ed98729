//! Meshes, height fields, and assets for viewers.

pub use crate::model::kinds::MeshInertia;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// A triangle mesh as read from a file, with vertices in file coordinates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriMesh {
    /// Vertices.
    pub vertices: Vec<[f32; 3]>,
    /// Vertex indices, counter-clockwise seen from outside. If empty, the mesh is the convex hull
    /// of its vertices.
    pub faces: Vec<[u32; 3]>,
}

/// A mesh asset. `data` is as read from the file (or given in XML), neither scaled nor centred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// File name as used in the model, stored for writing the model.
    pub file: Option<String>,
    /// Vertices and faces.
    pub data: TriMesh,
    /// Scale of the vertices.
    pub scale: Vec3,
    /// Position of the mesh origin in file coordinates.
    pub ref_pos: Vec3,
    /// Orientation of the mesh frame in file coordinates.
    pub ref_quat: Quat,
    /// How the inertia is computed from the triangles.
    pub inertia: MeshInertia,
    /// Whether normals are smooth, for viewers.
    pub smooth_normal: bool,
    /// Maximum number of vertices of the convex hull; no limit if negative.
    pub max_hull_vertices: i32,
    /// Material for drawing.
    pub material: Option<String>,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

impl Default for MeshSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            file: None,
            data: TriMesh::default(),
            scale: Vec3::ONE,
            ref_pos: Vec3::ZERO,
            ref_quat: Quat::IDENTITY,
            inertia: MeshInertia::Legacy,
            smooth_normal: false,
            max_hull_vertices: -1,
            material: None,
            place: String::new(),
        }
    }
}

/// A height field: elevations on a grid, row by row from −y to +y.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HfieldSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// File name as used in the model.
    pub file: Option<String>,
    /// Half sizes along x and y, height of elevation 1, thickness of the base.
    pub size: [f64; 4],
    /// Number of rows.
    pub nrow: usize,
    /// Number of columns.
    pub ncol: usize,
    /// Elevations as read; the compiler scales them to [0, 1].
    pub elevation: Vec<f32>,
    /// Place of definition for error messages; empty for elements created by a program.
    pub place: String,
}

/// A texture, stored for viewers as the attributes of its element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextureSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Attributes of the element, as text.
    pub attributes: Vec<(String, String)>,
}

/// A material, stored for viewers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaterialSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Texture for drawing.
    pub texture: Option<String>,
    /// Number of repetitions of the texture.
    pub tex_repeat: [f32; 2],
    /// Whether the number of repetitions is per metre.
    pub tex_uniform: bool,
    /// Emission.
    pub emission: f32,
    /// Specularity.
    pub specular: f32,
    /// Shininess.
    pub shininess: f32,
    /// Reflectance.
    pub reflectance: f32,
    /// Metallicity.
    pub metallic: f32,
    /// Roughness.
    pub roughness: f32,
    /// Colour: red, green, blue, opacity.
    pub rgba: [f32; 4],
    /// Texture layers: role and texture name.
    pub layers: Vec<(String, String)>,
}

impl Default for MaterialSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            texture: None,
            tex_repeat: [1.0; 2],
            tex_uniform: false,
            emission: 0.0,
            specular: 0.5,
            shininess: 0.5,
            reflectance: 0.0,
            metallic: -1.0,
            roughness: -1.0,
            rgba: [1.0; 4],
            layers: Vec::new(),
        }
    }
}
