//! Contact features of single shapes, and of pairs whose contacts are clipped by borders.

use super::feature::{FLAT, Feature, Side, Slide, View};
use crate::collide::narrow::feature;
use crate::collide::shape::Shape;
use crate::model::kinds::GeomShape as G;
use saltus_math::{Vec3, normalize};

/// Tolerance for points on borders, relative to sizes.
const ON: f64 = 1e-7;

/// The side of a sphere, capsule, box, cylinder or ellipsoid at the contact's point.
pub(super) fn rounded(view: &View<'_>) -> Option<Side> {
    let size = view.size();
    match view.kind() {
        G::Sphere => Some(Side::new(Feature::Point, size[0])),
        G::Capsule => {
            let inside = view.core(size[0]).z.abs() < size[1] * (1.0 - FLAT);
            Some(Side::new(if inside { Feature::Line(view.axis(2)) } else { Feature::Point }, size[0]))
        }
        G::Box => {
            let local = view.local(view.outward()).to_array();
            let mut faces = (0..3).filter(|&i| local[i].abs() > FLAT);
            let feature = match (faces.next(), faces.next(), faces.next()) {
                (Some(_), None, _) => Feature::Plane,
                (Some(i), Some(j), None) => Feature::Line(view.axis(3 - i - j)),
                _ => Feature::Point,
            };
            Some(Side::new(feature, 0.0))
        }
        G::Cylinder => Some(cylinder(view)),
        G::Ellipsoid => Some(ellipsoid(view)),
        _ => None,
    }
}

/// The side of a cylinder: its axis with the radius, a disc, or the rim.
fn cylinder(view: &View<'_>) -> Side {
    let (size, outward) = (view.size(), view.local(view.outward()));
    if outward.z.abs() < FLAT {
        return Side::new(Feature::Line(view.axis(2)), size[0]);
    }
    if outward.z.abs() > 1.0 - FLAT {
        return Side::new(Feature::Plane, 0.0);
    }
    let (radial, _) = normalize(Vec3::new(outward.x, outward.y, 0.0));
    Side::new(rim(view, radial), 0.0)
}

/// The rim of a cylinder at the local radial direction.
fn rim(view: &View<'_>, radial: Vec3) -> Feature {
    let world = |v: Vec3| view.contact.frame * (view.data.position.R_WG[view.geom] * v);
    // c'' = −radial / radius.
    Feature::Curve(world(Vec3::new(-radial.y, radial.x, 0.0)), -world(radial).x / view.size()[0])
}

/// A point of an ellipsoid: c'' · m = −tᵀ diag(1/s²) t / |x/s²| for unit speed along t, m the
/// outward normal.
pub(super) fn ellipsoid(view: &View<'_>) -> Side {
    let s = Vec3::from_array(view.size());
    let x = view.core(0.0) / (s * s);
    let frame = &view.contact.frame;
    let t = [frame.r1, frame.r2].map(|t| view.local(t));
    let sign = if view.k == 0 { -1.0 } else { 1.0 };
    let B = |a: usize, b: usize| sign * (t[a] / (s * s)).dot(t[b]) / x.length();
    Side::new(Feature::Surface([[B(0, 0), B(0, 1)], [B(1, 0), B(1, 1)]]), 0.0)
}

/// A point of a cylinder on a plane: at a fixed angle from the direction of steepest descent, d,
/// which stays in the plane of axis a and normal n: with g = a × d, g · n = 0 holds under a
/// rotation ω of the body if d rotates about a by ψ = (ω × g) · n / (d · n).
pub(super) fn lying_cylinder(view: &View<'_>) -> Option<Side> {
    let axis = view.axis(2);
    // In contact axes n is x.
    let (down, length) = normalize(axis * axis.x - Vec3::X);
    if length < 1e-6 {
        return None;
    }
    let core = view.core(0.0);
    let offset = view.contact.frame * (view.data.position.R_WG[view.geom] * Vec3::new(core.x, core.y, 0.0));
    let g = axis.cross(down);
    let slide = Slide::Spin { along: axis.cross(offset), rate: g.cross(Vec3::X) / down.x };
    Some(Side { feature: Feature::Point, radius: 0.0, slide })
}

