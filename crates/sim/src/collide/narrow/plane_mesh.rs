//! Plane and convex hull.

use super::{Touch, plane_sphere};
use crate::collide::shape::Shape;
use saltus_math::Vec3;

pub(super) fn collide(plane: &Shape, mesh: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let Some(hull) = mesh.mesh else { return };
    let down = mesh.R.tmul(-plane.axis());
    let mut best = (f64::NEG_INFINITY, Vec3::ZERO);
    for &i in hull.corners {
        let p = hull.point(i);
        if p.dot(down) > best.0 {
            best = (p.dot(down), p);
        }
    }
    plane_sphere::touch(plane, mesh.to_world(best.1), 0.0, margin, Vec3::ZERO, out);
}
