//! Broad phase: sweep and prune over the bounding boxes of geoms, along the axis of largest
//! variance. O(n log n + overlaps). Planes are unbounded: each box is tested against the plane
//! itself.

use super::{Candidate, filter};
use crate::data::Position;
use crate::model::Model;
use crate::model::kinds::GeomShape;
use saltus_math::Vec3;

/// World bounding box of a geom, extended by its margin and gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    low: Vec3,
    high: Vec3,
    geom: u32,
    /// Whether the geom is static and does not belong to a moving group.
    immobile: bool,
    group: filter::Group,
}

/// Bounding boxes in the order of the sweep, which changes little between calls, so that sorting is
/// cheap.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    boxes: Vec<Interval>,
}

impl Sweep {
    /// Updates the boxes of all geoms that may collide, in their previous order if the geoms are
    /// the same.
    fn update(&mut self, model: &Model, x: &Position) {
        let geoms = &model.geoms;
        let collides =
            |g: usize| (geoms.contype[g] != 0 || geoms.conaffinity[g] != 0) && geoms.shape[g] != GeomShape::Plane;
        let count = (0..model.ngeom()).filter(|g| collides(*g)).count();
        let known = |b: &Interval| (b.geom as usize) < model.ngeom() && collides(b.geom as usize);
        if self.boxes.len() == count && self.boxes.iter().all(known) {
            self.boxes.iter_mut().for_each(|b| *b = bounds(model, x, b.geom as usize));
        } else {
            self.boxes.clear();
            self.boxes.extend((0..model.ngeom()).filter(|g| collides(*g)).map(|g| bounds(model, x, g)));
        }
    }

    /// Sorts by lower ends, by insertion as long as few boxes are out of order.
    fn sort(&mut self, axis: usize) {
        let boxes = &mut self.boxes;
        let before = |a: &Interval, b: &Interval| a.low[axis].total_cmp(&b.low[axis]).then(a.geom.cmp(&b.geom));
        let mut moves = 4 * boxes.len();
        for i in 1..boxes.len() {
            let mut k = i;
            while k > 0 && before(&boxes[k], &boxes[k - 1]).is_lt() {
                boxes.swap(k, k - 1);
                k -= 1;
            }
            moves = moves.saturating_sub(i - k);
            if moves == 0 {
                return boxes.sort_unstable_by(before);
            }
        }
    }
}

/// Adds all pairs of geoms whose boxes overlap and that pass the filters.
pub(super) fn push_candidates(model: &Model, x: &Position, sweep: &mut Sweep, out: &mut Vec<Candidate>) {
    sweep.update(model, x);
    push_planes(model, x, &sweep.boxes, out);
    // Fast path: many robots collide with the floor only.
    let masks = sweep.boxes.iter().fold([0, 0], |m, b| [m[0] | b.group.types, m[1] | b.group.affinities]);
    if masks[0] & masks[1] == 0 {
        return;
    }
    let axis = widest_axis(&sweep.boxes);
    sweep.sort(axis);
    let boxes = &sweep.boxes;
    let parents = filter::parents_collide(model);
    for i in 0..boxes.len() {
        let a = boxes[i];
        for b in &boxes[i + 1..] {
            // The comparison is such that a box with NaN overlaps everything.
            if b.low[axis] > a.high[axis] {
                break;
            }
            if a.immobile && b.immobile || apart(&a, b) || !a.group.collides(&b.group, parents) {
                continue;
            }
            // Smaller id first, so that the order of the geoms does not depend on their positions.
            let (g1, g2) = (a.geom.min(b.geom), a.geom.max(b.geom));
            out.extend(filter::candidate_of_groups(model, g1 as usize, g2 as usize));
        }
    }
}

fn apart(a: &Interval, b: &Interval) -> bool {
    a.low.x > b.high.x
        || b.low.x > a.high.x
        || a.low.y > b.high.y
        || b.low.y > a.high.y
        || a.low.z > b.high.z
        || b.low.z > a.high.z
}

/// Tests planes against the boxes that reach below them.
fn push_planes(model: &Model, x: &Position, boxes: &[Interval], out: &mut Vec<Candidate>) {
    let geoms = &model.geoms;
    for plane in 0..model.ngeom() {
        if geoms.shape[plane] != GeomShape::Plane || (geoms.contype[plane] == 0 && geoms.conaffinity[plane] == 0) {
            continue;
        }
        let immobile = is_immobile(model, plane);
        let R = &x.R_WG[plane];
        let normal = Vec3::new(R.r0.z, R.r1.z, R.r2.z);
        let offset = normal.dot(x.p_WG[plane]) + growth(model, plane);
        for b in boxes.iter().filter(|b| !(immobile && b.immobile)) {
            // The deepest corner of the box. The comparison is such that a box with NaN counts as
            // near.
            let deepest = normal.dot(0.5 * (b.low + b.high)) - normal.abs().dot(0.5 * (b.high - b.low));
            if deepest > offset {
                continue;
            }
            out.extend(filter::candidate(model, plane, b.geom as usize));
        }
    }
}

/// Extension of a geom's box: the margins of both geoms of a pair add up, so each contributes its
/// own part.
fn growth(model: &Model, g: usize) -> f64 {
    let margin = if super::overridden(model) { 0.5 * model.options.override_margin } else { model.geoms.margin[g] };
    margin + model.geoms.gap[g].max(0.5 * model.options.laws.contact_reach())
}

fn is_immobile(model: &Model, geom: usize) -> bool {
    let weld = model.bodies.weld[model.geoms.body[geom].idx()];
    model.bodies.dofs[weld.idx()].is_empty()
}

fn bounds(model: &Model, x: &Position, g: usize) -> Interval {
    let geoms = &model.geoms;
    let [cx, cy, cz, hx, hy, hz] = geoms.aabb[g];
    let R = x.R_WG[g];
    let centre = x.p_WG[g] + R * Vec3::new(cx, cy, cz);
    let h = Vec3::new(hx, hy, hz);
    let spread = Vec3::new(R.r0.abs().dot(h), R.r1.abs().dot(h), R.r2.abs().dot(h));
    let half = spread + Vec3::splat(growth(model, g) + 1e-9 * spread.max_element());
    Interval {
        low: centre - half,
        high: centre + half,
        geom: g as u32,
        immobile: is_immobile(model, g),
        group: filter::Group::of(model, g),
    }
}

/// Axis with the largest variance of box centres.
fn widest_axis(boxes: &[Interval]) -> usize {
    let n = boxes.len().max(1) as f64;
    let mean = boxes.iter().fold(Vec3::ZERO, |sum, b| sum + (b.low + b.high)) / n;
    let square = |v: Vec3| v * v;
    let variance = boxes.iter().fold(Vec3::ZERO, |sum, b| sum + square(b.low + b.high - mean));
    if variance.x >= variance.y && variance.x >= variance.z {
        0
    } else if variance.y >= variance.z {
        1
    } else {
        2
    }
}
