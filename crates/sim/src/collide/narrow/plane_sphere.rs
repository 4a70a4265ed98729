//! Plane and sphere: one point.

use super::Touch;
use crate::collide::shape::Shape;
use saltus_math::Vec3;

pub(super) fn collide(plane: &Shape, sphere: &Shape, margin: f64, out: &mut Vec<Touch>) {
    touch(plane, sphere.p, sphere.radius(), margin, Vec3::ZERO, out);
}

/// A sphere against a plane. Also used for the ends of capsules (radius > 0), corners and rims
/// (radius 0).
pub(super) fn touch(plane: &Shape, centre: Vec3, radius: f64, margin: f64, tangent: Vec3, out: &mut Vec<Touch>) {
    let normal = plane.axis();
    let dist = normal.dot(centre - plane.p) - radius;
    if dist <= margin {
        let pos = centre - normal * (radius + 0.5 * dist);
        out.push(Touch { dist, pos, normal, tangent });
    }
}
