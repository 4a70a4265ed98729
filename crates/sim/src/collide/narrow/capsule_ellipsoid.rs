//! Capsule and ellipsoid: one point. The signed distance of a point from a convex shape is convex,
//! so its slope along the capsule's segment, axis · normal at the foot, is increasing: the closest
//! point is the root of the slope.

use super::sphere_ellipsoid::{Foot, gap_of_segment};
use super::{Scratch, Settings, Touch, convex};
use crate::collide::shape::Shape;

pub(super) fn collide(
    capsule: &Shape,
    ellipsoid: &Shape,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    let beyond = margin + capsule.radius() + 1e-9 * ellipsoid.bound_radius;
    match nearest(capsule, ellipsoid, beyond) {
        Nearest::Beyond => {}
        Nearest::At(t, foot) if foot.dist > 0.0 => {
            out.extend(foot.touch(capsule.p + capsule.axis() * t, capsule.radius(), ellipsoid, margin));
        }
        // The segment itself penetrates the ellipsoid: the depth is that of the whole segment.
        Nearest::At(..) | Nearest::Unknown => convex::collide(capsule, ellipsoid, margin, settings, scratch, out),
    }
}

/// The point of the capsule's segment closest to the ellipsoid.
enum Nearest {
    /// Known to be farther than the limit.
    Beyond,
    At(f64, Foot),
    /// There is no unique foot.
    Unknown,
}

fn nearest(capsule: &Shape, ellipsoid: &Shape, beyond: f64) -> Nearest {
    let (p, axis) = (ellipsoid.to_local(capsule.p), ellipsoid.R.tmul(capsule.axis()));
    if gap_of_segment(p, axis * capsule.half_length(), ellipsoid.size) > beyond {
        return Nearest::Beyond;
    }
    let at = |t: f64| {
        let foot = Foot::of(p + axis * t, ellipsoid.size)?;
        Some((t, foot, axis.dot(foot.normal)))
    };
    let Some(mut low) = at(-capsule.half_length()) else { return Nearest::Unknown };
    if low.2 >= 0.0 {
        return Nearest::At(low.0, low.1);
    }
    let Some(mut high) = at(capsule.half_length()) else { return Nearest::Unknown };
    if high.2 <= 0.0 {
        return Nearest::At(high.0, high.1);
    }
    // Regula falsi; the weight of an end that is kept twice is halved (Illinois rule), so that both
    // ends converge.
    let (mut weight_low, mut weight_high) = (low.2, high.2);
    let mut raised = None;
    for _ in 0..60 {
        let t = (low.0 * weight_high - high.0 * weight_low) / (weight_high - weight_low);
        // A convex function is bounded below by its tangents, which intersect here.
        let cross = (low.2 * high.1.dist - high.2 * low.1.dist + low.2 * high.2 * (low.0 - high.0)) / (low.2 - high.2);
        if cross > beyond {
            return Nearest::Beyond;
        }
        if !(t > low.0 && t < high.0) {
            break;
        }
        let Some(middle) = at(t) else { return Nearest::Unknown };
        if middle.1.dist <= 0.0 || middle.2.abs() <= 1e-15 {
            return Nearest::At(t, middle.1);
        }
        let raise = middle.2 < 0.0;
        if raise {
            (low, weight_low) = (middle, middle.2);
            weight_high *= if raised == Some(true) { 0.5 } else { 1.0 };
        } else {
            (high, weight_high) = (middle, middle.2);
            weight_low *= if raised == Some(false) { 0.5 } else { 1.0 };
        }
        raised = Some(raise);
    }
    let best = if low.2.abs() < high.2.abs() { low } else { high };
    Nearest::At(best.0, best.1)
}
