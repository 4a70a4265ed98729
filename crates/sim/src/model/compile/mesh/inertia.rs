//! Volume, centre of mass and inertia of a triangle mesh.

use crate::model::compile::pose::symmetric;
use crate::model::kinds::MeshInertia;
use saltus_math::{MIN_VAL, Mat3, Vec3};

/// Measure (volume or area), centre of mass, and inertia about it for unit density.
#[derive(Clone, Copy, Debug)]
pub(super) struct MassProperties {
    pub measure: f64,
    pub com: Vec3,
    pub inertia: Mat3,
}

/// One piece of the mesh: its corners, weight, and centroid.
struct Piece {
    corners: [Vec3; 3],
    measure: f64,
    centroid: Vec3,
}

/// Sums over pieces: tetrahedra between each face and a reference point, or the faces themselves for shells.
///
/// Exact sums take signed volumes, which are right for any closed, well-oriented surface. The legacy rule takes
/// absolute volumes about the centroid of the surface, which counts some of a non-convex mesh twice.
pub(super) fn mass_properties(
    points: &[Vec3],
    faces: &[[u32; 3]],
    kind: MeshInertia,
) -> Result<MassProperties, String> {
    let shell = kind == MeshInertia::Shell;
    let centre = surface_centroid(points, faces)?;
    let pieces = || {
        faces.iter().map(move |f| {
            let corners = f.map(|i| points[i as usize] - centre);
            let [a, b, c] = corners;
            if shell {
                return Piece { corners, measure: 0.5 * (b - a).cross(c - a).length(), centroid: (a + b + c) / 3.0 };
            }
            let signed = a.dot(b.cross(c)) / 6.0;
            let measure = if kind == MeshInertia::Legacy { signed.abs() } else { signed };
            Piece { corners, measure, centroid: (a + b + c) / 4.0 }
        })
    };
    let (mut measure, mut moment) = (0.0, Vec3::ZERO);
    for p in pieces() {
        measure += p.measure;
        moment += p.centroid * p.measure;
    }
    if measure < MIN_VAL {
        let what = if shell { "area" } else { "volume" };
        return Err(format!(
            "its {what} is {measure:e}; it must be positive (is the surface open, flat, or turned inside out?)"
        ));
    }
    let com = moment / measure;
    let mut second = [0.0; 6];
    for p in pieces() {
        add_second_moments(&mut second, &p, com, shell);
    }
    let [xx, yy, zz, xy, xz, yz] = second;
    let inertia = symmetric([yy + zz, xx + zz, xx + yy, -xy, -xz, -yz]);
    Ok(MassProperties { measure, com: com + centre, inertia })
}

/// Area-weighted mean of the faces' centres.
fn surface_centroid(points: &[Vec3], faces: &[[u32; 3]]) -> Result<Vec3, String> {
    let (mut area, mut moment) = (0.0, Vec3::ZERO);
    for f in faces {
        let [a, b, c] = f.map(|i| points[i as usize]);
        let face = 0.5 * (b - a).cross(c - a).length();
        area += face;
        moment += (a + b + c) * (face / 3.0);
    }
    if area < MIN_VAL { Err("the area of its surface is zero".into()) } else { Ok(moment / area) }
}

/// Adds ∫ x xᵀ of a piece about `com`. For a simplex with vertices vᵢ (n of them) and measure V,
/// ∫ x xᵀ = V / (n (n+1)) (Σ vᵢ vᵢᵀ + (Σ vᵢ)(Σ vᵢ)ᵀ).
fn add_second_moments(second: &mut [f64; 6], piece: &Piece, com: Vec3, shell: bool) {
    let [a, b, c] = piece.corners.map(|v| v - com);
    // The fourth corner of a tetrahedron is the reference point.
    let d = if shell { Vec3::ZERO } else { -com };
    let sum = a + b + c + d;
    let scale = piece.measure / if shell { 12.0 } else { 20.0 };
    let entry = |i: usize, j: usize| scale * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + d[i] * d[j] + sum[i] * sum[j]);
    for (k, (i, j)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        second[k] += entry(i, j);
    }
}
