//! Shortest path of a string around (or through) a sphere or an infinite cylinder.
//!
//! In the wrapping plane the obstacle is a circle of radius r about the origin. A path from p₁ to
//! p₂ that winds around it by the angle Θ consists of two tangents and an arc: with
//! aᵢ = acos(r/|pᵢ|), the arc spans |Θ| − a₁ − a₂. If that is not positive, the straight segment
//! does not meet the circle and is the path. Without a side site Θ is the smaller angle between the
//! points; with one it is the winding of the polyline p₁ → side → p₂, which selects the homotopy
//! class. A side site inside the obstacle forces the path through the interior: if the straight
//! segment misses the disc, the path touches it in the one point that makes it shortest.

use saltus_math::{Mat3, Vec3, normalize, real};

/// Shape of an obstacle; cylinders are infinite, along their z axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Centred at the origin.
    Sphere,
    /// Axis along z.
    Cylinder,
}

/// A path that touches the obstacle: first and last point on the surface (world), and length in
/// between.
#[derive(Clone, Copy, Debug)]
pub struct Wrapped {
    /// First and last point of the path on the obstacle.
    pub points: [Vec3; 2],
    /// Length of the path between them, m.
    pub length: f64,
}

/// Path from `p1` to `p2` around an obstacle at pose (`p_WG`, `R_WG`); `None` if the path is the
/// straight segment.
pub fn wrap(
    shape: Obstacle,
    radius: f64,
    p_WG: Vec3,
    R_WG: &Mat3,
    [p1, p2]: [Vec3; 2],
    side: Option<Vec3>,
) -> Option<Wrapped> {
    let local = |p: Vec3| R_WG.tmul(p - p_WG);
    let (p1, p2, side) = (local(p1), local(p2), side.map(local));
    if radius <= 0.0 || p1.length() < saltus_math::MIN_VAL || p2.length() < saltus_math::MIN_VAL {
        return None;
    }
    // As in MJCF: within the radius from the geom's centre, also for cylinders.
    let inside = side.is_some_and(|s| s.length() < radius);
    let plane = match shape {
        Obstacle::Cylinder => Mat3::IDENTITY,
        Obstacle::Sphere => sphere_plane(p1, p2),
    };
    // Rows of `plane` are the axes of the wrapping plane and its normal.
    let flat = |p: Vec3| {
        let f = plane * p;
        [f.x, f.y]
    };
    let (d1, d2) = (flat(p1), flat(p2));
    let arc = if inside { touch_inside(d1, d2, radius)? } else { arc_outside(d1, d2, side.map(flat), radius)? };

    let lift = |[x, y]: [f64; 2]| plane.tmul(Vec3::new(x, y, 0.0));
    let (mut t1, mut t2) = (lift(arc.points[0]), lift(arc.points[1]));
    let mut length = arc.length;
    if shape == Obstacle::Cylinder {
        // The axial coordinate is proportional to the developed length.
        let (l1, l2) = (distance(d1, arc.points[0]), distance(d2, arc.points[1]));
        let total = l1 + arc.length + l2;
        let at = |l: f64| if total > 0.0 { p1.z + (p2.z - p1.z) * l / total } else { p1.z };
        t1.z = at(l1);
        t2.z = at(l1 + arc.length);
        length = (length * length + (t2.z - t1.z) * (t2.z - t1.z)).sqrt();
    }
    let world = |p: Vec3| p_WG + *R_WG * p;
    Some(Wrapped { points: [world(t1), world(t2)], length })
}

/// Axes (rows) of the plane through both points and the origin; any such plane if they are
/// collinear with it.
fn sphere_plane(p1: Vec3, p2: Vec3) -> Mat3 {
    let (x, _) = normalize(p1);
    let (mut n, s) = normalize(x.cross(normalize(p2).0));
    if s < 1e-10 {
        n = normalize(x.any_orthogonal_vector()).0;
    }
    Mat3::new(x, n.cross(x), n)
}

struct Arc {
    points: [[f64; 2]; 2],
    length: f64,
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}

/// Signed angle from a to b in (−π, π].
fn angle(a: [f64; 2], b: [f64; 2]) -> f64 {
    real::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])
}

fn turned(v: [f64; 2], by: f64) -> [f64; 2] {
    let (s, c) = real::sin_cos(by);
    [c * v[0] - s * v[1], s * v[0] + c * v[1]]
}

/// Tangent–arc–tangent path outside the circle; `None` if the straight segment is the path.
fn arc_outside(p1: [f64; 2], p2: [f64; 2], side: Option<[f64; 2]>, r: f64) -> Option<Arc> {
    let (d1, d2) = (distance(p1, [0.0; 2]), distance(p2, [0.0; 2]));
    if d1 < r || d2 < r {
        return None;
    }
    let winding = match side {
        Some(s) if distance(s, [0.0; 2]) > saltus_math::MIN_VAL => angle(p1, s) + angle(s, p2),
        _ => angle(p1, p2),
    };
    let (a1, a2) = (real::acos(r / d1), real::acos(r / d2));
    let span = winding.abs() - a1 - a2;
    if span <= 0.0 {
        return None;
    }
    let sign = if winding < 0.0 { -1.0 } else { 1.0 };
    let on_circle = |p: [f64; 2], d: f64, by: f64| turned([p[0] * r / d, p[1] * r / d], by);
    Some(Arc { points: [on_circle(p1, d1, sign * a1), on_circle(p2, d2, -sign * a2)], length: r * span })
}

/// The point of the disc that the path p₁ → disc → p₂ touches; `None` if the straight segment meets
/// the disc.
///
/// At the optimum the path makes equal angles with the normal there. With p at angle β from the
/// touching point and distance d, the tangential component of the pull is independent of r: sin
/// ψ = d sin β / |p − x|; both must balance.
fn touch_inside(p1: [f64; 2], p2: [f64; 2], r: f64) -> Option<Arc> {
    let (d1, d2) = (distance(p1, [0.0; 2]), distance(p2, [0.0; 2]));
    if d1 <= r || d2 <= r || segment_distance(p1, p2) <= r {
        return None;
    }
    let total = angle(p1, p2);
    let sign = if total < 0.0 { -1.0 } else { 1.0 };
    let total = total.abs();
    // Tangential pull at angle β from p₁: decreasing in β, positive at 0, negative at `total`.
    let pull = |d: f64, beta: f64| {
        let (s, c) = real::sin_cos(beta);
        d * s / (d * d + r * r - 2.0 * d * r * c).sqrt()
    };
    let (mut low, mut high) = (0.0, total);
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if mid <= low || mid >= high {
            break;
        }
        if pull(d2, total - mid) > pull(d1, mid) { low = mid } else { high = mid }
    }
    let x = turned([p1[0] * r / d1, p1[1] * r / d1], sign * 0.5 * (low + high));
    Some(Arc { points: [x, x], length: 0.0 })
}

/// Distance of the origin from the segment.
fn segment_distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (ux, uy) = (b[0] - a[0], b[1] - a[1]);
    let len_sq = ux * ux + uy * uy;
    let t = if len_sq > 0.0 { (-(a[0] * ux + a[1] * uy) / len_sq).clamp(0.0, 1.0) } else { 0.0 };
    distance([a[0] + t * ux, a[1] + t * uy], [0.0; 2])
}
