//! Convex hulls, computed by parry.

use crate::compiler::eigen::{EXACT, principal_axes};
use crate::compiler::pose::symmetric;
use parry3d_f64::transformation::try_convex_hull;
use saltus_math::Vec3;

/// Triangles of a convex hull and the vertices they use, as indices into the input points.
#[derive(Clone, Debug, Default)]
pub(super) struct Hull {
    pub faces: Vec<[u32; 3]>,
    pub vertices: Vec<u32>,
}

/// Convex hull of points, counter-clockwise from outside.
///
/// The library fails on nearly coplanar points. An affine map preserves which points are on the
/// hull, so these are first scaled to equal extent in all directions.
pub(super) fn convex_hull(points: &[Vec3]) -> Result<Hull, String> {
    let hull = hull_of(points)?;
    if looks_outwards(points, &hull) {
        return Ok(hull);
    }
    match stretched(points).map(|p| hull_of(&p)) {
        Some(Ok(again)) if looks_outwards(points, &again) => Ok(again),
        _ => Ok(hull),
    }
}

/// Faces of a hull that point inward may account for this fraction of its volume.
const INWARD: f64 = 1e-6;

/// Whether the faces of a hull point away from the mean of its vertices.
fn looks_outwards(points: &[Vec3], hull: &Hull) -> bool {
    let corner = |i: u32| points[i as usize];
    let sum = hull.vertices.iter().fold(Vec3::ZERO, |sum, v| sum + corner(*v));
    let centre = sum / hull.vertices.len() as f64;
    let (mut whole, mut inward) = (0.0, 0.0);
    for f in &hull.faces {
        let [a, b, c] = f.map(|i| corner(i) - centre);
        let volume = a.dot(b.cross(c));
        whole += volume;
        inward += f64::min(volume, 0.0);
    }
    whole > 0.0 && -inward <= INWARD * whole
}

/// The points in a frame and scale in which their covariance is the identity; None if they are
/// coplanar.
fn stretched(points: &[Vec3]) -> Option<Vec<Vec3>> {
    let count = points.len() as f64;
    let mean = points.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / count;
    let mut spread = [0.0; 6];
    for p in points {
        let [x, y, z] = (*p - mean).to_array();
        let products = [x * x, y * y, z * z, x * y, x * z, y * z];
        spread.iter_mut().zip(products).for_each(|(s, x)| *s += x / count);
    }
    let (variance, axes) = principal_axes(&symmetric(spread), EXACT);
    let scale = variance.to_array().map(|v| 1.0 / v.sqrt());
    let inverse = axes.conj();
    let stretch = |p: &Vec3| inverse.rotate(*p - mean) * Vec3::from_array(scale);
    scale.iter().all(|s| s.is_finite()).then(|| points.iter().map(stretch).collect())
}

fn hull_of(points: &[Vec3]) -> Result<Hull, String> {
    let (hull_points, hull_faces) =
        try_convex_hull(points).map_err(|e| format!("its vertices have no convex hull: {e:?}"))?;
    // The library returns coordinates; map them back to our points.
    let key = |p: &Vec3| p.to_array().map(|x| if x == 0.0 { 0 } else { x.to_bits() });
    let mut index = std::collections::HashMap::with_capacity(points.len());
    for (i, p) in points.iter().enumerate() {
        index.entry(key(p)).or_insert(i as u32);
    }
    let mut ids = Vec::with_capacity(hull_points.len());
    for p in &hull_points {
        let id = index.get(&key(p)).ok_or("its convex hull has a vertex that is not in the mesh")?;
        ids.push(*id);
    }
    let faces: Vec<[u32; 3]> = hull_faces.iter().map(|f| f.map(|i| ids[i as usize])).collect();
    let mut vertices: Vec<u32> = faces.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    Ok(Hull { faces, vertices })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curved membrane, a million times as wide as thick, rotated in space: points of a
    /// paraboloid, which are all on the hull.
    fn membrane(count: usize) -> Vec<Vec3> {
        let axes = saltus_math::Quat::new(0.3, 0.5, -0.2, 0.7).normalized();
        let point = |i: usize| {
            let (r, angle) = ((i as f64 / count as f64).sqrt(), 2.399963 * i as f64);
            let (x, y) = (r * angle.cos(), r * angle.sin());
            let single = axes.rotate(Vec3::new(x, y, 1e-6 * r * r)).to_array().map(|x| f64::from(x as f32));
            Vec3::from_array(single)
        };
        (0..count).map(point).collect()
    }

    #[test]
    fn hulls_of_thin_meshes_look_outwards() {
        for count in [50, 200, 1000] {
            let points = membrane(count);
            assert!(looks_outwards(&points, &convex_hull(&points).unwrap()), "{count}");
        }
    }
}
