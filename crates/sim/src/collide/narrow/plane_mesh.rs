//! Plane and convex hull: up to four corners of the hull's face at its lowest corner that is most
//! nearly parallel to the plane.

use super::manifold::pick_four;
use super::{Scratch, Touch, feature, plane_sphere};
use crate::collide::shape::Shape;
use saltus_math::Vec3;

pub(super) fn collide(plane: &Shape, mesh: &Shape, margin: f64, scratch: &mut Scratch, out: &mut Vec<Touch>) {
    let Some(hull) = mesh.mesh else { return };
    let normal = plane.axis();
    let down = mesh.R.tmul(-normal);
    if hull.corners.is_empty() {
        return;
    }
    let lowest = hull.farthest(down);
    if normal.dot(mesh.to_world(hull.point(lowest)) - plane.p) > margin {
        return;
    }
    let corners = &mut scratch.polygon;
    corners.clear();
    if feature::hull_face(&hull, lowest, down, corners).is_none() {
        return;
    }
    for c in corners.iter_mut() {
        *c = mesh.to_world(*c);
    }
    for i in pick_four(corners, normal).into_iter().take(corners.len()) {
        plane_sphere::touch(plane, corners[i], 0.0, margin, Vec3::ZERO, out);
    }
}
