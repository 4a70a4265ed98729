//! Rays against primitives, in the primitive's frame.

use super::Hit;
use crate::model::kinds::GeomShape as G;
use saltus_math::{MIN_VAL, Vec3, normalize};

pub(super) fn ray(kind: G, size: Vec3, p: Vec3, v: Vec3) -> Option<Hit> {
    match kind {
        G::Plane => plane(size, p, v),
        G::Sphere => ellipsoid(Vec3::splat(size.x), p, v),
        G::Ellipsoid => ellipsoid(size, p, v),
        G::Capsule => capsule(size.x, size.y, p, v),
        G::Cylinder => cylinder(size.x, size.y, p, v),
        G::Box => block(size, p, v),
        G::Mesh | G::Hfield => None,
    }
}

/// The nearest of several points on a ray that are not behind its origin.
fn nearest(hits: impl IntoIterator<Item = (f64, Vec3)>) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    for (t, normal) in hits {
        if t >= 0.0 && best.is_none_or(|b| t < b.t) {
            best = Some(Hit { t, normal });
        }
    }
    best
}

/// Roots of a t² + 2 b t + c = 0, smaller first; NaN where there are none.
fn roots(a: f64, b: f64, c: f64) -> [f64; 2] {
    let det = b * b - a * c;
    if det < MIN_VAL || a < MIN_VAL {
        return [f64::NAN; 2];
    }
    let root = det.sqrt();
    [(-b - root) / a, (-b + root) / a]
}

/// Visible from above; a size that is not positive means infinite.
fn plane(size: Vec3, p: Vec3, v: Vec3) -> Option<Hit> {
    if v.z > -MIN_VAL {
        return None;
    }
    let t = -p.z / v.z;
    let x = p + v * t;
    let inside = |x: f64, half: f64| half <= 0.0 || x.abs() <= half;
    (t >= 0.0 && inside(x.x, size.x) && inside(x.y, size.y)).then_some(Hit { t, normal: Vec3::Z })
}

/// |(p + t v) / s| = 1.
fn ellipsoid(s: Vec3, p: Vec3, v: Vec3) -> Option<Hit> {
    let (q, w) = (p / s, v / s);
    let ts = roots(w.dot(w), w.dot(q), q.dot(q) - 1.0);
    nearest(ts.map(|t| (t, normalize((q + w * t) / s).0)))
}

/// The side between the ends, and the outer halves of two spheres.
fn capsule(radius: f64, half: f64, p: Vec3, v: Vec3) -> Option<Hit> {
    let side = side(radius, p, v).map(|(t, n)| if (p.z + t * v.z).abs() <= half { (t, n) } else { (f64::NAN, n) });
    let ball = |end: f64| {
        let q = p - Vec3::Z * end;
        roots(v.dot(v), v.dot(q), q.dot(q) - radius * radius).map(|t| {
            let x = q + v * t;
            (if x.z * end >= 0.0 { t } else { f64::NAN }, x / radius)
        })
    };
    nearest(side.into_iter().chain(ball(half)).chain(ball(-half)))
}

/// The side between the discs, and two discs.
fn cylinder(radius: f64, half: f64, p: Vec3, v: Vec3) -> Option<Hit> {
    let side = side(radius, p, v).map(|(t, n)| if (p.z + t * v.z).abs() <= half { (t, n) } else { (f64::NAN, n) });
    let disc = |sign: f64| {
        let t = (sign * half - p.z) / v.z;
        let x = p + v * t;
        let on = v.z.abs() > MIN_VAL && x.x * x.x + x.y * x.y <= radius * radius;
        (if on { t } else { f64::NAN }, Vec3::Z * sign)
    };
    nearest(side.into_iter().chain([disc(1.0), disc(-1.0)]))
}

/// Both intersections of a ray with an infinite cylinder, with normals.
fn side(radius: f64, p: Vec3, v: Vec3) -> [(f64, Vec3); 2] {
    let flat = |x: Vec3| Vec3::new(x.x, x.y, 0.0);
    let (q, w) = (flat(p), flat(v));
    roots(w.dot(w), w.dot(q), q.dot(q) - radius * radius).map(|t| (t, (q + w * t) / radius))
}

/// Six faces.
pub(super) fn block(size: Vec3, p: Vec3, v: Vec3) -> Option<Hit> {
    let face = |k: usize| {
        let (i, sign) = (k / 2, if k.is_multiple_of(2) { 1.0 } else { -1.0 });
        let t = (sign * size[i] - p[i]) / v[i];
        let x = p + v * t;
        let on = v[i].abs() > MIN_VAL && (0..3).all(|j| j == i || x[j].abs() <= size[j]);
        (if on { t } else { f64::NAN }, Vec3::AXES[i] * sign)
    };
    nearest((0..6).map(face))
}
