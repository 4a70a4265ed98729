//! Plane and capsule: a sphere at each end. The first tangent is along the capsule, so that
//! friction is symmetric about it.

use super::{Touch, plane_sphere};
use crate::collide::shape::Shape;
use saltus_math::normalize;

pub(super) fn collide(plane: &Shape, capsule: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let (axis, normal) = (capsule.axis(), plane.axis());
    // A capsule perpendicular to the plane has no direction in it: `normalize` gives x.
    let (tangent, _) = normalize(axis - normal * normal.dot(axis));
    for end in [capsule.half_length(), -capsule.half_length()] {
        plane_sphere::touch(plane, capsule.p + axis * end, capsule.radius(), margin, tangent, out);
    }
}
