//! Spatial tendons: length and Jacobian of a path through sites, around geoms, split by pulleys.

use super::wrap::{Obstacle, wrap};
use crate::data::{Data, Position};
use crate::kinematics::jacobian::for_each_column;
use crate::model::{Model, kinds::WrapKind};
use saltus_math::{MIN_VAL, Motion, Vec3};

/// Special values in `wrap_object`.
const SITE: i32 = -1;
const PULLEY: i32 = -2;

/// A point of the path and the body that it is fixed to.
#[derive(Clone, Copy, Default)]
struct PathPoint {
    p: Vec3,
    body: usize,
    object: i32,
}

/// The path between two sites: the sites, and the tangent points on a geom in between.
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

    /// Straight parts plus the part on the geom.
    fn length(&self) -> f64 {
        let p = |k: usize| self.points[k].p;
        match self.count {
            4 => p(0).distance(p(1)) + self.on_geom + p(2).distance(p(3)),
            _ => p(0).distance(p(1)),
        }
    }
}

/// Events of the walk along a path.
enum Event<'a> {
    Pulley,
    /// A stretch, whether it ends its branch, and the divisor of the branch.
    Stretch(&'a Stretch, bool, f64),
}

/// Walks along the path of tendon `t`.
fn walk(model: &Model, position: &Position, t: usize, mut visit: impl FnMut(Event<'_>)) {
    let path = model.tendons.path[t].range();
    let is_pulley = |w: usize| model.wraps.kind[w] == WrapKind::Pulley;
    let (mut divisor, mut w) = (1.0, path.start);
    while w + 1 < path.end {
        if is_pulley(w) {
            divisor = model.wraps.prm[w];
            visit(Event::Pulley);
            w += 1;
        } else if is_pulley(w + 1) {
            w += 1;
        } else {
            let stretch = calc_stretch(model, position, w);
            w += stretch.advance;
            visit(Event::Stretch(&stretch, w + 1 == path.end || is_pulley(w + 1), divisor));
        }
    }
}

/// Calls `visit(first, second, direction, length, divisor)` for each straight segment between two
/// bodies.
fn for_each_segment(
    model: &Model,
    position: &Position,
    t: usize,
    mut visit: impl FnMut(&PathPoint, &PathPoint, Vec3, f64, f64),
) {
    walk(model, position, t, |event| {
        if let Event::Stretch(stretch, _, divisor) = event {
            for pair in stretch.points().windows(2).filter(|pair| pair[0].body != pair[1].body) {
                let (direction, length) = saltus_math::normalize(pair[1].p - pair[0].p);
                if length > MIN_VAL {
                    visit(&pair[0], &pair[1], direction, length, divisor);
                }
            }
        }
    });
}

/// The path between two sites: two points, or four with the tangent points on a geom in the middle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SitePath {
    pub p: [Vec3; 4],
    pub body: [usize; 4],
    pub count: usize,
    pub divisor: f64,
    /// The geom that the path touches.
    pub geom: Option<usize>,
}

/// All paths between sites of tendon `t`.
pub(crate) fn for_each_path(model: &Model, data: &Data, t: usize, mut visit: impl FnMut(&SitePath)) {
    walk(model, &data.position, t, |event| {
        if let Event::Stretch(stretch, _, divisor) = event {
            visit(&SitePath {
                p: stretch.points.map(|x| x.p),
                body: stretch.points.map(|x| x.body),
                count: stretch.count,
                divisor,
                geom: (stretch.count == 4).then_some(stretch.points[1].object as usize),
            });
        }
    });
}

