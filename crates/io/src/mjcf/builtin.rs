//! Built-in meshes, generated from parameters.

use crate::error::ReadError;
use crate::xml::Element;
use saltus_math::{Vec3, real};
use saltus_sim::model::spec::TriMesh;
use std::collections::BTreeMap;

/// Maximum resolution: the number of vertices grows with its square.
const MAX_RESOLUTION: f64 = 4000.0;

/// Generates the mesh that `builtin` and `params` describe.
pub fn mesh(e: Element, kind: &str) -> Result<TriMesh, ReadError> {
    let params = e.list("params")?.unwrap_or_default();
    let wrong = |expected: &str| Err(e.attribute_error("params", format!("builtin {kind:?} takes {expected}")));
    let whole = |x: f64, low: f64, high: f64| x.fract() == 0.0 && (low..=high).contains(&x);
    let count = |x: f64, low: f64| whole(x, low, MAX_RESOLUTION);
    match (kind, &params[..]) {
        ("sphere", &[level]) if whole(level, 0.0, 4.0) => Ok(sphere(level as usize)),
        ("sphere", _) => wrong("one integer from 0 to 4: how often to subdivide an icosahedron"),
        ("hemisphere", &[r]) if whole(r, 0.0, 10.0) => Ok(hemisphere(r as usize + 1)),
        ("hemisphere", _) => wrong("one integer from 0 to 10: the resolution of a quarter of the equator"),
        ("cone", &[n, radius]) if whole(n, 3.0, 1e5) && (0.0..=1.0).contains(&radius) => Ok(cone(n as usize, radius)),
        ("cone", _) => wrong("the number of sides (3 or more) and the radius of the top (0 to 1)"),
        ("supersphere", &[r, east, north]) if count(r, 3.0) && east >= 0.0 && north >= 0.0 => {
            Ok(supersphere(r as usize, east, north))
        }
        ("supersphere", _) => wrong("a resolution (3 to 4000) and two exponents (0 or more)"),
        ("supertorus", &[r, radius, minor, major])
            if count(r, 3.0) && radius > 0.0 && radius <= 1.0 && minor > 0.0 && major > 0.0 =>
        {
            Ok(supertorus(r as usize, radius, [minor, major]))
        }
        ("supertorus", _) => wrong("a resolution (3 to 4000), a radius (0 to 1) and two positive exponents"),
        ("wedge", &[m, n, across, along, fovea])
            if count(m, 1.0)
                && count(n, 1.0)
                && (across > 0.0 && across <= 180.0 && along > 0.0 && along < 90.0)
                && (0.0..=1.0).contains(&fovea) =>
        {
            Ok(wedge([m as usize, n as usize], [across, along], fovea))
        }
        ("wedge", _) => wrong(
            "two resolutions (1 to 4000), two fields of view (degrees, up to 180 and below 90) and a deformation (0 to 1)",
        ),
        ("plate", &[m, n]) if count(m, 1.0) && count(n, 1.0) => Ok(plate(m as usize, n as usize)),
        ("plate", _) => wrong("two resolutions (1 to 4000)"),
        _ => {
            let supported = "sphere, hemisphere, cone, supersphere, supertorus, wedge and plate";
            Err(e.attribute_error("builtin", format!("{kind:?} is not supported; these are: {supported}")))
        }
    }
}

