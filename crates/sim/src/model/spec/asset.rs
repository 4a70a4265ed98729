//! Meshes, height fields, and what only viewers use.

pub use crate::model::kinds::MeshInertia;
use saltus_math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Triangle mesh as read from a file, vertices in file coordinates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriMesh {
    /// Corners.
    pub vertices: Vec<[f32; 3]>,
    /// Vertex indices, counter-clockwise seen from outside. Empty: the convex hull of the vertices is meant.
    pub faces: Vec<[u32; 3]>,
}

/// A mesh asset. `data` has been read from the file (or given in XML) but not scaled or centred.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeshSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// File the data came from, as the model names it; kept for writing the model back.
    pub file: Option<String>,
    /// Vertices and faces.
    pub data: TriMesh,
    /// Scale that is applied to the vertices.
    pub scale: Vec3,
    /// Position in the file of the origin.
    pub ref_pos: Vec3,
    /// Orientation in the file of the frame.
    pub ref_quat: Quat,
    /// How the inertia follows from the triangles.
    pub inertia: MeshInertia,
    /// Whether normals are smooth, for viewers.
    pub smooth_normal: bool,
    /// Most vertices the convex hull may have; negative: no bound.
    pub max_hull_vertices: i32,
    /// Material that it is drawn with.
    pub material: Option<String>,
    /// Where it was defined, for error messages; empty for what was made by program.
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HfieldSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// File that it was read from.
    pub file: Option<String>,
    /// Half sizes x and y, height of elevation 1, thickness of the base.
    pub size: [f64; 4],
    /// Number of rows.
    pub nrow: usize,
    /// Number of columns.
    pub ncol: usize,
    /// Elevations as read; the compiler scales them to [0, 1].
    pub elevation: Vec<f32>,
    /// Where it was defined, for error messages; empty for what was made by program.
    pub place: String,
}

/// A texture, kept by reference for viewers: its attributes as text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TextureSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Attributes of the element, as text.
    pub attributes: Vec<(String, String)>,
}

/// A material, kept for viewers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MaterialSpec {
    /// Name; empty if it has none.
    pub name: String,
    /// Texture that it is drawn with.
    pub texture: Option<String>,
    /// How often the texture repeats.
    pub tex_repeat: [f32; 2],
    /// Whether repetitions of the texture are per metre.
    pub tex_uniform: bool,
    /// Emission.
    pub emission: f32,
    /// Specular colour.
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
