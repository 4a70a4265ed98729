//! Meshes: scaled, centred on their centre of mass and aligned with their principal axes; convex
//! hulls.

mod fit;
mod hull;
mod inertia;

use super::eigen::{SINGLE, principal_axes};
use super::names::{Element, Outcome};
use super::pose::Pose;
use crate::ids::Span;
use crate::model::Model;
use crate::model::kinds::{GeomShape, MeshInertia};
use crate::model::spec::{MeshSpec, ModelSpec};
use saltus_math::Vec3;
use std::collections::HashSet;

/// Maximum number of vertices or faces of one mesh.
const MAX_COUNT: usize = 1 << 26;

/// A mesh ready for the tables.
#[derive(Clone, Debug)]
pub(super) struct BuiltMesh {
    /// Vertices relative to `frame`.
    pub vertices: Vec<[f32; 3]>,
    pub faces: Vec<[u32; 3]>,
    /// Convex hull: triangles, and the vertices that they use.
    pub hull_faces: Vec<[u32; 3]>,
    pub hull_vertices: Vec<u32>,
    /// Centre of mass and principal axes in the coordinates of the (scaled) file.
    pub frame: Pose,
    /// Volume, or area if the mesh is a shell.
    pub measure: f64,
    /// Principal moments per unit mass.
    pub moments: Vec3,
    /// Bounding box in `frame`: centre, half sizes.
    pub aabb: [f64; 6],
}

/// Builds all meshes.
pub(super) fn build_meshes(spec: &ModelSpec) -> Outcome<Vec<BuiltMesh>> {
    let colliding = colliding_meshes(spec);
    let build = |(id, mesh): (usize, &MeshSpec)| build_mesh(mesh, id, colliding.contains(mesh.name.as_str()));
    spec.meshes.iter().enumerate().map(build).collect()
}

/// Names of meshes that take part in collisions: only those need a hull.
fn colliding_meshes(spec: &ModelSpec) -> HashSet<&str> {
    let paired: HashSet<&str> = spec.pairs.iter().flat_map(|p| [p.geom1.as_str(), p.geom2.as_str()]).collect();
    let geoms = spec.bodies.iter().flat_map(|b| &b.geoms).filter(|g| g.shape == GeomShape::Mesh);
    let colliding = geoms.filter(|g| g.contype != 0 || g.conaffinity != 0 || paired.contains(g.name.as_str()));
    colliding.filter_map(|g| g.mesh.as_deref()).collect()
}

fn build_mesh(spec: &MeshSpec, id: usize, collides: bool) -> Outcome<BuiltMesh> {
    let element = Element::new("mesh", &spec.name, id, &spec.place);
    check_data(spec, &element)?;
    let points = placed_points(spec);
    let mut faces = spec.data.faces.clone();
    let hull = if collides || faces.is_empty() || spec.inertia == MeshInertia::Convex {
        hull::convex_hull(&points).map_err(|e| element.error(e))?
    } else {
        hull::Hull::default()
    };
    if faces.is_empty() {
        faces.clone_from(&hull.faces);
    } else if spec.scale.x * spec.scale.y * spec.scale.z < 0.0 {
        // A reflection reverses the orientation of the triangles.
        for f in &mut faces {
            f.swap(1, 2);
        }
    }
    let surface = if spec.inertia == MeshInertia::Convex { &hull.faces } else { &faces };
    let sum = inertia::mass_properties(&points, surface, spec.inertia).map_err(|e| element.error(e))?;
    let (moments, quat) = principal_axes(&sum.inertia, SINGLE);
    element.check(moments.min_element() > 0.0, || {
        format!("its inertia is not positive definite; principal moments are {moments}")
    })?;
    let frame = Pose::new(sum.com, quat);
    let inverse = frame.inverse();
    let local: Vec<Vec3> = points.iter().map(|p| inverse.quat.rotate(*p - sum.com)).collect();
    let (low, high) = local.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    let (centre, half) = ((low + high) * 0.5, (high - low) * 0.5);
    Ok(BuiltMesh {
        vertices: local.iter().map(|p| p.to_array().map(|x| x as f32)).collect(),
        faces,
        hull_faces: hull.faces,
        hull_vertices: hull.vertices,
        frame,
        measure: sum.measure,
        moments: moments / sum.measure,
        aabb: [centre.x, centre.y, centre.z, half.x, half.y, half.z],
    })
}

fn check_data(spec: &MeshSpec, element: &Element) -> Outcome {
    let (vertices, faces) = (&spec.data.vertices, &spec.data.faces);
    element.check(vertices.len() >= 4, || format!("at least 4 vertices are needed, got {}", vertices.len()))?;
    element.check(vertices.len() < MAX_COUNT && faces.len() < MAX_COUNT, || "the mesh is too large".into())?;
    element.check(vertices.iter().flatten().all(|x| x.is_finite()), || "vertices must be finite".into())?;
    let count = vertices.len() as u32;
    element.check(faces.iter().flatten().all(|i| *i < count), || {
        format!("a face refers to a vertex that does not exist; there are {count} vertices")
    })?;
    let scale = spec.scale.to_array();
    element.check(scale.iter().all(|s| s.is_finite() && *s != 0.0), || {
        format!("scale must be finite and not zero, got {scale:?}")
    })?;
    element.check_finite("refpos", &spec.ref_pos.to_array())?;
    element.check_finite("refquat", &spec.ref_quat.to_array())
}

/// Vertices after removing the reference frame and applying the scale.
fn placed_points(spec: &MeshSpec) -> Vec<Vec3> {
    let rotation = spec.ref_quat.normalized().conj();
    let point = |v: &[f32; 3]| {
        let p = Vec3::new(v[0].into(), v[1].into(), v[2].into()) - spec.ref_pos;
        rotation.rotate(p) * spec.scale
    };
    spec.data.vertices.iter().map(point).collect()
}

/// Fills the mesh table.
pub(super) fn fill_meshes(spec: &ModelSpec, meshes: &[BuiltMesh], model: &mut Model) {
    let table = &mut model.meshes;
    for (mesh, built) in spec.meshes.iter().zip(meshes) {
        table.name.push(mesh.name.clone());
        table.file.push(mesh.file.clone().unwrap_or_default());
        table.vertices.push(Span::new(table.vertex.len(), built.vertices.len()));
        table.faces.push(Span::new(table.face.len(), built.faces.len()));
        table.hull_faces.push(Span::new(table.hull_face.len(), built.hull_faces.len()));
        table.hull_vertices.push(Span::new(table.hull_vertex.len(), built.hull_vertices.len()));
        table.scale.push(mesh.scale);
        table.pos.push(built.frame.pos);
        table.quat.push(built.frame.quat);
        table.vertex.extend_from_slice(&built.vertices);
        table.face.extend_from_slice(&built.faces);
        table.hull_face.extend_from_slice(&built.hull_faces);
        table.hull_vertex.extend_from_slice(&built.hull_vertices);
    }
    model.index_hulls();
}
