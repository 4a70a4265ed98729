//! Contact manifolds of convex shapes: several points for a face against a face, or an edge against
//! a face.
//!
//! The distance query gives one point and a normal. Of the faces adjacent to the contact points,
//! the first two that are almost parallel form the contact: the second shape's face is clipped to
//! the first's, and its normal is used. Without such a pair, the contact is an edge of the shape
//! with the lower-dimensional feature (a corner before an edge before a face) with an almost
//! parallel face of the other; the normal of the face is used, even if it differs much from that of
//! the distance query. These are MuJoCo's rules. Of more than four points, four that span a large
//! area are kept.

use super::clip::clip;
use super::feature::{Edge, Face, Feature, outline};
use super::{Scratch, Touch};
use crate::collide::shape::Shape;
use crate::model::kinds::GeomShape as G;
use saltus_math::{Vec3, normalize};

/// Cosine of the largest angle between faces in flat contact.
const FLAT: f64 = 0.996;
/// Largest sine of the slope of an edge in flat contact with a face.
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
    let (Some(fa), Some(fb)) = (Feature::of(a, n), Feature::of(b, -n)) else { return false };
    let first = out.len();
    if let Some((face_a, face_b)) = parallel_faces(a, &fa, b, &fb) {
        face_on_face(a, &face_a, b, &face_b, margin, scratch, out);
    } else if let Some((edge, face)) = parallel_edge(a, &fa, b, &fb, -n, &mut scratch.edges) {
        EdgeOnFace { shape: a, edge, other: b, face, sense: -1.0 }.push(margin, touch, scratch, out);
    } else if let Some((edge, face)) = parallel_edge(b, &fb, a, &fa, n, &mut scratch.edges) {
        EdgeOnFace { shape: b, edge, other: a, face, sense: 1.0 }.push(margin, touch, scratch, out);
    }
    out.len() > first
}

/// The first almost parallel faces of the two features.
fn parallel_faces(a: &Shape, fa: &Feature, b: &Shape, fb: &Feature) -> Option<(Face, Face)> {
    let mut found = None;
    fa.for_faces(a, |face_a| {
        if found.is_some() {
            return;
        }
        let na = b.R.tmul(a.R * face_a.normal);
        fb.for_faces(b, |face_b| {
            if found.is_none() && na.dot(face_b.normal) < -FLAT {
                found = Some((face_a, face_b));
            }
        });
    });
    found
}

/// The first face of `b` facing `direction` and edge of `a` that are almost parallel. The order of
/// a hull's faces is arbitrary: for hulls the face most aligned with the direction is taken.
fn parallel_edge(
    a: &Shape,
    fa: &Feature,
    b: &Shape,
    fb: &Feature,
    direction: Vec3,
    edges: &mut Vec<Edge>,
) -> Option<(Edge, Face)> {
    if fa.rank == 3 {
        return None;
    }
    edges.clear();
    fa.for_edges(a, |edge| edges.push(edge));
    let mut found: Option<(f64, Edge, Face)> = None;
    fb.for_faces(b, |face| {
        let normal = b.R * face.normal;
        let along = normal.dot(direction);
        let before = found.map_or(0.0, |(other, ..)| if b.kind == G::Mesh { other } else { f64::INFINITY });
        if along <= before {
            return;
        }
        if let Some(edge) = edges.iter().find(|edge| edge.direction.dot(normal).abs() < EDGE_SLOPE) {
            found = Some((along, *edge, face));
        }
    });
    found.map(|(_, edge, face)| (edge, face))
}

/// Clips the face of `b` to that of `a`.
fn face_on_face(
    a: &Shape,
    face_a: &Face,
    b: &Shape,
    face_b: &Face,
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    let (base, polygon) = (&mut scratch.base, &mut scratch.polygon);
    let (na, nb) = (a.R * face_a.normal, b.R * face_b.normal);
    outline(a, face_a, base);
    outline(b, face_b, polygon);
    let (Some(&on_a), Some(&on_b)) = (base.first(), polygon.first()) else { return };
    clip_to(base, na, polygon, &mut scratch.spare);
    // Projected onto the plane of the first face.
    for p in polygon.iter_mut() {
        *p += na * na.dot(on_a - *p);
    }
    points(polygon, on_b, nb, -1.0, margin, out);
}

