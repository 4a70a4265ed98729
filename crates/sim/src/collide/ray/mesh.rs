//! Rays against the triangles of a mesh (not its hull), from either side.

use super::Hit;
use crate::geometry::{FaceTree, Hull};
use saltus_math::{Vec3, normalize};

/// `tree`: bounding boxes of the triangles, if available.
pub(super) fn ray(mesh: &Hull, faces: &[[u32; 3]], tree: Option<&FaceTree>, p: Vec3, v: Vec3) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    let mut visit = |f: u32| {
        if let Some(hit) = triangle(faces[f as usize].map(|i| mesh.point(i)), p, v)
            && best.is_none_or(|b| hit.t < b.t)
        {
            best = Some(hit);
        }
        best.map_or(f64::INFINITY, |b| b.t)
    };
    match tree.filter(|tree| tree.fits(faces.len())) {
        Some(tree) => tree.walk(p, v, &mut visit),
        None => (0..faces.len() as u32).for_each(|f| {
            visit(f);
        }),
    }
    best
}

/// Solves p + t v = a + u (b − a) + w (c − a) by Cramer's rule.
pub(super) fn triangle([a, b, c]: [Vec3; 3], p: Vec3, v: Vec3) -> Option<Hit> {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let n = ab.cross(ac);
    let det = -v.dot(n);
    if det == 0.0 {
        return None;
    }
    let t = ap.dot(n) / det;
    let m = v.cross(ap);
    let (u, w) = (-ac.dot(m) / det, ab.dot(m) / det);
    if t >= 0.0 && u >= 0.0 && w >= 0.0 && u + w <= 1.0 { Some(Hit { t, normal: normalize(n).0 }) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_math::Random;

    #[test]
    fn the_tree_finds_the_triangle_that_a_full_search_finds() {
        let point = |k: u32| Random(u64::from(k)).vec3(0.5).to_array();
        let vertex: Vec<[f32; 3]> = (0..300).map(|k| point(k).map(|x| x as f32)).collect();
        let faces: Vec<[u32; 3]> = (0..400).map(|k| [k % 300, (7 * k + 1) % 300, (13 * k + 5) % 300]).collect();
        let tree = FaceTree::new(&vertex, &faces);
        let mut hits = 0;
        for k in 0..500 {
            let (p, v) = (Vec3::from_array(point(1000 + k)), Vec3::from_array(point(5000 + k)));
            let meet =
                |f: u32| triangle(faces[f as usize].map(|i| Vec3::from_array(vertex[i as usize].map(f64::from))), p, v);
            let all = (0..400).filter_map(|f| meet(f).map(|h| h.t)).fold(f64::INFINITY, f64::min);
            let mut nearest = f64::INFINITY;
            tree.walk(p, v, |f| {
                nearest = nearest.min(meet(f).map_or(f64::INFINITY, |h| h.t));
                nearest
            });
            assert_eq!(nearest, all, "ray {k}");
            hits += usize::from(all.is_finite());
        }
        assert!(hits > 50, "{hits}");
    }
}
