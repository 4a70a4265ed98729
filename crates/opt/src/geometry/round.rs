//! Contact candidates of single shapes: balls inside the shape that touch its surface from within.
//!
//! A ball of radius r at a corner has its centre at distance r from all faces there. On a flat floor the ball touches exactly
//! when the face does; only corners and edges recede. A ball against a convex surface is smooth while its centre is outside
//! the surface, so r is the depth down to which contact is smooth.

use super::ball::{Ball, distance_to_hull, extremes};
use super::options::GeometryOptions;
use super::shape::{HalfSpace, MeshHull, Placed, corners, rims};
use saltus_math::Vec3;
use saltus_sim::model::kinds::GeomShape;

/// Sweeps of the projection onto the inner hull of a mesh.
const SWEEPS: usize = 2000;
/// Corners of a mesh from which candidates are chosen.
const MAX_CORNERS: usize = 300;

/// The candidates of a shape, in the frame of its body. None for planes and height fields.
pub(super) fn candidates(geom: &Placed<'_>, options: &GeometryOptions) -> Vec<Ball> {
    let (s, most) = (geom.size, options.rounding);
    let ball = |radius: f64| move |local: Vec3| Ball { centre: geom.to_body(local), radius };
    match geom.kind {
        GeomShape::Sphere | GeomShape::Capsule => geom.hull(),
        GeomShape::Box => {
            let r = most.min(0.5 * s.min_element());
            corners().map(|sign| sign * (s - Vec3::splat(r))).map(ball(r)).collect()
        }
        GeomShape::Cylinder => {
            let r = most.min(0.5 * s.x.min(s.y));
            rims(options.per_rim, s.x - r, s.y - r).map(ball(r)).collect()
        }
        GeomShape::Ellipsoid => tips(s).map(|(tip, radius)| ball(radius)(tip)).collect(),
        GeomShape::Mesh => geom.mesh().map_or(Vec::new(), |hull| mesh(geom, &hull, options)),
        GeomShape::Plane | GeomShape::Hfield => Vec::new(),
    }
}

/// Balls along a capsule so close that a thin thing between two of them sinks in by at most `gap`; without the two ends.
pub(super) fn between_ends(geom: &Placed<'_>, gap: f64, most: usize) -> Vec<Ball> {
    if geom.kind != GeomShape::Capsule {
        return Vec::new();
    }
    let ([a, b], radius) = (geom.ends(), geom.size.x);
    // A chord at depth `gap` below the top of a circle.
    let depth = gap.min(radius);
    let spacing = 2.0 * (depth * (2.0 * radius - depth)).sqrt();
    let count = ((((b - a).length() / spacing).ceil() as usize).max(1) - 1).min(most);
    (1..=count).map(|k| Ball { centre: a.lerp(b, k as f64 / (count + 1) as f64), radius }).collect()
}

/// The largest balls inside an ellipsoid that touch it at its six tips: at the end of axis i the smallest radius of curvature is
/// min sⱼ²/sᵢ.
fn tips(s: Vec3) -> impl Iterator<Item = (Vec3, f64)> {
    (0..6).map(move |k| {
        let (i, side) = (k / 2, if k % 2 == 0 { -1.0 } else { 1.0 });
        let (a, b) = (s[(i + 1) % 3], s[(i + 2) % 3]);
        let radius = s[i].min(a.min(b).powi(2) / s[i]);
        (Vec3::AXES[i] * (side * (s[i] - radius)), radius)
    })
}

/// Chosen corners of a mesh's hull, each moved to the nearest point that is `r` inside of all faces.
fn mesh(geom: &Placed<'_>, hull: &MeshHull<'_>, options: &GeometryOptions) -> Vec<Ball> {
    let (points, planes) = (hull.corners().collect::<Vec<_>>(), hull.half_spaces());
    // A body of this width has a ball of radius width/(2√3) inside (Steinhagen), so the inner hull is not empty.
    let width = planes.iter().map(|p| p.offset - p.least).fold(f64::INFINITY, f64::min);
    if !width.is_finite() {
        return Vec::new();
    }
    let r = options.rounding.min(0.25 * width.max(0.0));
    let corners: Vec<Ball> = points.iter().copied().map(Ball::point).collect();
    let spread: Vec<Vec3> = extremes(&corners, MAX_CORNERS).iter().map(|b| b.centre).collect();
    let chosen = spanning(&spread, options.per_mesh, options.tolerance);
    chosen.into_iter().map(|p| Ball { centre: geom.to_body(inside(p, &planes, r)), radius: r }).collect()
}

/// At most `most` points whose hull comes within `tolerance` of that of all: the point that is farthest from the hull of those
/// chosen, again and again; then each is exchanged where that brings the others closer.
pub(super) fn spanning(points: &[Vec3], most: usize, tolerance: f64) -> Vec<Vec3> {
    let mean = points.iter().copied().sum::<Vec3>() / points.len().max(1) as f64;
    let mut chosen = vec![Ball::point(mean)];
    let farthest = |hull: &[Ball]| {
        let far = points.iter().map(|p| (*p, distance_to_hull(*p, hull))).max_by(|a, b| a.1.total_cmp(&b.1));
        far.unwrap_or((mean, 0.0))
    };
    while chosen.len() <= most {
        let (p, distance) = farthest(&chosen);
        if distance <= tolerance {
            break;
        }
        chosen.push(Ball::point(p));
    }
    // The mean was there to start with.
    chosen.swap_remove(0);
    let mut error = farthest(&chosen).1;
    for k in 0..chosen.len() {
        let old = chosen.remove(k);
        let new = farthest(&chosen).0;
        chosen.insert(k, Ball::point(new));
        let changed = farthest(&chosen).1;
        if changed < error {
            error = changed;
        } else {
            chosen[k] = old;
        }
    }
    chosen.into_iter().map(|b| b.centre).collect()
}

/// The point nearest to `p` with n · x ≤ d − r for all faces, by Hildreth's method.
fn inside(p: Vec3, planes: &[HalfSpace], r: f64) -> Vec3 {
    let (mut x, mut weight) = (p, vec![0.0; planes.len()]);
    for _ in 0..SWEEPS {
        let mut moved: f64 = 0.0;
        for (plane, w) in planes.iter().zip(&mut weight) {
            let step = (plane.normal.dot(x) - plane.offset + r).max(-*w);
            *w += step;
            x -= plane.normal * step;
            moved = moved.max(step.abs());
        }
        if moved < 1e-9 {
            break;
        }
    }
    x
}
