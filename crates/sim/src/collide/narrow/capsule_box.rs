//! Capsule and box: up to two contacts, each of a sphere of the capsule with the box.
//!
//! The first sphere is at the point of the segment closest to the surface of the box: an end that
//! lies over a face (or inside), or the point closest to one of the edges. The second is as far
//! along the segment as the capsule stays over the same face or edge. Both are sphere–box contacts,
//! also if the segment passes through the box: the depth is then the penetration of the sphere, not
//! the shortest translation that separates the whole capsule.
//!
//! Which part of the box counts as the closest, and how ties are broken, follows MuJoCo, so that
//! contacts are the same.

use super::{Touch, sphere_box};
use crate::collide::shape::Shape;
use saltus_math::{MIN_VAL, Vec3};

pub(super) fn collide(capsule: &Shape, block: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let segment = Segment {
        p: block.to_local(capsule.p),
        axis: block.R.tmul(capsule.axis()),
        half: capsule.half_length(),
        size: block.size,
    };
    let Some(first) = segment.nearest() else { return };
    let mut add = |t: f64| {
        out.extend(sphere_box::touch(capsule.p + capsule.axis() * t, capsule.radius(), block, margin));
    };
    add(first.t);
    if let Some((way, step)) = segment.second(&first) {
        add(first.t + way * step);
    }
}

/// A segment in the frame of the box |xᵢ| ≤ sizeᵢ: p + t axis, |t| ≤ half.
struct Segment {
    p: Vec3,
    axis: Vec3,
    half: f64,
    size: Vec3,
}

/// Point of the segment closest to the box.
struct Nearest {
    t: f64,
    distance_squared: f64,
    part: Part,
}

/// The feature of the box that is closest to a point. Signs give the sides of the box that meet
/// there.
enum Part {
    Inside,
    /// The face across this axis.
    Face(usize),
    /// The edge along axis `i`, at xᵢ = `at`; `sides[i]` is unused.
    Edge {
        i: usize,
        at: f64,
        sides: Vec3,
    },
    Corner(Vec3),
}

impl Segment {
    fn at(&self, t: f64) -> Vec3 {
        self.p + self.axis * t
    }

    /// Sign of the axis in coordinate i; zero counts as negative.
    fn sense(&self, i: usize) -> f64 {
        if self.axis[i] > 0.0 { 1.0 } else { -1.0 }
    }

    /// Distance from t to the end of the segment in the direction `way`.
    fn room(&self, t: f64, way: f64) -> f64 {
        self.half - way * t
    }

