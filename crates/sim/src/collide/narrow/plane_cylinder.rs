//! Plane and cylinder: the lowest point of the lower disc, the corresponding point of the other
//! disc, and two points of the lower disc that form an equilateral triangle with the first. Points
//! beyond the margin are omitted.

use super::{Touch, plane_sphere};
use crate::collide::shape::Shape;
use saltus_math::Vec3;

/// Sine of 60°.
const SIN_60: f64 = 0.866_025_403_784_438_6;

pub(super) fn collide(plane: &Shape, cylinder: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let normal = plane.axis();
    // Axis towards the plane.
    let mut axis = cylinder.axis();
    if axis.dot(normal) > 0.0 {
        axis = -axis;
    }
    // Direction of steepest descent on the disc; the cylinder's x axis if the disc is level.
    let slope = axis * axis.dot(normal) - normal;
    let length = slope.length();
    let down = if length > 1e-12 { slope / length } else { cylinder.R.col(0) };
    let reach = down * cylinder.radius();
    let (near, far) = (axis * cylinder.half_length(), -axis * cylinder.half_length());
    let side = axis.cross(reach) * SIN_60;
    let mut add = |offset: Vec3| {
        let before = out.len();
        plane_sphere::touch(plane, cylinder.p + offset, 0.0, margin, Vec3::ZERO, out);
        out.len() > before
    };
    if !add(near + reach) {
        return;
    }
    add(far + reach);
    add(near - reach * 0.5 + side);
    add(near - reach * 0.5 - side);
}
