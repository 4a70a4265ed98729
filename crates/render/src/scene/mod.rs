//! What is to be drawn: instances of meshes with their surfaces, and lights.

mod build;
mod light;

pub(crate) use build::visual;
pub use build::{Shown, update};
pub use light::Light;

use crate::mesh::Mesh;
use crate::vector::V3;
use saltus_math::{Mat3, Vec3};
use saltus_sim::model::kinds::ObjectKind;

/// A mesh in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Index in [`Scene::meshes`].
    pub mesh: usize,
    pub position: Vec3,
    pub axes: Mat3,
    /// Factors along the axes of the mesh.
    pub scale: V3,
    pub surface: Surface,
    /// What the instance shows, for segmentation: kind and number of the object of the model.
    pub object: Option<(ObjectKind, usize)>,
    /// Whether both sides of triangles are drawn.
    pub both_sides: bool,
    /// Whether it casts a shadow.
    pub casts: bool,
}

/// How a surface reflects light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Red, green, blue, opacity.
    pub rgba: [f32; 4],
    pub emission: f32,
    pub specular: f32,
    pub shininess: f32,
}

impl Default for Surface {
    /// The surface of a geom without a material.
    fn default() -> Self {
        Self { rgba: [0.5, 0.5, 0.5, 1.0], emission: 0.0, specular: 0.5, shininess: 0.5 }
    }
}

/// Everything in a picture. The memory is used again from picture to picture.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub meshes: Vec<Mesh>,
    pub instances: Vec<Instance>,
    pub lights: Vec<Light>,
}
