//! Rays against the triangles of a mesh (not its hull), from either side.

use super::Hit;
use crate::collide::shape::Hull;
use saltus_math::{Vec3, normalize};

pub(super) fn ray(mesh: &Hull, faces: &[[u32; 3]], p: Vec3, v: Vec3) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    for f in faces {
        let hit = triangle(f.map(|i| mesh.point(i)), p, v);
        best = match (best, hit) {
            (Some(b), Some(h)) => Some(if h.t < b.t { h } else { b }),
            (b, h) => b.or(h),
        };
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
