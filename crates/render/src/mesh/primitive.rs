//! Unit shapes, which instances scale.

use super::Mesh;
use crate::vector::V3;
use saltus_math::real::{cos, sin};

/// Corners of a full circle.
const CIRCLE: usize = 28;
/// Rings from pole to pole of a sphere.
const RINGS: usize = 16;

fn around(k: usize) -> (f32, f32) {
    let angle = core::f64::consts::TAU * k as f64 / CIRCLE as f64;
    (sin(angle) as f32, cos(angle) as f32)
}

/// Rings of a sphere of radius 1, from the north pole (ring 0).
fn rings(count: usize) -> Mesh {
    let mut mesh = Mesh::default();
    for ring in 0..=count {
        let polar = core::f64::consts::PI * ring as f64 / RINGS as f64;
        let (s, z) = (sin(polar) as f32, cos(polar) as f32);
        for k in 0..=CIRCLE {
            let (sine, cosine) = around(k);
            let p: V3 = [s * cosine, s * sine, z];
            mesh.vertex(p, p, [k as f32 / CIRCLE as f32, ring as f32 / RINGS as f32]);
        }
    }
    let row = CIRCLE as u32 + 1;
    for ring in 0..count as u32 {
        for k in 0..CIRCLE as u32 {
            let (a, b) = (ring * row + k, (ring + 1) * row + k);
            if ring > 0 {
                mesh.triangle.push([a, b, a + 1]);
            }
            if ring + 1 < RINGS as u32 {
                mesh.triangle.push([a + 1, b, b + 1]);
            }
        }
    }
    mesh
}

/// A sphere of radius 1.
pub fn sphere() -> Mesh {
    rings(RINGS)
}

/// The upper half of a sphere of radius 1, open below.
pub fn half_sphere() -> Mesh {
    rings(RINGS / 2)
}

/// The side of a cylinder of radius 1 from z = −1 to 1, open at both ends.
pub fn cylinder() -> Mesh {
    let mut mesh = Mesh::default();
    for k in 0..=CIRCLE {
        let (s, c) = around(k);
        for z in [-1.0, 1.0] {
            mesh.vertex([c, s, z], [c, s, 0.0], [k as f32 / CIRCLE as f32, 0.5 * (1.0 - z)]);
        }
    }
    for k in 0..CIRCLE as u32 {
        let [a, b, c, d] = [2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3];
        mesh.triangle.extend([[a, c, b], [b, c, d]]);
    }
    mesh
}

/// A disc of radius 1 in the plane z = 0, seen from above.
pub fn disc() -> Mesh {
    let mut mesh = Mesh::default();
    let up = [0.0, 0.0, 1.0];
    mesh.vertex([0.0; 3], up, [0.5, 0.5]);
    for k in 0..=CIRCLE {
        let (s, c) = around(k);
        mesh.vertex([c, s, 0.0], up, [0.5 + 0.5 * c, 0.5 - 0.5 * s]);
    }
    for k in 1..=CIRCLE as u32 {
        mesh.triangle.push([0, k, k + 1]);
    }
    mesh
}

/// The square from −1 to 1 in the plane z = 0, seen from above.
pub fn square() -> Mesh {
    let mut mesh = Mesh::default();
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        mesh.vertex([x, y, 0.0], [0.0, 0.0, 1.0], [0.5 + 0.5 * x, 0.5 - 0.5 * y]);
    }
    mesh.triangle = vec![[0, 1, 2], [0, 2, 3]];
    mesh
}

/// A cube from −1 to 1.
pub fn cube() -> Mesh {
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        for sign in [-1.0f32, 1.0] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut normal: V3 = [0.0; 3];
            normal[axis] = sign;
            let first = mesh.position.len() as u32;
            for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut p = normal;
                (p[u], p[v]) = (a * sign, b);
                mesh.vertex(p, normal, [0.5 + 0.5 * a, 0.5 - 0.5 * b]);
            }
            mesh.triangle.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{cross, dot, sub};

    #[test]
    fn triangles_face_outwards() {
        for (name, mesh) in [
            ("sphere", sphere()),
            ("half", half_sphere()),
            ("cylinder", cylinder()),
            ("disc", disc()),
            ("square", square()),
            ("cube", cube()),
        ] {
            for t in &mesh.triangle {
                let [a, b, c] = t.map(|v| mesh.position[v as usize]);
                let normal = cross(sub(b, a), sub(c, a));
                assert!(dot(normal, normal) > 1e-12, "{name}: a triangle without area");
                assert!(t.iter().all(|&v| dot(normal, mesh.normal[v as usize]) > 0.0), "{name}: {t:?}");
            }
        }
    }

    #[test]
    fn surfaces_have_nearly_the_area_of_their_shapes() {
        let area = |mesh: &Mesh| {
            let of = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|v| mesh.position[v as usize]);
                let n = cross(sub(b, a), sub(c, a));
                0.5 * dot(n, n).sqrt()
            };
            mesh.triangle.iter().map(of).sum::<f32>()
        };
        let pi = core::f32::consts::PI;
        for (mesh, exact) in [
            (sphere(), 4.0 * pi),
            (half_sphere(), 2.0 * pi),
            (cylinder(), 4.0 * pi),
            (disc(), pi),
            (square(), 4.0),
            (cube(), 24.0),
        ] {
            assert!((area(&mesh) / exact - 1.0).abs() < 0.02, "{} {exact}", area(&mesh));
        }
    }
}
