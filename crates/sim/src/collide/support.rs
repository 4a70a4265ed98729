//! Support functions of convex shapes.
//!
//! Spheres and capsules are a core (point, segment) with a radius: distances between cores are
//! exact, whereas the round shapes would need a polytope with infinitely many faces.

use super::shape::Shape;
use crate::model::kinds::GeomShape;
use saltus_math::{Mat3, Vec3, normalize};

/// A convex shape in world coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) enum Convex<'a> {
    Point {
        p: Vec3,
    },
    Segment {
        p: Vec3,
        half: Vec3,
    },
    Placed {
        shape: &'a Shape<'a>,
    },
    /// Triangular prism of a height field: six corners.
    Prism {
        corners: &'a [Vec3; 6],
    },
}

impl<'a> Convex<'a> {
    /// The core of a shape and its radius.
    pub fn of(shape: &'a Shape<'a>) -> (Self, f64) {
        match shape.kind {
            GeomShape::Sphere => (Convex::Point { p: shape.p }, shape.radius()),
            GeomShape::Capsule => {
                (Convex::Segment { p: shape.p, half: shape.axis() * shape.half_length() }, shape.radius())
            }
            _ => (Convex::Placed { shape }, 0.0),
        }
    }

    /// A point inside.
    pub fn centre(&self) -> Vec3 {
        match self {
            Convex::Point { p } | Convex::Segment { p, .. } => *p,
            Convex::Placed { shape } => shape.p,
            Convex::Prism { corners } => corners.iter().fold(Vec3::ZERO, |s, c| s + *c) / 6.0,
        }
    }

    /// The point farthest in direction `d`.
    pub fn support(&self, d: Vec3) -> Vec3 {
        match self {
            Convex::Point { p } => *p,
            Convex::Segment { p, half } => {
                let along = half.dot(d);
                if along > 0.0 {
                    *p + *half
                } else if along < 0.0 {
                    *p - *half
                } else {
                    *p
                }
            }
            Convex::Placed { shape } => shape.p + shape.R * local_support(shape, &shape.R, d),
            Convex::Prism { corners } => farthest(corners.iter().copied(), d),
        }
    }
}

fn farthest(points: impl Iterator<Item = Vec3>, d: Vec3) -> Vec3 {
    let mut best = (f64::NEG_INFINITY, Vec3::ZERO);
    for p in points {
        let along = p.dot(d);
        if along > best.0 {
            best = (along, p);
        }
    }
    best.1
}

fn local_support(shape: &Shape, R: &Mat3, d: Vec3) -> Vec3 {
    let d = R.tmul(d);
    match shape.kind {
        GeomShape::Box => shape.size.copysign(d),
        GeomShape::Ellipsoid => {
            let (n, length) = normalize(shape.size * d);
            if length == 0.0 { Vec3::ZERO } else { shape.size * n }
        }
        GeomShape::Cylinder => {
            let across = (d.x * d.x + d.y * d.y).sqrt();
            // On the axis no side is preferred: the middle of the disc, of the side, or of both.
            let scale = if across > 1e-14 * d.z.abs() { shape.radius() / across } else { 0.0 };
            let along = if d.z == 0.0 { 0.0 } else { shape.half_length().copysign(d.z) };
            Vec3::new(d.x * scale, d.y * scale, along)
        }
        GeomShape::Mesh => match shape.mesh {
            Some(hull) if !hull.corners.is_empty() => hull.support(d),
            _ => Vec3::ZERO,
        },
        _ => Vec3::ZERO,
    }
}
