//! Rays against the triangles of a mesh (not its hull), from either side.

use super::Hit;
use crate::geometry::{FaceTree, Hull};
use saltus_math::{Vec3, normalize};

/// `tree`: boxes over the triangles, if there are any.
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
pub(crate) fn triangle([a, b, c]: [Vec3; 3], p: Vec3, v: Vec3) -> Option<Hit> {
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
