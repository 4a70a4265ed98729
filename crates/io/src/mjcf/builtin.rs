//! Meshes that a model asks to be generated: icospheres and cones.

use super::tree::Element;
use crate::error::ReadError;
use saltus_math::{Vec3, real};
use saltus_sim::model::spec::TriMesh;
use std::collections::BTreeMap;

/// Generates the mesh that `builtin` and `params` describe.
pub fn mesh(e: Element, kind: &str) -> Result<TriMesh, ReadError> {
    let params = e.list("params")?.unwrap_or_default();
    let wrong = |expected: &str| e.attribute_error("params", format!("builtin {kind:?} takes {expected}"));
    match (kind, &params[..]) {
        ("sphere", &[level]) if level.fract() == 0.0 && (0.0..=4.0).contains(&level) => Ok(sphere(level as usize)),
        ("sphere", _) => Err(wrong("one integer from 0 to 4: how often to subdivide an icosahedron")),
        ("cone", &[n, radius]) if n.fract() == 0.0 && (3.0..=1e5).contains(&n) && (0.0..=1.0).contains(&radius) => {
            Ok(cone(n as usize, radius))
        }
        ("cone", _) => Err(wrong("the number of sides (3 or more) and the radius of the top (0 to 1)")),
        _ => Err(e.attribute_error("builtin", format!("{kind:?} is not supported; sphere and cone are"))),
    }
}

fn single(v: Vec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

/// An icosahedron inside the unit sphere, its faces split in four `level` times.
fn sphere(level: usize) -> TriMesh {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut vertices = Vec::new();
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        for (a, b) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
            let mut v = Vec3::ZERO;
            (v[i], v[j]) = (a, b);
            vertices.push(v.normalize());
        }
    }
    // Triangles between vertices that are one edge apart, turned outwards.
    let edge = vertices.iter().skip(1).map(|v| v.distance(vertices[0])).fold(f64::INFINITY, f64::min);
    let near = |a: Vec3, b: Vec3| (a.distance(b) - edge).abs() < 1e-9;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let (p, q, r) = (vertices[a], vertices[b], vertices[c]);
                if near(p, q) && near(q, r) && near(p, r) {
                    let outward = (q - p).cross(r - p).dot(p) > 0.0;
                    faces.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    for _ in 0..level {
        faces = split(&mut vertices, &faces);
    }
    let faces = faces.into_iter().map(|f| f.map(|i| i as u32)).collect();
    TriMesh { vertices: vertices.into_iter().map(single).collect(), faces }
}

/// Splits each triangle in four, new vertices on the sphere.
fn split(vertices: &mut Vec<Vec3>, faces: &[[usize; 3]]) -> Vec<[usize; 3]> {
    let mut middles = BTreeMap::new();
    let mut middle = |a: usize, b: usize| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            vertices.push((vertices[a] + vertices[b]).normalize());
            vertices.len() - 1
        })
    };
    let mut smaller = Vec::with_capacity(4 * faces.len());
    for &[a, b, c] in faces {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        smaller.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    smaller
}

/// Hull of a regular polygon at z = −1 and a scaled one (or a point) at z = 1.
fn cone(sides: usize, radius: f64) -> TriMesh {
    let corner = |i: usize, r: f64, z: f64| {
        let (s, c) = real::sin_cos(2.0 * real::PI * i as f64 / sides as f64);
        single(Vec3::new(r * c, r * s, z))
    };
    let mut vertices: Vec<_> = (0..sides).map(|i| corner(i, 1.0, -1.0)).collect();
    if radius == 0.0 {
        vertices.push([0.0, 0.0, 1.0]);
    } else {
        vertices.extend((0..sides).map(|i| corner(i, radius, 1.0)));
    }
    TriMesh { vertices, faces: Vec::new() }
}
