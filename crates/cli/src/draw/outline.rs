//! Outlines of geoms in side view: x to the right, z up, viewed from the −y side.

use super::canvas::Point;
use saltus::math::Vec3;
use saltus::sim::model::kinds::GeomShape;
use saltus::{Data, Model};

/// Geoms of this group and above are collision shapes, which viewers hide.
const HIDDEN_GROUP: i32 = 3;
/// Maximum number of mesh vertices that the outline is computed from.
const MAX_VERTICES: usize = 2000;

/// The outline of one geom.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Corners in order along the outline, m.
    pub corners: Vec<Point>,
    /// y coordinate of the geom, m; the drawing order.
    pub y: f64,
    pub body: usize,
}

/// Geoms to draw: the visible ones of each moving body, or its collision geoms if none of them is
/// visible. If that selects nothing, all geoms of moving bodies.
pub fn visible_geoms(model: &Model) -> Vec<usize> {
    let geoms = &model.geoms;
    let moving = |&g: &usize| model.bodies.tree[geoms.body[g].idx()].is_some() && geoms.rgba[g][3] > 0.0;
    let all: Vec<usize> = (0..model.ngeom()).filter(moving).collect();
    let is_shown = |g: usize| geoms.group[g] < HIDDEN_GROUP;
    let has_shown = |g: usize| all.iter().any(|&other| geoms.body[other] == geoms.body[g] && is_shown(other));
    let touches = |g: usize| geoms.contype[g] != 0 || geoms.conaffinity[g] != 0;
    let shown: Vec<usize> = all.iter().copied().filter(|&g| is_shown(g) || touches(g) && !has_shown(g)).collect();
    if shown.is_empty() { all } else { shown }
}

/// Visible static geoms that can collide.
pub fn still_geoms(model: &Model) -> Vec<usize> {
    let geoms = &model.geoms;
    let still = |g: &usize| model.bodies.tree[geoms.body[*g].idx()].is_none() && geoms.group[*g] < HIDDEN_GROUP;
    let touched = |g: &usize| geoms.contype[*g] != 0 || geoms.conaffinity[*g] != 0;
    (0..model.ngeom()).filter(still).filter(touched).collect()
}

/// The part of a convex outline between x = `left` and `right`; empty if the outline is outside.
pub fn between(corners: &[Point], left: f64, right: f64) -> Vec<Point> {
    let kept = cut(corners, |p| p[0] - left);
    cut(&kept, |p| right - p[0])
}

/// The part of a polygon where `inside`, linear in the point, is positive.
fn cut(corners: &[Point], inside: impl Fn(Point) -> f64) -> Vec<Point> {
    let next = corners.iter().cycle().skip(1);
    let mut kept = Vec::with_capacity(corners.len() + 2);
    for (&a, &b) in corners.iter().zip(next) {
        let (at_a, at_b) = (inside(a), inside(b));
        if at_a >= 0.0 {
            kept.push(a);
        }
        if at_a * at_b < 0.0 {
            let s = at_a / (at_a - at_b);
            kept.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
        }
    }
    kept
}

/// Outlines of the geoms in the current pose, farthest from the viewer first.
pub fn outlines(model: &Model, data: &Data, geoms: &[usize]) -> Vec<Outline> {
    let of = |&g: &usize| {
        let corners = hull(points(model, data, g));
        let (y, body) = (data.position.p_WG[g].y, model.geoms.body[g].idx());
        (corners.len() > 2).then_some(Outline { corners, y, body })
    };
    let mut outlines: Vec<Outline> = geoms.iter().filter_map(of).collect();
    outlines.sort_by(|a, b| b.y.total_cmp(&a.y));
    outlines
}

/// Points whose convex hull is the outline.
fn points(model: &Model, data: &Data, g: usize) -> Vec<Point> {
    let (axes, p, size) = (&data.position.R_WG[g], data.position.p_WG[g], model.geoms.size[g]);
    let seen = |v: Vec3| [v.x, v.z];
    let place = |x: f64, y: f64, z: f64| p + axes.col(0) * x + axes.col(1) * y + axes.col(2) * z;
    let circle = |n: usize| (0..n).map(move |k| (core::f64::consts::TAU * k as f64 / n as f64).sin_cos());
    let round = |centre: Vec3, radius: f64| {
        circle(24).map(move |(s, c)| [centre.x + radius * c, centre.z + radius * s]).collect::<Vec<Point>>()
    };
    match model.geoms.shape[g] {
        GeomShape::Sphere => round(p, size[0]),
        GeomShape::Capsule => {
            let axis = axes.col(2) * size[1];
            [round(p - axis, size[0]), round(p + axis, size[0])].concat()
        }
        GeomShape::Cylinder => {
            let disc = |z: f64| circle(24).map(move |(s, c)| (size[0] * c, size[0] * s, z));
            disc(-size[1]).chain(disc(size[1])).map(|(x, y, z)| seen(place(x, y, z))).collect()
        }
        GeomShape::Box => {
            let signs = [-1.0, 1.0];
            let all = signs.iter().flat_map(|&a| signs.iter().flat_map(move |&b| signs.map(|c| (a, b, c))));
            all.map(|(a, b, c)| seen(place(a * size[0], b * size[1], c * size[2]))).collect()
        }
        GeomShape::Ellipsoid => {
            // Support points for directions in the picture plane.
            let farthest = |(s, c): (f64, f64)| {
                let d = Vec3::new(c, 0.0, s);
                let along = [0, 1, 2].map(|k| axes.col(k).dot(d) * size[k]);
                let length = along.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
                seen(place(size[0] * along[0] / length, size[1] * along[1] / length, size[2] * along[2] / length))
            };
            circle(24).map(farthest).collect()
        }
        GeomShape::Mesh => {
            let Some(mesh) = model.geoms.data[g].map(|m| m as usize) else { return Vec::new() };
            let vertices = &model.meshes.vertex[model.meshes.vertices[mesh].range()];
            let every = vertices.len().div_ceil(MAX_VERTICES).max(1);
            let numbers = vertices.iter().step_by(every).map(|v| v.map(f64::from));
            numbers.map(|[x, y, z]| seen(place(x, y, z))).collect()
        }
        _ => Vec::new(),
    }
}

/// Convex hull, counter-clockwise, by Andrew's monotone chain.
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.retain(|p| p[0].is_finite() && p[1].is_finite());
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |a: Point, b: Point, c: Point| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && turn(a, b, p) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut corners = chain(&mut points.iter().copied());
    corners.extend(chain(&mut points.iter().rev().copied()));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_of_the_picture_is_cut_off() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(between(&square, 0.25, 0.5), [[0.25, 0.0], [0.5, 0.0], [0.5, 1.0], [0.25, 1.0]]);
        assert_eq!(between(&square, -1.0, 2.0), square);
        assert!(between(&square, 2.0, 3.0).is_empty());
    }

    #[test]
    fn the_hull_of_a_square_is_its_corners() {
        let mut points = vec![[0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [0.2, 0.7], [1.0, 1.0], [0.0, 1.0], [0.5, 0.0]];
        assert_eq!(hull(points.clone()), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        points.push([f64::NAN, 0.0]);
        assert_eq!(hull(points).len(), 4);
    }
}