/// The hull of a mesh, against a sphere whose centre is at distance `apart` from it: the closest
/// corner, edge or face. With the centre inside it is a face.
pub(super) fn hull(view: &View<'_>, apart: f64) -> Option<Side> {
    let shape = Shape::of_geom(view.model, &view.data.position, view.geom);
    let feature = match feature::of_mesh(&shape, view.outward())? {
        (3, _) => Feature::Plane,
        _ if apart <= FLAT => return None,
        (2, along) => Feature::Line(view.contact.frame * along),
        _ => Feature::Point,
    };
    Some(Side::new(feature, 0.0))
}

/// A sphere of a capsule against a box. Over a face the sphere is at an end of the capsule, or
/// where the capsule leaves the face: its axis intersected with a plane of the box.
pub(super) fn capsule_on_box(capsule: &View<'_>, block: &View<'_>) -> Option<[Side; 2]> {
    let (mut ball, other) = (rounded(capsule)?, rounded(block)?);
    // A segment that enters the box is handled by another routine.
    let radius = capsule.size()[0];
    if capsule.contact.dist + radius <= FLAT {
        return None;
    }
    if let (Feature::Line(axis), Feature::Plane) = (ball.feature, other.feature) {
        let (size, surface, out) = (block.size(), block.core(0.0), block.local(block.outward()));
        let border = (0..3).find(|&i| out[i].abs() < FLAT && (surface[i].abs() - size[i]).abs() < ON * size[i])?;
        let plane = block.axis(border);
        if plane.dot(axis).abs() < ON {
            return None;
        }
        ball.feature = Feature::Point;
        ball.slide = Slide::Cut { line: axis, plane, line_of: 0 };
    }
    Some([ball, other])
}

/// Two boxes: a face of one and a corner of the other, an edge clipped by a side of the face, or a
/// side edge of the face that intersects the other's face; or two edges.
pub(super) fn boxes(a: &View<'_>, b: &View<'_>) -> Option<[Side; 2]> {
    let faces = |view: &View<'_>| view.local(view.outward()).abs().max_element() > 1.0 - 1e-12;
    let plane = Side::new(Feature::Plane, 0.0);
    if faces(a) {
        return Some([plane, on_face(a, b)?]);
    }
    if faces(b) {
        return Some([on_face(b, a)?, plane]);
    }
    let edge = |view: &View<'_>| {
        let (core, size) = (view.core(0.0), view.size());
        let mut free = (0..3).filter(|&i| (core[i].abs() - size[i]).abs() > ON * size[i]);
        let along = free.next()?;
        (free.next().is_none() && view.local(view.outward())[along].abs() < 1e-7).then(|| view.axis(along))
    };
    Some([Side::new(Feature::Line(edge(a)?), 0.0), Side::new(Feature::Line(edge(b)?), 0.0)])
}

/// A point of box `b` against a face of box `a`.
fn on_face(a: &View<'_>, b: &View<'_>) -> Option<Side> {
    let border = |view: &View<'_>, p: Vec3, i: usize| (p[i].abs() - view.size()[i]).abs() < ON * view.size()[i];
    let point = b.core(0.0);
    // The same point in the frame of the face.
    let x = &a.data.position;
    let world = x.p_WG[b.geom] + x.R_WG[b.geom] * point;
    let over = x.R_WG[a.geom].tmul(world - x.p_WG[a.geom]);
    let normal = a.local(a.outward());
    let mut inner = (0..3).filter(|&i| !border(b, point, i));
    let mut side = Side::new(Feature::Point, 0.0);
    let sides = |i: usize| normal[i].abs() < 0.5 && border(a, over, i);
    match (inner.next(), inner.next()) {
        (None, _) => {}
        (Some(along), None) => {
            let (line, plane) = (b.axis(along), a.axis((0..3).find(|&i| sides(i))?));
            if plane.dot(line).abs() < ON {
                return None;
            }
            side.slide = Slide::Cut { line, plane, line_of: b.k };
        }
        _ => {
            // A side edge of the face, along the normal, intersected with the face of b.
            if (0..3).filter(|&i| sides(i)).count() != 2 {
                return None;
            }
            let plane = b.axis((0..3).find(|&i| border(b, point, i))?);
            side.slide = Slide::Cut { line: Vec3::X, plane, line_of: a.k };
        }
    }
    Some(side)
}
