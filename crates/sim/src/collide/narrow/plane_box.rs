//! Plane and box: up to four corners that are lower than the box's centre and within the margin.

use super::{Touch, plane_sphere};
use crate::collide::shape::Shape;
use saltus_math::Vec3;

pub(super) fn collide(plane: &Shape, block: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let normal = plane.axis();
    let first = out.len();
    for k in 0..8 {
        let sign = |bit: u32| if k & (1 << bit) != 0 { 1.0 } else { -1.0 };
        let offset = block.R * (block.size * Vec3::new(sign(0), sign(1), sign(2)));
        if normal.dot(offset) <= 0.0 && out.len() < first + 4 {
            plane_sphere::touch(plane, block.p + offset, 0.0, margin, Vec3::ZERO, out);
        }
    }
}
