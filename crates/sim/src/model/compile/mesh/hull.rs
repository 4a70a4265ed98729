//! Convex hulls, by parry.

use parry3d_f64::transformation::try_convex_hull;
use saltus_math::Vec3;

/// Triangles of a convex hull and the vertices they use, as indices into the points it was made of.
#[derive(Clone, Debug, Default)]
pub(super) struct Hull {
    pub faces: Vec<[u32; 3]>,
    pub vertices: Vec<u32>,
}

/// Convex hull of points, seen from outside counter-clockwise.
pub(super) fn convex_hull(points: &[Vec3]) -> Result<Hull, String> {
    let (hull_points, hull_faces) =
        try_convex_hull(points).map_err(|e| format!("its vertices have no convex hull: {e:?}"))?;
    // The library returns coordinates; find which of our points they are.
    let key = |p: &Vec3| p.to_array().map(|x| if x == 0.0 { 0 } else { x.to_bits() });
    let mut index = std::collections::HashMap::with_capacity(points.len());
    for (i, p) in points.iter().enumerate() {
        index.entry(key(p)).or_insert(i as u32);
    }
    let mut ids = Vec::with_capacity(hull_points.len());
    for p in &hull_points {
        let id = index.get(&key(p)).ok_or("its convex hull has a vertex that the mesh does not have")?;
        ids.push(*id);
    }
    let faces: Vec<[u32; 3]> = hull_faces.iter().map(|f| f.map(|i| ids[i as usize])).collect();
    let mut vertices: Vec<u32> = faces.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    Ok(Hull { faces, vertices })
}
