//! Any two convex shapes: distance by GJK between cores, depth by EPA if the cores overlap, both
//! refined for curved shapes, then a contact manifold.

use super::{Scratch, Settings, Touch};
use super::{manifold, polish};
use crate::collide::gjk::{self, Distance, Vertex};
use crate::collide::shape::Shape;
use crate::collide::support::Convex;
use saltus_math::normalize;

pub(super) fn collide(
    a: &Shape,
    b: &Shape,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    let ((ca, ra), (cb, rb)) = (Convex::of(a), Convex::of(b));
    if let Some(axis) = scratch.axis {
        // Far enough beyond the margin that round-off cannot change the decision: the search would
        // give the same result.
        let w = Vertex::support(&ca, &cb, -axis).w;
        if axis.dot(w) - ra - rb > margin + 1e-9 * (w.length() + ra + rb) {
            return;
        }
    }
    let Some(mut touch) = touch(Rounded { core: &ca, radius: ra }, Rounded { core: &cb, radius: rb }, margin, scratch)
    else {
        return;
    };
    if let Some(exact) = polish::polish(&ca, &cb, touch.normal) {
        let pos = 0.5 * (exact.a + exact.b) + exact.normal * (0.5 * (ra - rb));
        touch = Touch::new(exact.gap - ra - rb, pos, exact.normal);
    }
    if touch.dist > margin {
        return;
    }
    if settings.multiple && manifold::push(a, b, &touch, margin, scratch, out) {
        return;
    }
    out.push(touch);
}

/// The set of points within `radius` of a convex core.
#[derive(Clone, Copy)]
pub(super) struct Rounded<'a> {
    pub core: &'a Convex<'a>,
    pub radius: f64,
}

/// The deepest point of two rounded shapes; None if they are farther apart than `limit`.
pub(super) fn touch(a: Rounded<'_>, b: Rounded<'_>, limit: f64, scratch: &mut Scratch) -> Option<Touch> {
    let (radius_a, radius_b) = (a.radius, b.radius);
    let radius = radius_a + radius_b;
    match gjk::distance(a.core, b.core, limit + radius) {
        Distance::Beyond { axis } => {
            scratch.axis = Some(axis);
            None
        }
        Distance::Apart { a, b } => {
            let (normal, length) = normalize(b - a);
            let dist = length - radius;
            Some(Touch::new(dist, a + normal * (radius_a + 0.5 * dist), normal))
        }
        Distance::Overlap(simplex) => {
            let p = scratch.polytope.penetration(a.core, b.core, &simplex)?;
            let dist = -p.depth - radius;
            let pos = 0.5 * (p.a + p.b) + p.normal * (0.5 * (radius_a - radius_b));
            Some(Touch::new(dist, pos, p.normal))
        }
    }
}