    /// Ends first, then edges; ties go to the first. None if no end is over a face and all edges
    /// are parallel.
    fn nearest(&self) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        for t in [-self.half, self.half] {
            let end = self.end(t);
            let limit = best.as_ref().map_or(f64::INFINITY, |b| b.distance_squared);
            best = end.filter(|e| e.distance_squared < limit).or(best);
        }
        for i in 0..3 {
            for corner in 0..4 {
                let edge = self.edge(i, corner);
                let limit = best.as_ref().map_or(f64::INFINITY, |b| b.distance_squared - MIN_VAL);
                best = edge.filter(|e| e.distance_squared < limit).or(best);
            }
        }
        best
    }

    /// An end of the segment, if it is inside or over a face.
    fn end(&self, t: f64) -> Option<Nearest> {
        let x = self.at(t);
        let beyond = x - x.clamp(-self.size, self.size);
        let mut outside = (0..3).filter(|&i| x[i].abs() > self.size[i]);
        let part = match (outside.next(), outside.next()) {
            (None, _) => Part::Inside,
            (Some(i), None) => Part::Face(i),
            _ => return None,
        };
        Some(Nearest { t, distance_squared: beyond.length_squared(), part })
    }

    /// The point closest to an edge along axis i that is not parallel to the segment. The bits of
    /// `corner` are the sides of the two other axes, the lower axis first.
    fn edge(&self, i: usize, corner: usize) -> Option<Nearest> {
        let (j, k) = if i == 0 { (1, 2) } else { (0, 3 - i) };
        let sign = |up: bool| if up { 1.0 } else { -1.0 };
        let mut sides = Vec3::ZERO;
        (sides[j], sides[k]) = (sign(corner & 1 != 0), sign(corner & 2 != 0));
        let apart = self.p - sides * self.size;
        let length = self.size[i];
        // |apart + t axis − s eᵢ|² is minimal in t and s for t = axisᵢ s − apart·axis and
        // s = apartᵢ + axisᵢ t.
        let best_t = |s: f64| self.axis[i] * s - apart.dot(self.axis);
        let best_s = |t: f64| apart[i] + self.axis[i] * t;
        let across = self.axis[j] * self.axis[j] + self.axis[k] * self.axis[k];
        if (length * self.half) * (length * self.half) * across < MIN_VAL {
            return None;
        }
        // First for the infinite lines, then with each clamped to its half-length.
        let on_line = best_s(-(apart[j] * self.axis[j] + apart[k] * self.axis[k]) / across);
        let t = best_t(on_line.clamp(-length, length)).clamp(-self.half, self.half);
        let free = best_s(t);
        let s = free.clamp(-length, length);
        // A corner counts also where the lines pass closest beyond the end of the edge, even if an
        // end of the segment is beside it.
        let beyond = if free.abs() > length { free } else { on_line };
        let part = if beyond.abs() > length {
            sides[i] = sign(beyond > 0.0);
            Part::Corner(sides)
        } else {
            Part::Edge { i, at: s, sides }
        };
        let mut foot = apart + self.axis * t;
        foot[i] -= s;
        Some(Nearest { t, distance_squared: foot.length_squared(), part })
    }

    /// Direction along the segment from the first sphere to the second, and the distance. A
    /// distance of zero repeats the point.
    fn second(&self, first: &Nearest) -> Option<(f64, f64)> {
        match first.part {
            Part::Inside => None,
            Part::Face(i) => Some(self.second_at_face(first.t, i)),
            Part::Edge { i, at, sides } => self.second_at_edge(first.t, i, at, sides),
            Part::Corner(sides) => self.second_at_corner(first.t, sides),
        }
    }

    /// From an end over the face across `normal` to the point where the segment crosses the border
    /// of the face.
    fn second_at_face(&self, t: f64, normal: usize) -> (f64, f64) {
        let (way, x) = (-t.signum(), self.at(t));
        let mut step = 2.0 * self.half;
        for i in (0..3).filter(|&i| i != normal) {
            for side in [-1.0, 1.0] {
                let border = way * (side * self.size[i] - x[i]) / self.axis[i];
                if border > 0.0 {
                    step = step.min(border);
                }
            }
        }
        (way, step)
    }

    /// From an edge over the more parallel of its two faces, unless the segment enters or leaves
    /// both.
    fn second_at_edge(&self, t: f64, i: usize, at: f64, sides: Vec3) -> Option<(f64, f64)> {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        if self.sense(j) * sides[j] == self.sense(k) * sides[k] {
            return None;
        }
        // Across the face, inward.
        let across = if self.axis[j].abs() > self.axis[k].abs() { j } else { k };
        let way = -self.sense(across) * sides[across];
        let to_end = self.size[i] - way * self.sense(i) * at;
        let step = self.room(t, way).min(self.width(across)).min(to_end / self.axis[i].abs());
        Some((way, step))
    }

    /// From a corner along an edge, if the segment is within 45° of it, otherwise over the face
    /// across that edge; None if the segment enters or leaves all three faces.
    fn second_at_corner(&self, t: f64, sides: Vec3) -> Option<(f64, f64)> {
        let rising = [0, 1, 2].map(|i| self.sense(i) * sides[i]);
        // The coordinate that goes inward while the two others go outward, or vice versa.
        let odd = (0..3).find(|&i| rising[i] != rising[(i + 1) % 3] && rising[i] != rising[(i + 2) % 3])?;
        let along = -rising[odd];
        if self.axis[odd] * self.axis[odd] > 0.5 {
            return Some((along, self.room(t, along).min(self.width(odd))));
        }
        let face = self.width((odd + 1) % 3).min(self.width((odd + 2) % 3));
        Some((-along, self.room(t, -along).min(face)))
    }

    /// Length of the segment's line between the two faces across axis i.
    fn width(&self, i: usize) -> f64 {
        2.0 * self.size[i] / self.axis[i].abs()
    }
}
