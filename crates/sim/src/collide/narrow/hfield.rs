//! Height field and any convex shape: one point per prism of the field in contact with the shape.
//!
//! Each cell of the grid is split along its diagonal from low x, y to high x, y into two triangles;
//! a triangle and its projection onto the base of the field form a prism. Only prisms below the
//! shape's bounding box are considered.
//!
//! The shortest translation out of a prism may be through a side that it shares with its neighbour,
//! where there is no surface: a foot deep between two prisms is then pushed in both directions.
//! With `Settings::surface_only` such a point is replaced by that of the triangle above.

use super::convex::Rounded;
use super::{Scratch, Settings, Touch, convex};
use crate::collide::shape::{Field, Shape};
use crate::collide::support::Convex;
use saltus_math::{Vec3, normalize};

/// Maximum number of contacts of one pair: MuJoCo's number.
const MAX_POINTS: usize = 50;

/// Component of a normal along the triangle's own normal below which it counts as pointing through
/// a side.
const SIDEWAYS: f64 = 0.5;

pub(super) fn collide(
    field: &Shape,
    other: &Shape,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    let first = out.len();
    for_prisms(field, other, margin, |corners, shape| {
        let touch = convex::touch(Rounded { core: &Convex::Prism { corners }, radius: 0.0 }, shape, margin, scratch);
        let touch =
            if settings.surface_only { touch.and_then(|t| on_surface(field, corners, shape, t)) } else { touch };
        out.extend(touch.filter(|t| t.dist <= margin));
        out.len() < first + MAX_POINTS
    });
}

/// The deepest or nearest point over all prisms, without a limit on their number.
pub(super) fn distance(field: &Shape, other: &Shape, limit: f64, scratch: &mut Scratch, out: &mut Vec<Touch>) {
    let mut best: Option<Touch> = None;
    for_prisms(field, other, limit, |corners, shape| {
        // Prisms farther than the best so far are irrelevant.
        let within = best.map_or(limit, |b| b.dist.max(0.0));
        let touch = convex::touch(Rounded { core: &Convex::Prism { corners }, radius: 0.0 }, shape, within, scratch);
        best = touch.filter(|t| t.dist <= best.map_or(limit, |b| b.dist)).or(best);
        true
    });
    out.extend(best);
}

/// The point itself if its normal points up. If it points through a side: the deepest point of the
/// shape below the triangle, unless it is below another triangle, whose own prism yields it. At the
/// border of the field the sides are surfaces.
fn on_surface(field: &Shape, corners: &[Vec3; 6], shape: Rounded<'_>, touch: Touch) -> Option<Touch> {
    let [a, b, c] = [corners[0], corners[1], corners[2]];
    let (normal, _) = normalize((b - a).cross(c - a));
    let up = field.R.col(2);
    if touch.normal.dot(up) >= SIDEWAYS * normal.dot(up) {
        return Some(touch);
    }
    let deepest = shape.core.support(-normal) - normal * shape.radius;
    let dist = normal.dot(deepest - a);
    let above = deepest - normal * dist;
    let [sx, sy, ..] = field.field.map(|grid| grid.size)?;
    let local = field.to_local(above);
    if local.x.abs() > sx || local.y.abs() > sy {
        return Some(touch);
    }
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(p, q)| up.dot((*q - *p).cross(above - *p)) >= 0.0);
    inside.then(|| Touch::new(dist, deepest - normal * (0.5 * dist), normal))
}

/// Calls `each` with the corners of every prism below the bounding box of the other shape, extended
/// by `margin`, and with that shape, until it returns false. Cells are visited row by row, the
/// triangle of larger y first.
fn for_prisms(field: &Shape, other: &Shape, margin: f64, mut each: impl FnMut(&[Vec3; 6], Rounded<'_>) -> bool) {
    let Some(grid) = field.field else { return };
    if grid.nrow < 2 || grid.ncol < 2 || grid.data.len() < grid.nrow * grid.ncol {
        return;
    }
    let (core, radius) = Convex::of(other);
    let (low, high) = local_bounds(field, &core, radius + margin);
    let [sx, sy, _, base] = grid.size;
    if high.z < -base || low.x > sx || high.x < -sx || low.y > sy || high.y < -sy {
        return;
    }
    let cells = |low: f64, high: f64, half: f64, count: usize| {
        let scale = (count - 1) as f64 / (2.0 * half);
        let first = ((low + half) * scale).floor().max(0.0) as usize;
        let last = ((high + half) * scale).ceil().max(0.0) as usize;
        first..last.min(count - 1)
    };
    for row in cells(low.y, high.y, sy, grid.nrow) {
        for col in cells(low.x, high.x, sx, grid.ncol) {
            for upper in [true, false] {
                let top = triangle(&grid, row, col, upper);
                if top.iter().all(|p| p.z < low.z) {
                    continue;
                }
                let corners = prism(field, &top, base);
                if !each(&corners, Rounded { core: &core, radius }) {
                    return;
                }
            }
        }
    }
}

/// Bounding box of a shape in the frame of the field, extended by `grow`.
fn local_bounds(field: &Shape, core: &Convex, grow: f64) -> (Vec3, Vec3) {
    let extreme = |axis: usize, sign: f64| {
        let direction = field.R.col(axis) * sign;
        field.to_local(core.support(direction))[axis] + sign * grow
    };
    let all = |sign: f64| Vec3::new(extreme(0, sign), extreme(1, sign), extreme(2, sign));
    (all(-1.0), all(1.0))
}

/// Corners of one of the two triangles of a cell, in the frame of the field.
fn triangle(grid: &Field, row: usize, col: usize, upper: bool) -> [Vec3; 3] {
    let [sx, sy, height, _] = grid.size;
    let point = |r: usize, c: usize| {
        let x = 2.0 * sx * c as f64 / (grid.ncol - 1) as f64 - sx;
        let y = 2.0 * sy * r as f64 / (grid.nrow - 1) as f64 - sy;
        Vec3::new(x, y, height * f64::from(grid.data[r * grid.ncol + c]))
    };
    let (a, d) = (point(row, col), point(row + 1, col + 1));
    if upper { [a, d, point(row + 1, col)] } else { [a, point(row, col + 1), d] }
}

/// World corners of the prism under a triangle.
fn prism(field: &Shape, top: &[Vec3; 3], base: f64) -> [Vec3; 6] {
    let floor = |p: Vec3| Vec3::new(p.x, p.y, -base);
    let [a, b, c] = *top;
    [a, b, c, floor(a), floor(b), floor(c)].map(|p| field.to_world(p))
}