/// Updates tendon `t`, writing path points from index `first` on; returns the next free index.
pub(super) fn update(model: &Model, data: &mut Data, t: usize, first: usize) -> usize {
    let mut points = core::mem::take(&mut data.position.wrap_point);
    let mut objects = core::mem::take(&mut data.position.wrap_object);
    let (mut length, mut next) = (0.0, first);
    let mut record = |point: &PathPoint| {
        if next < points.len() {
            (points[next], objects[next]) = (point.p, point.object);
            next += 1;
        }
    };
    walk(model, &data.position, t, |event| match event {
        Event::Pulley => record(&PathPoint { object: PULLEY, ..PathPoint::default() }),
        Event::Stretch(stretch, branch_ends, divisor) => {
            length += stretch.length() / divisor;
            let (last, before) = stretch.points[..stretch.count].split_last().unwrap_or((&stretch.points[0], &[]));
            before.iter().for_each(&mut record);
            if branch_ends {
                record(last);
            }
        }
    });
    data.position.wrap_point = points;
    data.position.wrap_object = objects;
    data.position.tendon_points[t] = [first as i32, (next - first) as i32];
    data.position.tendon_length[t] = length;
    update_jacobian(model, data, t);
    next
}

/// The Jacobian row: Σ direction · (J(second) − J(first)) / divisor.
fn update_jacobian(model: &Model, data: &mut Data, t: usize) {
    let mut row = core::mem::take(&mut data.scratch.dof);
    row.fill(0.0);
    for_each_segment(model, &data.position, t, |first, second, direction, _, divisor| {
        let u = direction / divisor;
        for_each_column(model, data, second.body, second.p, |i, _, lin| row[i] += u.dot(lin));
        for_each_column(model, data, first.body, first.p, |i, _, lin| row[i] -= u.dot(lin));
    });
    let span = model.tendons.jac[t].range();
    for (&i, j) in model.tendons.jac_col[span.clone()].iter().zip(&mut data.position.tendon_jac[span]) {
        *j = row[i as usize];
    }
    data.scratch.dof = row;
}

/// Calls `add(body, point, force vector)` with the forces of tendon `t` on bodies under tension
/// −`force`.
pub(crate) fn for_each_force(model: &Model, data: &Data, t: usize, force: f64, mut add: impl FnMut(usize, Vec3, Vec3)) {
    for_each_segment(model, &data.position, t, |first, second, direction, _, divisor| {
        let f = direction * (force / divisor);
        add(second.body, second.p, f);
        add(first.body, first.p, -f);
    });
}

fn site_point(model: &Model, position: &Position, w: usize) -> PathPoint {
    let s = model.wraps.object[w] as usize;
    PathPoint { p: position.p_WS[s], body: model.sites.body[s].idx(), object: SITE }
}

/// The stretch that starts at path element `w`, a site, which is followed by a site or by a geom
/// and a site.
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
    let (radius, ends) = (model.geoms.size[g][0], [start.p, end.p]);
    match wrap(shape, radius, position.p_WG[g], &position.R_WG[g], ends, side) {
        Some(wrapped) => {
            let on = |p: Vec3| PathPoint { p, body: model.geoms.body[g].idx(), object: g as i32 };
            let points = [start, on(wrapped.points[0]), on(wrapped.points[1]), end];
            Stretch { points, count: 4, on_geom: wrapped.length, advance: 2 }
        }
        None => Stretch { points: [start, end, end, end], count: 2, on_geom: 0.0, advance: 2 },
    }
}

/// J̇ v of tendon `t`: the second derivative of its length at zero acceleration with path points
/// fixed to their bodies: Σ u · (a₂ − a₁) + |w|²/l with w the part of v₂ − v₁ perpendicular to the
/// segment.
pub(crate) fn calc_jac_dot_v(model: &Model, data: &Data, t: usize) -> f64 {
    let mut rate = 0.0;
    for_each_segment(model, &data.position, t, |first, second, direction, length, divisor| {
        let (first, second) = (motion_at(model, data, first), motion_at(model, data, second));
        let v = second.0 - first.0;
        let across = v - direction * direction.dot(v);
        rate += (direction.dot(second.1 - first.1) + across.length_squared() / length) / divisor;
    });
    rate
}

/// Velocity of a path point, and its acceleration at zero generalized acceleration without gravity:
/// J̇ v.
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
