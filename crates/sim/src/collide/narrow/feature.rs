//! Flat faces and straight edges of convex shapes.

use super::box_box::box_face;
use crate::collide::shape::{Hull, Shape};
use crate::model::kinds::GeomShape as G;
use core::f64::consts::FRAC_PI_8;
use saltus_math::{Vec3, normalize, real};

/// Corners of the polygon that stands for the end disc of a cylinder.
const DISC_CORNERS: usize = 16;
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
    let corner = farthest_corner(hull, direction);
    let mut best: Option<(f64, Vec3)> = None;
    for f in hull.faces.iter().filter(|f| f.contains(&corner)) {
        let [a, b, c] = f.map(|i| hull.point(i));
        let n = normalize((b - a).cross(c - a)).0;
        if best.is_none_or(|(along, _)| n.dot(direction) > along) {
            best = Some((n.dot(direction), n));
        }
    }
    let (_, normal) = best?;
    collect_face(hull, normal, hull.point(corner), corners);
    Some(normal)
}

fn farthest_corner(hull: &Hull, direction: Vec3) -> u32 {
    let mut farthest = (f64::NEG_INFINITY, 0);
    for &i in hull.corners {
        let along = hull.point(i).dot(direction);
        if along > farthest.0 {
            farthest = (along, i);
        }
    }
    farthest.1
}

fn collect_face(hull: &Hull, normal: Vec3, on_face: Vec3, corners: &mut Vec<Vec3>) {
    let tolerance = COPLANAR * on_face.length();
    for f in hull.faces {
        let points = f.map(|i| hull.point(i));
        if points.iter().any(|p| normal.dot(*p - on_face).abs() > tolerance) {
            continue;
        }
        for p in points {
            if !corners.contains(&p) {
                corners.push(p);
            }
        }
    }
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
    let corner = farthest_corner(hull, direction);
    let p = hull.point(corner);
    let mut best: Option<(f64, Vec3)> = None;
    for f in hull.faces.iter().filter(|f| f.contains(&corner)) {
        for i in f.iter().filter(|i| **i != corner) {
            let q = hull.point(*i);
            let slope = normalize(q - p).0.dot(direction).abs();
            if best.is_none_or(|(s, _)| slope < s) {
                best = Some((slope, q));
            }
        }
    }
    best.map(|(_, q)| [p, q])
}
