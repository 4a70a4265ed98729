//! All triangles of a scene as an eye sees them.

use crate::eye::Eye;
use crate::raster::{Chunk, Tile};
use crate::scene::{Instance, Scene};
use crate::vector::{M3, V3, add};
use rayon::prelude::*;

/// Triangles of a chunk. Fixed, so that pictures do not depend on the number of threads.
const CHUNK: usize = 4096;

/// An instance that may be in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Index of the instance in the scene.
    pub instance: usize,
    /// Numbers of its first triangle and of its first vertex in the frame.
    pub triangle: usize,
    vertex: usize,
    /// From the mesh to camera coordinates.
    map: M3,
    shift: V3,
    /// The same for normals, not of unit length.
    pub normals: M3,
}

/// Vertices and triangles of a frame. The memory is used again in the next one.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    pub seen: Vec<Seen>,
    vertices: Vec<V3>,
    triangles: usize,
    chunks: Vec<Chunk>,
    used: usize,
}

impl Geometry {
    /// Projects the instances that are wanted.
    pub fn update(&mut self, scene: &Scene, eye: &Eye, is_wanted: impl Fn(&Instance) -> bool) {
        self.seen.clear();
        let (mut triangle, mut vertex) = (0, 0);
        for (k, instance) in scene.instances.iter().enumerate().filter(|(_, i)| is_wanted(i)) {
            let mesh = &scene.meshes[instance.mesh];
            let (turn, shift) = eye.map_from(instance.position, &instance.axes);
            let widest = instance.scale.iter().fold(0.0f32, |m, s| m.max(s.abs()));
            if !eye.sees(shift, widest * mesh.radius) {
                continue;
            }
            let inverse = instance.scale.map(|s| if s == 0.0 { 0.0 } else { 1.0 / s });
            let (map, normals) = (turn.scaled(instance.scale), turn.scaled(inverse));
            self.seen.push(Seen { instance: k, triangle, vertex, map, shift, normals });
            triangle += mesh.triangle.len();
            vertex += mesh.position.len();
        }
        self.triangles = triangle;
        self.vertices.resize(vertex, [0.0; 3]);
        self.place(scene);
        self.project(scene, eye);
    }

    /// Moves all vertices to camera coordinates.
    fn place(&mut self, scene: &Scene) {
        let mut rest = self.vertices.as_mut_slice();
        let mut parts = Vec::with_capacity(self.seen.len());
        for seen in &self.seen {
            let mesh = &scene.meshes[scene.instances[seen.instance].mesh];
            let (own, others) = rest.split_at_mut(mesh.position.len());
            parts.push((seen, mesh, own));
            rest = others;
        }
        parts.into_par_iter().for_each(|(seen, mesh, own)| {
            for (out, p) in own.iter_mut().zip(&mesh.position) {
                *out = add(seen.map.apply(*p), seen.shift);
            }
        });
    }

    /// Projects all triangles in chunks.
    fn project(&mut self, scene: &Scene, eye: &Eye) {
        self.used = self.triangles.div_ceil(CHUNK);
        if self.chunks.len() < self.used {
            self.chunks.resize_with(self.used, Chunk::default);
        }
        let (seen, vertices, total) = (&self.seen, &self.vertices, self.triangles);
        self.chunks[..self.used].par_iter_mut().enumerate().for_each(|(k, chunk)| {
            chunk.clear();
            let (mut at, end) = (k * CHUNK, ((k + 1) * CHUNK).min(total));
            while at < end {
                let owner = &seen[seen.partition_point(|s| s.triangle <= at) - 1];
                let instance = &scene.instances[owner.instance];
                let mesh = &scene.meshes[instance.mesh];
                let last = end.min(owner.triangle + mesh.triangle.len());
                for t in at..last {
                    let corners = mesh.triangle[t - owner.triangle].map(|v| vertices[owner.vertex + v as usize]);
                    chunk.add(eye, corners, instance.both_sides, t as u32);
                }
                at = last;
            }
            chunk.sort(eye);
        });
    }

    /// Draws what may be in a tile.
    pub fn draw<const S: usize>(&self, tile: &mut Tile<S>, number: usize) {
        for chunk in &self.chunks[..self.used] {
            chunk.of_tile(number).for_each(|triangle| tile.draw(triangle));
        }
    }

    /// The instance that a triangle belongs to.
    pub fn owner(&self, triangle: u32) -> &Seen {
        &self.seen[self.seen.partition_point(|s| s.triangle <= triangle as usize) - 1]
    }

    /// The corners of a triangle in camera coordinates.
    #[inline]
    pub fn corners(&self, owner: &Seen, corners: [u32; 3]) -> [V3; 3] {
        corners.map(|v| self.vertices[owner.vertex + v as usize])
    }
}
