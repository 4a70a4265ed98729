//! Triangles with normals and texture coordinates.

mod asset;
mod field;
mod primitive;

pub use asset::mesh_of;
pub use field::field_of;
pub use primitive::{cube, cylinder, disc, half_sphere, sphere, square};

use crate::vector::{V3, dot};

/// A closed or open surface. Triangles are counter-clockwise as seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub position: Vec<V3>,
    /// Unit normals, one for each vertex.
    pub normal: Vec<V3>,
    /// Texture coordinates, one for each vertex.
    pub texture: Vec<[f32; 2]>,
    pub triangle: Vec<[u32; 3]>,
    /// Radius of a ball about the origin that contains all vertices.
    pub radius: f32,
}

impl Mesh {
    fn vertex(&mut self, position: V3, normal: V3, texture: [f32; 2]) -> u32 {
        self.position.push(position);
        self.normal.push(normal);
        self.texture.push(texture);
        self.radius = self.radius.max(dot(position, position).sqrt());
        (self.position.len() - 1) as u32
    }
}
