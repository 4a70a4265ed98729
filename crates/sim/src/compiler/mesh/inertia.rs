//! Volume, centre of mass and inertia of a triangle mesh.

use crate::compiler::pose::symmetric;
use crate::model::kinds::MeshInertia;
use saltus_math::{MIN_VAL, Mat3, Vec3};

/// Measure (volume or area), centre of mass, and inertia about it for unit density.
#[derive(Clone, Copy, Debug)]
pub(super) struct MassProperties {
    pub measure: f64,
    pub com: Vec3,
    pub inertia: Mat3,
}

/// A piece of the mesh: its corners, weight, and centroid.
struct Piece {
    corners: [Vec3; 3],
    measure: f64,
    centroid: Vec3,
}

/// Sums over pieces: tetrahedra spanned by each face and a reference point, or the faces themselves
/// for shells.
///
/// Exact sums use signed volumes, which are correct for any closed, consistently oriented surface.
/// The legacy rule uses absolute volumes, about the centroid of the surface for the centre of mass
/// and then about that centre, which counts parts of a non-convex mesh twice.
pub(super) fn mass_properties(
    points: &[Vec3],
    faces: &[[u32; 3]],
    kind: MeshInertia,
) -> Result<MassProperties, String> {
    let shell = kind == MeshInertia::Shell;
    let origin = surface_centroid(points, faces)?;
    let (mut measure, mut moment) = (0.0, Vec3::ZERO);
    for p in pieces(points, faces, kind, origin) {
        measure += p.measure;
        moment += p.centroid * p.measure;
    }
    check_measure(measure, shell)?;
    let com = origin + moment / measure;
    let (mut second, mut measure) = ([0.0; 6], 0.0);
    for p in pieces(points, faces, kind, com) {
        measure += p.measure;
        add_second_moments(&mut second, &p, shell);
    }
    check_measure(measure, shell)?;
    let [xx, yy, zz, xy, xz, yz] = second;
    let inertia = symmetric([yy + zz, xx + zz, xx + yy, -xy, -xz, -yz]);
    Ok(MassProperties { measure, com, inertia })
}

fn check_measure(measure: f64, shell: bool) -> Result<(), String> {
    if measure >= MIN_VAL {
        return Ok(());
    }
    let what = if shell { "area" } else { "volume" };
    let hint = if measure < -MIN_VAL { "its triangles face inwards" } else { "inertia=\"shell\" needs only an area" };
    Err(format!("its {what} is {measure:e}, which is too small; {hint}"))
}

/// Pieces with corners relative to `origin`.
fn pieces<'a>(
    points: &'a [Vec3],
    faces: &'a [[u32; 3]],
    kind: MeshInertia,
    origin: Vec3,
) -> impl Iterator<Item = Piece> + 'a {
    faces.iter().map(move |f| {
        let corners = f.map(|i| points[i as usize] - origin);
        let [a, b, c] = corners;
        if kind == MeshInertia::Shell {
            return Piece { corners, measure: 0.5 * (b - a).cross(c - a).length(), centroid: (a + b + c) / 3.0 };
        }
        let signed = a.dot(b.cross(c)) / 6.0;
        let measure = if kind == MeshInertia::Legacy { signed.abs() } else { signed };
        Piece { corners, measure, centroid: (a + b + c) / 4.0 }
    })
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

/// Adds ∫ x xᵀ of a piece about its origin. For a simplex with vertices vᵢ (n of them) and measure
/// V, ∫ x xᵀ = V / (n (n+1)) (Σ vᵢ vᵢᵀ + (Σ vᵢ)(Σ vᵢ)ᵀ); the fourth corner of a tetrahedron is the
/// origin.
fn add_second_moments(second: &mut [f64; 6], piece: &Piece, shell: bool) {
    let [a, b, c] = piece.corners;
    let sum = a + b + c;
    let scale = piece.measure / if shell { 12.0 } else { 20.0 };
    let entry = |i: usize, j: usize| scale * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
    for (k, (i, j)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        second[k] += entry(i, j);
    }
}
