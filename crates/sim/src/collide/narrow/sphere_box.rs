//! Sphere and box: the closest point of the box or, with the centre inside, of the nearest face;
//! one point.

use super::Touch;
use crate::collide::shape::Shape;
use saltus_math::{MIN_VAL, Vec3};

pub(super) fn collide(sphere: &Shape, block: &Shape, margin: f64, out: &mut Vec<Touch>) {
    out.extend(touch(sphere.p, sphere.radius(), block, margin));
}

/// A sphere against a box.
pub(super) fn touch(centre: Vec3, radius: f64, block: &Shape, margin: f64) -> Option<Touch> {
    let local = block.to_local(centre);
    let nearest = local.clamp(-block.size, block.size);
    let apart = local - nearest;
    let length = apart.length();
    let (outward, clearance) =
        if length > MIN_VAL { (apart / length, length) } else { nearest_face(local, block.size) };
    let dist = clearance - radius;
    if dist > margin || dist.is_nan() {
        return None;
    }
    let normal = -(block.R * outward);
    Some(Touch::new(dist, centre + normal * (radius + 0.5 * dist), normal))
}

/// Outward normal of the face nearest to a point inside, and the (negative) distance to it.
fn nearest_face(local: Vec3, size: Vec3) -> (Vec3, f64) {
    let depth = size - local.abs();
    let k = if depth.x <= depth.y && depth.x <= depth.z {
        0
    } else if depth.y <= depth.z {
        1
    } else {
        2
    };
    let mut outward = Vec3::ZERO;
    outward[k] = if local[k] > 0.0 { 1.0 } else { -1.0 };
    (outward, -depth[k])
}
