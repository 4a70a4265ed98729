//! Sphere and capsule: the sphere against a sphere at the closest point of the capsule's segment.

use super::{Touch, sphere_sphere};
use crate::collide::shape::Shape;

pub(super) fn collide(sphere: &Shape, capsule: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let axis = capsule.axis();
    let along = axis.dot(sphere.p - capsule.p).clamp(-capsule.half_length(), capsule.half_length());
    let nearest = capsule.p + axis * along;
    let radius = [sphere.radius(), capsule.radius()];
    sphere_sphere::touch([sphere.p, nearest], radius, [sphere.axis(), axis], margin, out);
}
