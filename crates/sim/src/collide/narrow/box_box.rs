//! Two boxes: separating-axis test, then up to eight points where the faces overlap, or one point
//! between two edges.
//!
//! The axis with the largest separation among 15 (three face normals of each box, nine cross
//! products of edges) determines the kind of contact. For a face, the most opposed face of the
//! other box is clipped to it; the vertices within the margin of the face are contacts.

use super::clip::clip;
use super::{Scratch, Touch};
use crate::collide::shape::Shape;
use saltus_math::{Mat3, Vec3};

/// An edge pair whose separation exceeds that of the best face by less than this fraction, with
/// almost the same normal (cosine), is replaced by the face, which gives more points.
const EDGE_ADVANTAGE: f64 = 0.05;
const SAME_NORMAL: f64 = 0.99;
/// sin² of the angle below which two edges count as parallel.
const PARALLEL: f64 = 1e-12;

#[derive(Clone, Copy)]
enum Axis {
    Face1(usize),
    Face2(usize),
    Edges(usize, usize),
}

/// Both boxes in the frame of the first: `R` and `t` are the pose of the second.
struct Pair {
    h1: Vec3,
    h2: Vec3,
    R: Mat3,
    t: Vec3,
}

pub(super) fn collide(a: &Shape, b: &Shape, margin: f64, scratch: &mut Scratch, out: &mut Vec<Touch>) {
    let pair = Pair { h1: a.size, h2: b.size, R: a.R.transpose() * b.R, t: a.to_local(b.p) };
    match pair.best_axis(margin) {
        None => {}
        Some((Axis::Face1(i), _)) => face(a, b, i, 1.0, margin, scratch, out),
        Some((Axis::Face2(i), _)) => face(b, a, i, -1.0, margin, scratch, out),
        Some((Axis::Edges(i, j), dist)) => out.push(pair.edges(a, i, j, dist)),
    }
}

impl Pair {
    /// The axis of largest separation and that separation; None if it exceeds the margin.
    fn best_axis(&self, margin: f64) -> Option<(Axis, f64)> {
        let (R, t) = (&self.R, self.t);
        let abs = Mat3::new(R.r0.abs(), R.r1.abs(), R.r2.abs());
        let (reach2, reach1) = (abs * self.h2, abs.tmul(self.h1));
        let t2 = R.tmul(t);
        let face = |k: usize| match k {
            0..3 => (Axis::Face1(k), Vec3::AXES[k], t[k].abs() - self.h1[k] - reach2[k]),
            _ => (Axis::Face2(k - 3), R.col(k - 3), t2[k - 3].abs() - self.h2[k - 3] - reach1[k - 3]),
        };
        let mut best_face = face(0);
        for candidate in (1..6).map(face) {
            if candidate.2 > best_face.2 {
                best_face = candidate;
            }
        }
        let mut best = (best_face.0, best_face.2);
        let mut edge_normal = None;
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            let Some(n) = self.edge_normal(i, j) else { continue };
            let separation = n.dot(t) - n.abs().dot(self.h1) - R.tmul(n).abs().dot(self.h2);
            if separation > best.1 {
                best = (Axis::Edges(i, j), separation);
                edge_normal = Some(n);
            }
        }
        if let Some(n) = edge_normal {
            let (axis, normal, separation) = best_face;
            if n.dot(normal).abs() > SAME_NORMAL && best.1 - separation < EDGE_ADVANTAGE * separation.abs() {
                best = (axis, separation);
            }
        }
        if best.1 <= margin { Some(best) } else { None }
    }

    /// Unit normal of edges `i` of box 1 and `j` of box 2, towards box 2.
    fn edge_normal(&self, i: usize, j: usize) -> Option<Vec3> {
        let mut e = Vec3::ZERO;
        e[i] = 1.0;
        let n = e.cross(self.R.col(j));
        let square = n.length_squared();
        if square < PARALLEL {
            return None;
        }
        let n = n / square.sqrt();
        Some(if n.dot(self.t) < 0.0 { -n } else { n })
    }

    /// The closest points of the two edges that face each other.
    fn edges(&self, a: &Shape, i: usize, j: usize, dist: f64) -> Touch {
        let Some(n) = self.edge_normal(i, j) else { return Touch::default() };
        let corner = |n: Vec3, h: Vec3, skip: usize| {
            let mut c = h * n.signum();
            c[skip] = 0.0;
            c
        };
        let c1 = corner(n, self.h1, i);
        let c2 = self.t + self.R * corner(-self.R.tmul(n), self.h2, j);
        let (u, v) = (Vec3::AXES[i], self.R.col(j));
        // Closest points of the segments c1 + s u and c2 + r v.
        let (apart, cosine) = (c2 - c1, u.dot(v));
        let (limit1, limit2) = (self.h1[i], self.h2[j]);
        let s = ((u.dot(apart) - cosine * v.dot(apart)) / (1.0 - cosine * cosine)).clamp(-limit1, limit1);
        let r = (cosine * s - v.dot(apart)).clamp(-limit2, limit2);
        let s = (cosine * r + u.dot(apart)).clamp(-limit1, limit1);
        let pos = 0.5 * (c1 + u * s + c2 + v * r);
        Touch::new(dist, a.to_world(pos), a.R * n)
    }
}

/// Face `i` of box `a` against the most opposed face of box `b`. `sense` is −1 if `a` is the second
/// geom.
fn face(a: &Shape, b: &Shape, i: usize, sense: f64, margin: f64, scratch: &mut Scratch, out: &mut Vec<Touch>) {
    let t = a.to_local(b.p);
    let side = if t[i] < 0.0 { -1.0 } else { 1.0 };
    let R = a.R.transpose() * b.R;
    let towards = R.tmul(Vec3::AXES[i] * -side);
    let polygon = &mut scratch.polygon;
    polygon.clear();
    polygon.extend(box_face(b.size, towards).map(|p| t + R * p));
    for k in (0..3).filter(|k| *k != i) {
        clip(polygon, &mut scratch.spare, Vec3::AXES[k], a.size[k]);
        clip(polygon, &mut scratch.spare, -Vec3::AXES[k], a.size[k]);
    }
    let normal = a.R.col(i) * side;
    for p in polygon.iter() {
        let dist = side * p[i] - a.size[i];
        if dist <= margin {
            let pos = a.to_world(*p) - normal * (0.5 * dist);
            out.push(Touch::new(dist, pos, normal * sense));
        }
    }
}

/// Corners, in order, of the face of a box most aligned with `direction`, in the box's frame.
fn box_face(size: Vec3, direction: Vec3) -> [Vec3; 4] {
    let d = direction.abs();
    let k = if d.x >= d.y && d.x >= d.z {
        0
    } else if d.y >= d.z {
        1
    } else {
        2
    };
    let (u, v) = ((k + 1) % 3, (k + 2) % 3);
    let side = if direction[k] < 0.0 { -1.0 } else { 1.0 };
    [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(p, q)| {
        let mut corner = Vec3::ZERO;
        corner[k] = side * size[k];
        // Counter-clockwise seen from outside.
        corner[u] = p * size[u] * side;
        corner[v] = q * size[v];
        corner
    })
}
