//! Capsule and ellipsoid: one point. The signed distance of a point to a convex shape is convex, so along the capsule's
//! segment its slope, axis · normal at the foot, rises: the nearest point is the slope's root.

use super::sphere_ellipsoid::Foot;
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
    match nearest(capsule, ellipsoid) {
        Some((t, foot)) if foot.dist > 0.0 => {
            out.extend(foot.touch(capsule.p + capsule.axis() * t, capsule.radius(), ellipsoid, margin));
        }
        // The segment itself enters the ellipsoid: all of it must leave.
        _ => convex::collide(capsule, ellipsoid, margin, settings, scratch, out),
    }
}

/// The point of the capsule's segment nearest to the ellipsoid.
fn nearest(capsule: &Shape, ellipsoid: &Shape) -> Option<(f64, Foot)> {
    let (p, axis) = (ellipsoid.to_local(capsule.p), ellipsoid.R.tmul(capsule.axis()));
    let at = |t: f64| {
        let foot = Foot::of(p + axis * t, ellipsoid.size)?;
        Some((t, foot, axis.dot(foot.normal)))
    };
    let (mut low, mut high) = (at(-capsule.half_length())?, at(capsule.half_length())?);
    if low.2 >= 0.0 {
        return Some((low.0, low.1));
    }
    if high.2 <= 0.0 {
        return Some((high.0, high.1));
    }
    // Regula falsi; an end that stays twice loses half its weight (the Illinois rule), so that both ends close in.
    let (mut weight_low, mut weight_high) = (low.2, high.2);
    let mut raised = None;
    for _ in 0..60 {
        let t = (low.0 * weight_high - high.0 * weight_low) / (weight_high - weight_low);
        if !(t > low.0 && t < high.0) {
            break;
        }
        let middle = at(t)?;
        if middle.1.dist <= 0.0 || middle.2.abs() <= 1e-15 {
            return Some((t, middle.1));
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
    Some((best.0, best.1))
}
