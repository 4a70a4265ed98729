//! Signed distance between two geoms.

use super::Workspace;
use super::narrow::{self, Settings};
use super::shape::Shape;
use crate::data::{Data, Position};
use crate::ids::GeomId;
use crate::model::Model;
use saltus_math::Vec3;

/// Closest points of two geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomDistance {
    /// Signed distance, m; negative: penetration depth.
    pub dist: f64,
    /// Closest point on the first geom, world.
    pub from: Vec3,
    /// Closest point on the second geom, world.
    pub to: Vec3,
}

/// Distance between two geoms if it is below `limit`. Needs kinematics. None for pairs that cannot
/// collide (two planes or height fields) and for invalid ids. Allocates: not for inner loops.
pub fn geom_distance(model: &Model, data: &Data, geom1: GeomId, geom2: GeomId, limit: f64) -> Option<GeomDistance> {
    geom_distance_within(model, &data.position, [geom1, geom2], limit, &mut Workspace::default())
}

/// [`geom_distance`] with working memory provided by the caller.
pub(crate) fn geom_distance_within(
    model: &Model,
    x: &Position,
    [geom1, geom2]: [GeomId; 2],
    limit: f64,
    work: &mut Workspace,
) -> Option<GeomDistance> {
    if geom1.idx() >= model.ngeom() || geom2.idx() >= model.ngeom() {
        return None;
    }
    let shape = |g: GeomId| Shape::of_geom(model, x, g.idx());
    let (first, second) = (shape(geom1), shape(geom2));
    let swap = first.kind > second.kind;
    let (a, b) = if swap { (&second, &first) } else { (&first, &second) };
    let margin = limit.max(0.0);
    if !narrow::bounds_meet(a, b, margin) {
        return None;
    }
    work.touches.clear();
    narrow::distance(
        a,
        b,
        margin,
        &Settings { multiple: false, ..Settings::default() },
        &mut work.narrow,
        &mut work.touches,
    );
    let touch = work.touches.iter().min_by(|x, y| x.dist.total_cmp(&y.dist)).filter(|t| t.dist < limit)?;
    let half = touch.normal * (0.5 * touch.dist);
    let (on_a, on_b) = (touch.pos - half, touch.pos + half);
    let (from, to) = if swap { (on_b, on_a) } else { (on_a, on_b) };
    Some(GeomDistance { dist: touch.dist, from, to })
}
