//! Two capsules: the closest points of their segments; two points if the segments are parallel to
//! 1e-4 rad.
//!
//! Segments x = p₁ + s a₁, y = p₂ + t a₂ with |s| ≤ l₁, |t| ≤ l₂. Parallel segments touch along an
//! interval; its ends are returned, the one with the smaller s first. Both ends coincide if the
//! segments do not overlap.

use super::{Touch, sphere_sphere};
use crate::collide::shape::Shape;

/// sin² of the angle below which axes count as parallel.
const PARALLEL: f64 = 1e-8;

pub(super) fn collide(a: &Shape, b: &Shape, margin: f64, out: &mut Vec<Touch>) {
    let axes = [a.axis(), b.axis()];
    let half = [a.half_length(), b.half_length()];
    let mut add = |s: f64, t: f64| {
        let centre = [a.p + axes[0] * s, b.p + axes[1] * t];
        sphere_sphere::touch(centre, [a.radius(), b.radius()], axes, margin, out);
    };
    let apart = b.p - a.p;
    let cosine = axes[0].dot(axes[1]);
    // The cross product instead of 1 − cos² avoids cancellation.
    let sine_squared = axes[0].cross(axes[1]).length_squared();
    let clamp = |x: f64, limit: f64| x.clamp(-limit, limit);
    if sine_squared > PARALLEL {
        let (u, v) = (axes[0].dot(apart), axes[1].dot(apart));
        let s = clamp((u - cosine * v) / sine_squared, half[0]);
        let t = clamp(cosine * s - v, half[1]);
        let s = clamp(cosine * t + u, half[0]);
        add(s, t);
        return;
    }
    let direction = if cosine < 0.0 { -1.0 } else { 1.0 };
    for end in [-1.0, 1.0] {
        // The end of b on this side of a.
        let t = end * direction * half[1];
        let s = axes[0].dot(apart + axes[1] * t);
        if s * end <= half[0] {
            add(clamp(s, half[0]), t);
        } else {
            let s = end * half[0];
            add(s, clamp(axes[1].dot(axes[0] * s - apart), half[1]));
        }
    }
}
