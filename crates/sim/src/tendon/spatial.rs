//! Spatial tendons: length and Jacobian of a path through sites, around geoms, split by pulleys.

use super::wrap::{Obstacle, wrap};
use crate::data::{Data, Position};
use crate::kinematics::jacobian::for_each_column;
use crate::model::{Model, kinds::WrapKind};
use saltus_math::{MIN_VAL, Motion, Vec3};

/// Marks in `wrap_object`.
const SITE: i32 = -1;
const PULLEY: i32 = -2;

/// A point of the path and the body it is fixed in.
#[derive(Clone, Copy, Default)]
struct PathPoint {
    p: Vec3,
    body: usize,
    object: i32,
}

/// The path between two sites: the sites, and the touching points of a geom in between.
struct Stretch {
    points: [PathPoint; 4],
    count: usize,
    /// Length on the surface of the geom.
    on_geom: f64,
    /// Path elements consumed.
    advance: usize,
}

impl Stretch {
    fn points(&self) -> &[PathPoint] {
        &self.points[..self.count]
    }
}

/// Updates tendon `t`, writing path points from index `first` on; returns the next free index.
pub(super) fn update(model: &Model, data: &mut Data, t: usize, first: usize) -> usize {
    let mut row = core::mem::take(&mut data.scratch.dof);
    row.fill(0.0);
    let path = model.tendons.path[t].range();
    let (mut length, mut divisor, mut next, mut w) = (0.0, 1.0, first, path.start);
    while w + 1 < path.end {
        if model.wraps.kind[w] == WrapKind::Pulley {
            divisor = model.wraps.prm[w];
            record(&mut data.position, &mut next, PathPoint { object: PULLEY, ..PathPoint::default() });
            w += 1;
            continue;
        }
        if model.wraps.kind[w + 1] == WrapKind::Pulley {
            w += 1;
            continue;
        }
        let stretch = calc_stretch(model, &data.position, w);
        let points = stretch.points();
        length += stretch.on_geom / divisor;
        for pair in points.windows(2) {
            let (direction, distance) = saltus_math::normalize(pair[1].p - pair[0].p);
            // The part on the geom's surface is counted by `on_geom` and moves with one body.
            if pair[0].body == pair[1].body && pair[0].object >= 0 && pair[1].object >= 0 {
                continue;
            }
            length += distance / divisor;
            if pair[0].body != pair[1].body && distance > MIN_VAL {
                add_segment(model, data, pair, direction / divisor, &mut row);
            }
        }
        for &point in &points[..points.len() - 1] {
            record(&mut data.position, &mut next, point);
        }
        w += stretch.advance;
        let branch_ends = w + 1 == path.end || model.wraps.kind[w + 1] == WrapKind::Pulley;
        if branch_ends {
            record(&mut data.position, &mut next, points[points.len() - 1]);
        }
    }
    let position = &mut data.position;
    position.tendon_points[t] = [first as i32, (next - first) as i32];
    position.tendon_length[t] = length;
    let span = model.tendons.jac[t].range();
    for (&i, j) in model.tendons.jac_col[span.clone()].iter().zip(&mut position.tendon_jac[span]) {
        *j = row[i as usize];
    }
    data.scratch.dof = row;
    next
}

fn record(position: &mut Position, next: &mut usize, point: PathPoint) {
    if *next < position.wrap_point.len() {
        position.wrap_point[*next] = point.p;
        position.wrap_object[*next] = point.object;
        *next += 1;
    }
}

fn site_point(model: &Model, position: &Position, w: usize) -> PathPoint {
    let s = model.wraps.object[w] as usize;
    PathPoint { p: position.p_WS[s], body: model.sites.body[s].idx(), object: SITE }
}

/// The stretch that starts at path element `w`, a site that is followed by a site or a geom and a site.
fn calc_stretch(model: &Model, position: &Position, w: usize) -> Stretch {
    let start = site_point(model, position, w);
    let shape = match model.wraps.kind[w + 1] {
        WrapKind::Sphere => Obstacle::Sphere,
        WrapKind::Cylinder => Obstacle::Cylinder,
        _ => {
            let end = site_point(model, position, w + 1);
            let points = [start, end, end, end];
            return Stretch { points, count: 2, on_geom: 0.0, advance: 1 };
        }
    };
    let end = site_point(model, position, w + 2);
    let g = model.wraps.object[w + 1] as usize;
    let side = model.wraps.prm[w + 1];
    let side = (side >= 0.0).then(|| position.p_WS[side as usize]);
    let pose = (position.p_WG[g], &position.R_WG[g]);
    match wrap(shape, model.geoms.size[g][0], pose, [start.p, end.p], side) {
        Some(wrapped) => {
            let on = |p: Vec3| PathPoint { p, body: model.geoms.body[g].idx(), object: g as i32 };
            let points = [start, on(wrapped.points[0]), on(wrapped.points[1]), end];
            Stretch { points, count: 4, on_geom: wrapped.length, advance: 2 }
        }
        None => Stretch { points: [start, end, end, end], count: 2, on_geom: 0.0, advance: 2 },
    }
}

/// row += direction · (J(second) − J(first)).
fn add_segment(model: &Model, data: &Data, pair: &[PathPoint], direction: Vec3, row: &mut [f64]) {
    for_each_column(model, data, pair[1].body, pair[1].p, |i, _, lin| row[i] += direction.dot(lin));
    for_each_column(model, data, pair[0].body, pair[0].p, |i, _, lin| row[i] -= direction.dot(lin));
}

/// J̇ v of tendon `t`: the second derivative of its length at zero acceleration, path points taken as fixed in their
/// bodies: Σ u · (a₂ − a₁) + |w|²/l with w the part of v₂ − v₁ across the segment.
pub(super) fn calc_jac_dot_v(model: &Model, data: &Data, t: usize) -> f64 {
    let path = model.tendons.path[t].range();
    let (mut rate, mut divisor, mut w) = (0.0, 1.0, path.start);
    while w + 1 < path.end {
        if model.wraps.kind[w] == WrapKind::Pulley {
            divisor = model.wraps.prm[w];
            w += 1;
            continue;
        }
        if model.wraps.kind[w + 1] == WrapKind::Pulley {
            w += 1;
            continue;
        }
        let stretch = calc_stretch(model, &data.position, w);
        for pair in stretch.points().windows(2) {
            if pair[0].body == pair[1].body {
                continue;
            }
            let (direction, distance) = saltus_math::normalize(pair[1].p - pair[0].p);
            if distance < MIN_VAL {
                continue;
            }
            let (first, second) = (motion_at(model, data, &pair[0]), motion_at(model, data, &pair[1]));
            let v = second.0 - first.0;
            let across = v - direction * direction.dot(v);
            rate += (direction.dot(second.1 - first.1) + across.length_squared() / distance) / divisor;
        }
        w += stretch.advance;
    }
    rate
}

/// Velocity of a path point, and its acceleration at zero generalized acceleration without gravity: J̇ v.
fn motion_at(model: &Model, data: &Data, point: &PathPoint) -> (Vec3, Vec3) {
    let r = point.p - data.position.com[model.bodies.root[point.body].idx()];
    let V = data.velocity.V[point.body];
    let mut A = Motion::ZERO;
    for i in crate::kinematics::jacobian::dofs_of(model, point.body) {
        A += data.velocity.S_dot[i] * data.state.v[i];
    }
    let v = V.shifted(r).lin;
    (v, A.shifted(r).lin + V.ang.cross(v))
}
