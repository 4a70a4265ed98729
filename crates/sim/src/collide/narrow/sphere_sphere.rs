//! Two spheres: one point on the line of centres.
//!
//! Coincident centres have no direction; then the normal is the cross product of the two geoms' z
//! axes, and x if these are parallel too.

use super::Touch;
use crate::collide::shape::Shape;
use saltus_math::{MIN_VAL, Vec3, normalize};

pub(super) fn collide(a: &Shape, b: &Shape, margin: f64, out: &mut Vec<Touch>) {
    touch([a.p, b.p], [a.radius(), b.radius()], [a.axis(), b.axis()], margin, out);
}

/// Two spheres, given by centres and radii; `axes` determine the normal if the centres coincide.
pub(super) fn touch(centre: [Vec3; 2], radius: [f64; 2], axes: [Vec3; 2], margin: f64, out: &mut Vec<Touch>) {
    let apart = centre[1] - centre[0];
    let length = apart.length();
    let dist = length - radius[0] - radius[1];
    if dist > margin {
        return;
    }
    let normal = if length < MIN_VAL { normalize(axes[0].cross(axes[1])).0 } else { apart / length };
    out.push(Touch::new(dist, centre[0] + normal * (radius[0] + 0.5 * dist), normal));
}
