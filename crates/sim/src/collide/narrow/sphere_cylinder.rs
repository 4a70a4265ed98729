//! Sphere and cylinder: against the side, an end disc, or the rim, whichever is nearest; one point.

use super::{Touch, sphere_sphere};
use crate::collide::shape::Shape;
use saltus_math::MIN_VAL;

pub(super) fn collide(sphere: &Shape, cylinder: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let axis = cylinder.axis();
    let (radius, half) = (cylinder.radius(), cylinder.half_length());
    let from_centre = sphere.p - cylinder.p;
    let along = axis.dot(from_centre);
    let across = from_centre - axis * along;
    let distance = across.length();
    let (over_side, over_disc) = (along.abs() < half, distance < radius);
    // With the centre inside, the nearer of side and disc.
    let to_disc = over_disc && (!over_side || half - along.abs() < radius - distance);
    let axes = [sphere.axis(), axis];
    if to_disc {
        let outward = if along > 0.0 { axis } else { -axis };
        let dist = along.abs() - half - sphere.radius();
        if dist <= margin {
            out.push(Touch::new(dist, sphere.p - outward * (sphere.radius() + 0.5 * dist), -outward));
        }
    } else if over_side {
        let nearest = cylinder.p + axis * along;
        sphere_sphere::touch([sphere.p, nearest], [sphere.radius(), radius], axes, margin, out);
    } else {
        let rim = across * (radius / distance.max(MIN_VAL)) + axis * half.copysign(along);
        sphere_sphere::touch([sphere.p, cylinder.p + rim], [sphere.radius(), 0.0], axes, margin, out);
    }
}