/// Clips a polygon to the prism over a face (clockwise) along `normal`.
fn clip_to(base: &[Vec3], normal: Vec3, polygon: &mut Vec<Vec3>, spare: &mut Vec<Vec3>) {
    for (k, p) in base.iter().enumerate() {
        let q = base[(k + 1) % base.len()];
        let (outwards, _) = normalize(normal.cross(q - *p));
        clip(polygon, spare, outwards, outwards.dot(*p));
    }
}

/// An edge of one shape in contact with a face of the other.
struct EdgeOnFace<'a> {
    shape: &'a Shape<'a>,
    edge: Edge,
    other: &'a Shape<'a>,
    face: Face,
    /// 1 if the face belongs to the first shape, else −1.
    sense: f64,
}

impl EdgeOnFace<'_> {
    fn push(self, margin: f64, touch: &Touch, scratch: &mut Scratch, out: &mut Vec<Touch>) {
        let Self { shape, edge, other, face, sense } = self;
        let Some(mut ends) = edge.ends else { return };
        let normal = other.R * face.normal;
        // A capsule's edge is its core, translated to the contact point except for the component
        // along the core. Both shapes are extended by half the margin, which matters if the face's
        // normal differs from that of the distance query.
        let thicker = 0.5 * margin;
        if shape.kind == G::Capsule {
            let (axis, towards) = (shape.axis(), touch.normal * -sense);
            let across = towards - axis * axis.dot(towards);
            ends = ends.map(|p| p + across * (shape.radius() + thicker) + normal * thicker);
        }
        let (base, polygon) = (&mut scratch.base, &mut scratch.polygon);
        outline(other, &face, base);
        let Some(&origin) = base.first() else { return };
        polygon.clear();
        polygon.extend(ends);
        clip_to(base, normal, polygon, &mut scratch.spare);
        polygon.retain(|p| normal.dot(*p - origin) <= margin);
        if polygon.len() > 2 {
            // Clipped ends occur twice.
            let distance = |[i, j]: [usize; 2]| (polygon[i] - polygon[j]).length_squared();
            let mut best = [0, 1];
            for i in 0..polygon.len() {
                for j in i + 1..polygon.len() {
                    if distance([i, j]) > distance(best) {
                        best = [i, j];
                    }
                }
            }
            let [p, q] = best.map(|i| polygon[i]);
            polygon.clear();
            polygon.extend([p, q]);
        }
        points(polygon, origin, normal, sense, margin, out);
    }
}

/// Contacts from points relative to the plane of a face: those within the margin, at most four.
fn points(polygon: &mut Vec<Vec3>, origin: Vec3, normal: Vec3, sense: f64, margin: f64, out: &mut Vec<Touch>) {
    let height = |p: Vec3| normal.dot(p - origin);
    polygon.retain(|p| height(*p) <= margin);
    for p in large_four(polygon).into_iter().take(polygon.len()).map(|i| polygon[i]) {
        let dist = height(p);
        out.push(Touch::new(dist, p - normal * (0.5 * dist), normal * sense));
    }
}

/// Indices of four corners of a convex polygon that span a large area. For each choice of the first
/// corner the last advances while that increases the largest area so far, and after each of its
/// moves the third and the second do. The result is not always the global maximum and depends on
/// where the polygon begins: MuJoCo's choice.
fn large_four(polygon: &[Vec3]) -> [usize; 4] {
    let n = polygon.len();
    let mut chosen = [0, 1, 2, 3];
    if n <= 4 {
        return chosen;
    }
    let area = |k: [usize; 4]| {
        let [a, b, c, d] = k.map(|i| polygon[i]);
        (c - a).cross(d - b).length()
    };
    let (mut k, mut largest) = (chosen, area(chosen));
    for first in 0..n {
        k[0] = first;
        let mut advance = |k: &mut [usize; 4], which: usize| {
            let mut moved = *k;
            moved[which] = (moved[which] + 1) % n;
            let grows = area(moved) > largest;
            if grows {
                (*k, chosen, largest) = (moved, moved, area(moved));
            }
            grows
        };
        while advance(&mut k, 3) {
            while advance(&mut k, 2) {}
            while advance(&mut k, 1) {}
        }
        // A corner advances those that it has reached.
        for i in 1..4 {
            if k[i] != k[i - 1] {
                break;
            }
            k[i] = (k[i] + 1) % n;
        }
    }
    chosen
}

/// Indices of four corners of a convex polygon that span a large area, the first being the lowest
/// along `normal`. The others advance in turn while that increases the area, until none does.
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
