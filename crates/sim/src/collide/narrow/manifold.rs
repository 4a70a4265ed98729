//! Several points for flat contacts of convex shapes: a face against a face, or a face against an edge.
//!
//! The distance query gives one point and a normal. Where both shapes have a face there, the first shape's face is
//! clipped to the second's; where one has a face and the other an edge, the edge is clipped to the face. The face that
//! clips decides the normal. (The reference also lets faces decide that are far from the normal of the distance query; we
//! do not beyond 26°.) Of more than four points, four that span a large area are kept.

use super::clip::clip;
use super::feature::{edge, face};
use super::{Scratch, Touch};
use crate::collide::shape::Shape;
use crate::model::kinds::GeomShape as G;
use saltus_math::{Vec3, normalize};

/// Cosine of the largest angle between faces that touch flat.
const FLAT: f64 = 0.996;
/// Cosine of the largest angle between the normal of the distance query and that of a face that replaces it.
const NEAR_NORMAL: f64 = 0.9;
/// How much shallower than the distance query's the deepest point may be, relative.
const SHALLOWER: f64 = 0.2;
/// Largest sine of the slope of an edge that lies flat on a face.
const EDGE_SLOPE: f64 = 0.0888;

/// Appends the points of a flat contact; false if the contact is a single point.
pub(super) fn push(
    a: &Shape,
    b: &Shape,
    touch: &Touch,
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) -> bool {
    let n = touch.normal;
    let mut base = core::mem::take(&mut scratch.base);
    let mut polygon = core::mem::take(&mut scratch.polygon);
    let normal_a = face(a, n, &mut polygon).filter(|normal| normal.dot(n) >= NEAR_NORMAL);
    let normal_b = face(b, -n, &mut base).filter(|normal| -normal.dot(n) >= NEAR_NORMAL);
    let first = out.len();
    match (normal_a, normal_b) {
        (Some(na), Some(nb)) if -na.dot(nb) >= FLAT => {
            clip_to(&base, -na, &mut polygon, &mut scratch.spare);
            points(&mut polygon, (base[0], nb), -1.0, margin, out);
        }
        _ => {
            if let Some(nb) = normal_b {
                edge_on_face(a, (&base, nb), -1.0, margin, touch, &mut scratch.spare, out);
            }
            if let (Some(na), true) = (normal_a, out.len() == first) {
                edge_on_face(b, (&polygon, na), 1.0, margin, touch, &mut scratch.spare, out);
            }
        }
    }
    scratch.base = base;
    scratch.polygon = polygon;
    let deepest = out[first..].iter().map(|t| t.dist).fold(f64::INFINITY, f64::min);
    if out.len() < first + 2 || deepest > touch.dist + SHALLOWER * touch.dist.abs() {
        out.truncate(first);
        return false;
    }
    true
}

/// Clips a polygon to the prism over another one that stands along `normal`.
fn clip_to(base: &[Vec3], normal: Vec3, polygon: &mut Vec<Vec3>, spare: &mut Vec<Vec3>) {
    for (k, p) in base.iter().enumerate() {
        let q = base[(k + 1) % base.len()];
        let (outwards, _) = normalize((q - *p).cross(normal));
        clip(polygon, spare, outwards, outwards.dot(*p));
    }
}

/// The edge of `shape` over a face of the other shape. `sense` is 1 if the face belongs to the first shape.
fn edge_on_face(
    shape: &Shape,
    (base, normal): (&[Vec3], Vec3),
    sense: f64,
    margin: f64,
    touch: &Touch,
    spare: &mut Vec<Vec3>,
    out: &mut Vec<Touch>,
) {
    let Some(mut ends) = edge(shape, touch.normal * -sense) else { return };
    let (direction, _) = normalize(ends[1] - ends[0]);
    if direction.dot(normal).abs() >= EDGE_SLOPE {
        return;
    }
    // The line on a capsule's surface that touches. Both shapes are taken to be thicker by half the margin, which
    // matters where the face's normal is not that of the distance query.
    let thicker = 0.5 * margin;
    if shape.kind == G::Capsule {
        ends = ends.map(|p| p - touch.normal * (sense * (shape.radius() + thicker)) + normal * thicker);
    }
    let Some(ends) = clip_segment(base, normal, ends) else { return };
    spare.clear();
    spare.extend(ends);
    let first = out.len();
    points(spare, (base[0], normal), sense, margin, out);
    // An edge whose other end is beyond the margin counts twice at this end, unless it touches there with its corner.
    if out.len() == first + 1 && touch.normal.dot(normal).abs() < 1.0 - 1e-9 {
        out.extend_from_within(first..);
    }
}

fn clip_segment(base: &[Vec3], normal: Vec3, [p, q]: [Vec3; 2]) -> Option<[Vec3; 2]> {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for (k, c) in base.iter().enumerate() {
        let (outwards, _) = normalize((base[(k + 1) % base.len()] - *c).cross(normal));
        let (start, rate) = (outwards.dot(p - *c), outwards.dot(q - p));
        if rate > 0.0 {
            high = high.min(-start / rate);
        } else if rate < 0.0 {
            low = low.max(-start / rate);
        } else if start > 0.0 {
            return None;
        }
    }
    if low < high { Some([p + (q - p) * low, p + (q - p) * high]) } else { None }
}

/// Contacts of points over the plane of a face: those within the margin, at most four.
fn points(polygon: &mut Vec<Vec3>, (origin, normal): (Vec3, Vec3), sense: f64, margin: f64, out: &mut Vec<Touch>) {
    let height = |p: Vec3| normal.dot(p - origin);
    polygon.retain(|p| height(*p) <= margin);
    for p in pick_four(polygon, normal).into_iter().take(polygon.len()).map(|i| polygon[i]) {
        let dist = height(p);
        out.push(Touch::new(dist, p - normal * (0.5 * dist), normal * sense));
    }
}

/// Indices of four corners of a convex polygon that span a large area, the lowest along `normal` being the first. Each
/// of the others moves on while that makes the quadrilateral larger, in turn, until none does.
pub(super) fn pick_four(polygon: &[Vec3], normal: Vec3) -> [usize; 4] {
    let n = polygon.len();
    if n <= 4 {
        return [0, 1, 2, 3];
    }
    let mut start = 0;
    for (i, p) in polygon.iter().enumerate() {
        if normal.dot(*p) < normal.dot(polygon[start]) {
            start = i;
        }
    }
    let at = |k: usize| polygon[(start + k) % n];
    let area = |b: usize, c: usize, d: usize| (at(c) - at(0)).cross(at(d) - at(b)).length();
    let (mut b, mut c, mut d) = (1, 2, 3);
    loop {
        let before = (b, c, d);
        while d + 1 < n && area(b, c, d + 1) > area(b, c, d) {
            d += 1;
        }
        while c + 1 < d && area(b, c + 1, d) > area(b, c, d) {
            c += 1;
        }
        while b + 1 < c && area(b + 1, c, d) > area(b, c, d) {
            b += 1;
        }
        if (b, c, d) == before {
            return [0, b, c, d].map(|k| (start + k) % n);
        }
    }
}
