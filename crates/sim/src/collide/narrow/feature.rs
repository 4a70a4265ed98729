//! Flat faces and straight edges of convex shapes.

use super::box_box::box_face;
use crate::collide::shape::{Hull, Shape};
use crate::model::kinds::GeomShape as G;
use core::f64::consts::FRAC_PI_8;
use saltus_math::{Vec3, normalize, real};

/// Corners of the polygon that stands for the end disc of a cylinder.
const DISC_CORNERS: usize = 16;
/// Most corners of a hull's face that are looked at.
const MAX_CORNERS: usize = 128;
/// Distance from a plane, relative to the hull's size, below which a corner is in it: vertices are single precision.
const COPLANAR: f64 = 1e-6;

/// Fills `corners` with the face that points most in `direction` (world, counter-clockwise from outside); its normal.
pub(super) fn face(shape: &Shape, direction: Vec3, corners: &mut Vec<Vec3>) -> Option<Vec3> {
    corners.clear();
    let local = shape.R.tmul(direction);
    let normal = match shape.kind {
        G::Box => {
            corners.extend(box_face(shape.size, local));
            let [p, q, r, _] = box_face(shape.size, local);
            normalize((q - p).cross(r - p)).0
        }
        G::Cylinder => {
            let side = if local.z < 0.0 { -1.0 } else { 1.0 };
            for k in 0..DISC_CORNERS {
                let (s, c) = real::sin_cos(side * k as f64 * FRAC_PI_8);
                corners.push(Vec3::new(shape.radius() * c, shape.radius() * s, side * shape.half_length()));
            }
            Vec3::Z * side
        }
        G::Mesh => hull_face(shape.mesh.as_ref()?, local, corners)?,
        _ => return None,
    };
    for c in corners.iter_mut() {
        *c = shape.to_world(*c);
    }
    Some(shape.R * normal)
}

/// The face at a hull's farthest corner in `direction` that points most in it: the corners of all triangles in its
/// plane, in order.
pub(super) fn hull_face(hull: &Hull, direction: Vec3, corners: &mut Vec<Vec3>) -> Option<Vec3> {
    if hull.corners.is_empty() {
        return None;
    }
    let corner = hull.farthest(direction);
    let mut best: Option<(f64, Vec3, [u32; 3])> = None;
    hull.for_triangles_at(corner, |f| {
        let [a, b, c] = f.map(|i| hull.point(i));
        let n = normalize((b - a).cross(c - a)).0;
        if best.is_none_or(|(along, ..)| n.dot(direction) > along) {
            best = Some((n.dot(direction), n, f));
        }
    });
    let (_, normal, first) = best?;
    collect_face(hull, normal, first, corners);
    Some(normal)
}

/// Spreads from a triangle over its plane, corner by corner.
fn collect_face(hull: &Hull, normal: Vec3, first: [u32; 3], corners: &mut Vec<Vec3>) {
    let on_face = hull.point(first[0]);
    let tolerance = COPLANAR * on_face.length();
    let mut ids = [0; MAX_CORNERS];
    ids[..3].copy_from_slice(&first);
    let (mut count, mut done) = (3, 0);
    while done < count {
        hull.for_triangles_at(ids[done], |f| {
            if f.iter().any(|i| normal.dot(hull.point(*i) - on_face).abs() > tolerance) {
                return;
            }
            for i in f {
                if count < MAX_CORNERS && !ids[..count].contains(&i) {
                    ids[count] = i;
                    count += 1;
                }
            }
        });
        done += 1;
    }
    corners.extend(ids[..count].iter().map(|i| hull.point(*i)));
    // A convex polygon's corners go round its centre in order of angle.
    let centre = corners.iter().copied().sum::<Vec3>() / corners.len().max(1) as f64;
    let (u, _) = normalize(on_face - centre);
    let v = normal.cross(u);
    corners.sort_unstable_by(|p, q| {
        let angle = |x: Vec3| real::atan2(v.dot(x - centre), u.dot(x - centre));
        angle(*p).total_cmp(&angle(*q))
    });
}

/// The edge at the shape's farthest point in `direction` that is most nearly perpendicular to it: end points (world,
/// on the core of a capsule).
pub(super) fn edge(shape: &Shape, direction: Vec3) -> Option<[Vec3; 2]> {
    let local = shape.R.tmul(direction);
    let ends = match shape.kind {
        G::Capsule => {
            let half = Vec3::Z * shape.half_length();
            [half, -half]
        }
        G::Cylinder => {
            let (across, length) = normalize(Vec3::new(local.x, local.y, 0.0));
            if length == 0.0 {
                return None;
            }
            let (side, half) = (across * shape.radius(), Vec3::Z * shape.half_length());
            [side + half, side - half]
        }
        G::Box => {
            let corner = shape.size.copysign(local);
            let d = local.abs();
            let k = if d.x <= d.y && d.x <= d.z {
                0
            } else if d.y <= d.z {
                1
            } else {
                2
            };
            let mut other = corner;
            other[k] = -other[k];
            [corner, other]
        }
        G::Mesh => hull_edge(shape.mesh.as_ref()?, local)?,
        _ => return None,
    };
    Some(ends.map(|p| shape.to_world(p)))
}

fn hull_edge(hull: &Hull, direction: Vec3) -> Option<[Vec3; 2]> {
    if hull.corners.is_empty() {
        return None;
    }
    let corner = hull.farthest(direction);
    let p = hull.point(corner);
    let mut best: Option<(f64, Vec3)> = None;
    hull.for_triangles_at(corner, |f| {
        for i in f.into_iter().filter(|i| *i != corner) {
            let q = hull.point(i);
            let slope = normalize(q - p).0.dot(direction).abs();
            if best.is_none_or(|(s, _)| slope < s) {
                best = Some((slope, q));
            }
        }
    });
    best.map(|(_, q)| [p, q])
}
