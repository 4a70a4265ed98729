//! Plane and ellipsoid: the point of the ellipsoid that is lowest along the plane's normal.
//!
//! The support point of {x : Σ xᵢ²/sᵢ² ≤ 1} in direction d is s∘(s∘d)/|s∘d|.

use super::{Touch, plane_sphere};
use crate::collide::shape::Shape;
use saltus_math::{Vec3, normalize};

pub(super) fn collide(plane: &Shape, ellipsoid: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let down = ellipsoid.R.tmul(-plane.axis());
    let (direction, _) = normalize(ellipsoid.size * down);
    let lowest = ellipsoid.to_world(ellipsoid.size * direction);
    plane_sphere::touch(plane, lowest, 0.0, margin, Vec3::ZERO, out);
}