fn single(v: Vec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

/// Faces of an icosahedron, in MuJoCo's order: around one vertex, the next two belts, around the
/// opposite one.
const ICOSAHEDRON: [[usize; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// An icosahedron inscribed in the unit sphere, with faces subdivided `level` times.
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
    let mut faces = ICOSAHEDRON.to_vec();
    for _ in 0..level {
        faces = split(&mut vertices, &faces);
    }
    let faces = faces.into_iter().map(|f| f.map(|i| i as u32)).collect();
    TriMesh { vertices: vertices.into_iter().map(single).collect(), faces }
}

/// Splits each triangle into four, with new vertices on the sphere.
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

/// Half of an octahedron whose faces are split into n² triangles, projected onto the unit sphere,
/// closed at the equator.
fn hemisphere(n: usize) -> TriMesh {
    const SIDES: [[f64; 2]; 5] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
    let mut vertices = vec![[0.0, 0.0, 1.0]];
    for ring in 1..=n {
        for quarter in SIDES.windows(2) {
            for i in 0..ring {
                let mix = |k: usize| (ring - i) as f64 * quarter[0][k] + i as f64 * quarter[1][k];
                vertices.push(single(Vec3::new(mix(0), mix(1), (n - ring) as f64).normalize()));
            }
        }
    }
    vertices.push([0.0; 3]);
    // Corner `i` of a quarter of a ring; ring 0 is the pole.
    let at = |ring: usize, quarter: usize, i: usize| match ring {
        0 => 0,
        _ => (1 + 2 * ring * (ring - 1) + (quarter * ring + i) % (4 * ring)) as u32,
    };
    let mut faces = Vec::new();
    for ring in 0..n {
        for quarter in 0..4 {
            for i in 0..=ring {
                let (inner, outer) = (at(ring, quarter, i), at(ring + 1, quarter, i));
                let next = at(ring + 1, quarter, i + 1);
                faces.push([inner, outer, next]);
                if i < ring {
                    faces.push([inner, next, at(ring, quarter, i + 1)]);
                }
            }
        }
    }
    let centre = vertices.len() as u32 - 1;
    faces.extend((0..4 * n).map(|i| [at(n, 0, i), centre, at(n, 0, i + 1)]));
    TriMesh { vertices, faces }
}

/// sign(x) |x|ⁿ.
fn power(x: f64, n: f64) -> f64 {
    let size = real::powf(x.abs(), n);
    if x < 0.0 { -size } else { size }
}

/// Two triangles for each cell of a grid that is periodic in its second direction: corners a, b of
/// one row, c, d of the next.
fn ring_cells(row: usize, next: usize, count: usize, faces: &mut Vec<[u32; 3]>) {
    for j in 0..count {
        let along = (j + 1) % count;
        let [a, b, c, d] = [row + j, row + along, next + j, next + along].map(|i| i as u32);
        faces.extend([[a, b, c], [b, d, c]]);
    }
}

/// A superellipsoid: rings of `n` points between the poles.
fn supersphere(n: usize, east: f64, north: f64) -> TriMesh {
    let mut vertices = vec![[0.0, 0.0, -1.0]];
    for i in 1..n {
        let (sin_phi, cos_phi) = real::sin_cos(-real::PI / 2.0 + real::PI * i as f64 / n as f64);
        for j in 0..n {
            let (sin_theta, cos_theta) = real::sin_cos(-real::PI + 2.0 * real::PI * j as f64 / n as f64);
            let radius = power(cos_phi, north);
            let point =
                Vec3::new(radius * power(cos_theta, east), radius * power(sin_theta, east), power(sin_phi, north));
            vertices.push(single(point));
        }
    }
    vertices.push([0.0, 0.0, 1.0]);
    let corner = |ring: usize, j: usize| (1 + (ring - 1) * n + j % n) as u32;
    let mut faces: Vec<_> = (0..n).map(|j| [0, corner(1, j + 1), corner(1, j)]).collect();
    (1..n - 1).for_each(|ring| ring_cells(1 + (ring - 1) * n, 1 + ring * n, n, &mut faces));
    let top = vertices.len() as u32 - 1;
    faces.extend((0..n).map(|j| [corner(n - 1, j), corner(n - 1, j + 1), top]));
    TriMesh { vertices, faces }
}

/// A supertoroid of major radius 1: `n` sections of `n` points, exponents of sections and of the
/// whole.
fn supertorus(n: usize, radius: f64, [minor, major]: [f64; 2]) -> TriMesh {
    let angle = |i: usize| real::sin_cos(2.0 * real::PI * i as f64 / n as f64);
    let mut vertices = Vec::with_capacity(n * n);
    for i in 0..n {
        let (sin_theta, cos_theta) = angle(i);
        for j in 0..n {
            let (sin_phi, cos_phi) = angle(j);
            let out = 1.0 + radius * power(cos_phi, minor);
            let (x, y) = (out * power(cos_theta, major), out * power(sin_theta, major));
            vertices.push(single(Vec3::new(x, y, radius * power(sin_phi, minor))));
        }
    }
    let mut faces = Vec::with_capacity(2 * n * n);
    for i in 0..n {
        for j in 0..n {
            let (section, point) = ((i + 1) % n, (j + 1) % n);
            let [a, b, c, d] = [i * n + j, section * n + j, i * n + point, section * n + point].map(|k| k as u32);
            faces.extend([[a, b, c], [b, d, c]]);
        }
    }
    TriMesh { vertices, faces }
}

/// Centres of the cells of a grid on the unit sphere about −z, without faces. Lines of the grid, at
/// −1 ≤ x ≤ 1, are moved to (1 − γ) x + γ x⁵.
fn wedge([m, n]: [usize; 2], view: [f64; 2], fovea: f64) -> TriMesh {
    let line = |i: usize, count: usize| {
        let x = 2.0 * i as f64 / count as f64 - 1.0;
        (1.0 - fovea) * x + fovea * (x * x) * (x * x) * x
    };
    let centre = |i: usize, count: usize| 0.5 * (line(i, count) + line(i + 1, count));
    let mut vertices = Vec::with_capacity(m * n);
    for i in 0..m {
        let (sin_phi, cos_phi) = real::sin_cos((view[0] * centre(i, m)).to_radians());
        for j in 0..n {
            let (sin_theta, cos_theta) = real::sin_cos((view[1] * centre(j, n)).to_radians());
            vertices.push(single(Vec3::new(sin_phi * cos_theta, sin_theta, -cos_phi * cos_theta)));
        }
    }
    TriMesh { vertices, faces: Vec::new() }
}

/// Centres of the cells of a grid on the square at z = −1.
fn plate(m: usize, n: usize) -> TriMesh {
    let centre = |i: usize, count: usize| (2 * i + 1) as f64 / count as f64 - 1.0;
    let mut vertices = Vec::with_capacity(m * n);
    for i in 0..m {
        vertices.extend((0..n).map(|j| single(Vec3::new(centre(i, m), centre(j, n), -1.0))));
    }
    let mut faces = Vec::new();
    for i in 1..m {
        for j in 1..n {
            let [a, b, c, d] = [(i - 1) * n + j - 1, i * n + j - 1, (i - 1) * n + j, i * n + j].map(|k| k as u32);
            faces.extend([[a, b, c], [d, c, b]]);
        }
    }
    TriMesh { vertices, faces }
}
