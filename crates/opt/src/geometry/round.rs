//! Contact candidates of single shapes: balls inside the shape that touch its surface from within.
//!
//! A ball of radius r at a corner has its centre at distance r from all faces there. On a flat
//! floor the ball touches exactly when the face does; only corners and edges recede. A ball against
//! a convex surface is smooth while its centre is outside the surface, so r is the depth down to
//! which contact is smooth.

use super::ball::{Ball, distance_to_hull, extremes};
use super::options::GeometryOptions;
use super::shape::{HalfSpace, MeshHull, Placed, corners, rims};
use saltus_math::Vec3;
use saltus_sim::model::kinds::GeomShape;

/// Ratio of one radius to the next that is tried for a mesh, and by how much the error must shrink
/// for it.
const GROWTH: f64 = 1.5;
const GAIN: f64 = 0.9;
/// Faces that are added, and sweeps over them, in the projection onto the inner hull of a mesh.
const ROUNDS: usize = 60;
const SWEEPS: usize = 200;
/// Candidates of the largest flat side of a mesh.
const SOLE: usize = 4;
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
        GeomShape::Ellipsoid => ellipsoid(s).map(|(centre, radius)| ball(radius)(centre)).collect(),
        GeomShape::Mesh => geom.mesh().map_or(Vec::new(), |hull| mesh(geom, &hull, options)),
        GeomShape::Plane | GeomShape::Hfield => Vec::new(),
    }
}

/// Balls along a capsule so close that a thin thing between two of them sinks in by at most `gap`;
/// without the two ends.
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

/// Balls inside an ellipsoid: the largest one in the middle, and eight around the section through
/// the two longer axes. Across the shortest axis s₃ the surface at p bends with radius s₃² |p/s²|,
/// so the ball of that radius around p (1 − s₃²/s²) is inside and touches at p.
fn ellipsoid(s: Vec3) -> impl Iterator<Item = (Vec3, f64)> {
    let short = (0..3).min_by(|&i, &j| s[i].total_cmp(&s[j])).unwrap_or(0);
    let (least, square) = (s[short], s * s);
    let ring = (0..8).map(move |k| {
        let (sin, cos) = saltus_math::real::sin_cos(core::f64::consts::FRAC_PI_4 * k as f64);
        let p = (Vec3::AXES[(short + 1) % 3] * cos + Vec3::AXES[(short + 2) % 3] * sin) * s;
        (p * (Vec3::ONE - least * least / square), least * least * (p / square).length())
    });
    core::iter::once((Vec3::ZERO, least)).chain(ring)
}

/// Chosen corners of a mesh's hull, each moved to the nearest point that is r inside of all faces.
/// Angular meshes fit best with r = `rounding`, round ones with a larger radius: the one of least
/// error is taken.
fn mesh(geom: &Placed<'_>, hull: &MeshHull<'_>, options: &GeometryOptions) -> Vec<Ball> {
    let (corners, planes) = (hull.corners().map(Ball::point).collect::<Vec<_>>(), hull.half_spaces());
    let width = planes.iter().map(|p| p.offset - p.least).fold(f64::INFINITY, f64::min);
    if !width.is_finite() {
        return Vec::new();
    }
    let spread = extremes(&corners, MAX_CORNERS);
    let points: Vec<Vec3> = spread.iter().map(|b| b.centre).collect();
    // What bodies stand on comes first: the corners of the largest flat side.
    let sole = spanning(&hull.flat_side(&planes, options.tolerance), &[], SOLE, options.tolerance);
    let chosen = spanning(&points, &sole, options.per_mesh, options.tolerance);
    // A body of this width has a ball of radius width/(2√3) inside (Steinhagen), so that the first
    // radius fits.
    let mut r = options.rounding.min(0.25 * width.max(0.0));
    let mut best = (f64::INFINITY, Vec::new());
    while r <= 0.5 * width {
        let balls: Option<Vec<Ball>> =
            chosen.iter().map(|p| inside(*p, &planes, r).map(|centre| Ball { centre, radius: r })).collect();
        let Some(balls) = balls else { break };
        let error = spread.iter().fold(0.0, |worst: f64, p| worst.max(distance_to_hull(p.centre, &balls)));
        if error < GAIN * best.0 {
            best = (error, balls);
        }
        r = if r > 0.0 { GROWTH * r } else { f64::INFINITY };
    }
    best.1.into_iter().map(|b| Ball { centre: geom.to_body(b.centre), ..b }).collect()
}

/// At most `most` points whose hull comes within `tolerance` of that of all: after those of `start`
/// the point that is farthest from the hull of those chosen, again and again; then each is
/// exchanged where that brings the others closer.
fn spanning(points: &[Vec3], start: &[Vec3], most: usize, tolerance: f64) -> Vec<Vec3> {
    let mean = points.iter().copied().sum::<Vec3>() / points.len().max(1) as f64;
    let mut chosen: Vec<Ball> = start.iter().copied().map(Ball::point).collect();
    let farthest = |hull: &[Ball]| {
        let far = points.iter().map(|p| (*p, distance_to_hull(*p, hull))).max_by(|a, b| a.1.total_cmp(&b.1));
        far.unwrap_or((mean, 0.0))
    };
    while chosen.len() < most && !points.is_empty() {
        // The first one is far from the middle.
        let (p, distance) = if chosen.is_empty() { farthest(&[Ball::point(mean)]) } else { farthest(&chosen) };
        if distance <= tolerance && !chosen.is_empty() {
            break;
        }
        chosen.push(Ball::point(p));
    }
    let mut error = farthest(&chosen).1;
    for k in start.len()..chosen.len() {
        let old = chosen.remove(k);
        let new = if chosen.is_empty() { old.centre } else { farthest(&chosen).0 };
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

/// The point nearest to `p` with n · x ≤ d − r for all faces; none if there is none. Hildreth's
/// method [Hildreth1957] on few faces, to which the one that is violated most is added again and
/// again.
fn inside(p: Vec3, planes: &[HalfSpace], r: f64) -> Option<Vec3> {
    let excess = |h: &HalfSpace, x: Vec3| h.normal.dot(x) - h.offset + r;
    let slack = 1e-3 * r + 1e-9;
    // Faces with their weights: x = p − Σ weight · normal.
    let (mut x, mut active): (Vec3, Vec<(&HalfSpace, f64)>) = (p, Vec::new());
    for _ in 0..ROUNDS {
        let worst = planes.iter().max_by(|a, b| excess(a, x).total_cmp(&excess(b, x)))?;
        if excess(worst, x) < 1e-9 {
            return Some(x);
        }
        if !active.iter().any(|(h, _)| core::ptr::eq(*h, worst)) {
            active.push((worst, 0.0));
        }
        for _ in 0..SWEEPS {
            let mut moved: f64 = 0.0;
            for (plane, weight) in &mut active {
                let step = excess(plane, x).max(-*weight);
                *weight += step;
                x -= plane.normal * step;
                moved = moved.max(step.abs());
            }
            if moved < 1e-10 {
                break;
            }
        }
    }
    planes.iter().all(|h| excess(h, x) < slack).then_some(x)
}
