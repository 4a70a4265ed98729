//! Meshes of a model, with normals that are smooth across flat angles.

use super::Mesh;
use crate::vector::{V3, add, cross, dot, sub, unit};
use saltus_sim::Model;

/// Cosine of the angle between triangles above which an edge is drawn smooth: 40°.
const SMOOTH: f32 = 0.766;

/// The triangles of mesh `id` of the model, in the frame of the mesh.
pub fn mesh_of(model: &Model, id: usize) -> Mesh {
    let meshes = &model.meshes;
    let position: Vec<V3> = meshes.vertex[meshes.vertices[id].range()].to_vec();
    let triangle: Vec<[u32; 3]> = meshes.face[meshes.faces[id].range()].to_vec();
    smooth(&position, &triangle)
}

/// A mesh with a vertex for each corner of each triangle whose normal differs.
pub fn smooth(position: &[V3], triangle: &[[u32; 3]]) -> Mesh {
    let normal_of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| position[v as usize]);
        cross(sub(b, a), sub(c, a))
    };
    // Vectors of the length of twice the area, which weights large triangles more.
    let normals: Vec<V3> = triangle.iter().map(normal_of).collect();
    let (mut first, mut owners) = (vec![0u32; position.len() + 1], vec![0u32; 3 * triangle.len()]);
    triangle.iter().flatten().for_each(|&v| first[v as usize + 1] += 1);
    (0..position.len()).for_each(|v| first[v + 1] += first[v]);
    let mut next = first.clone();
    for (t, corners) in triangle.iter().enumerate() {
        for &v in corners {
            owners[next[v as usize] as usize] = t as u32;
            next[v as usize] += 1;
        }
    }
    let mut mesh = Mesh::default();
    // Vertices of the result that were made from each vertex.
    let mut made: Vec<Vec<u32>> = vec![Vec::new(); position.len()];
    for (t, corners) in triangle.iter().enumerate() {
        let own = unit(normals[t]);
        let new = corners.map(|v| {
            let around = &owners[first[v as usize] as usize..first[v as usize + 1] as usize];
            let near = around.iter().map(|&o| normals[o as usize]).filter(|&n| dot(own, unit(n)) > SMOOTH);
            let sum = near.fold([0.0; 3], add);
            let normal = if dot(sum, sum) > 0.0 { unit(sum) } else { own };
            let is_same = |&w: &u32| dot(mesh.normal[w as usize], normal) > 0.9999;
            let found = made[v as usize].iter().copied().find(is_same);
            found.unwrap_or_else(|| {
                let w = mesh.vertex(position[v as usize], normal, [0.0; 2]);
                made[v as usize].push(w);
                w
            })
        });
        mesh.triangle.push(new);
    }
    mesh
}
