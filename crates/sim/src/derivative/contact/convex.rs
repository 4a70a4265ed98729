//! Contact features of convex pairs handled by the general routine (`collide::narrow::convex` and
//! `manifold`), reconstructed from the contact: each guess is verified against the contact's point
//! and normal.
//!
//! - Face against face: the normal is that of the second's face; points are corners of the first's
//!   face, corners of the second's projected onto it, or edges of the second's clipped by sides of
//!   the first's and projected.
//! - Edge of one against face of the other: the normal is that of the face; points are ends of the
//!   edge, or its intersections with sides of the face.
//! - Otherwise the closest points of the contact features.
//!
//! Only for hulls, boxes and capsules. Contact points of rims and ellipsoids are known to the
//! tolerance of the distance query only, which is insufficient for derivatives, and which four
//! corners of the polygon that approximates a disc are kept depends on round-off.

use super::feature::{Feature, Side, Slide, View};
use super::shapes;
use crate::collide::narrow::feature::{Edge, Face, Feature as Touching, outline};
use crate::collide::shape::Shape;
use crate::model::kinds::GeomShape as G;
use saltus_math::{Vec3, normalize};

/// Tolerance for points, relative to sizes, and for normals: triangles of one face differ, because
/// vertices have single precision.
const NEAR: f64 = 1e-6;
/// Tolerance for points on edges, which are accurate to round-off: fine meshes have many almost
/// collinear edges.
const ON: f64 = 1e-11;
/// Cosine of the largest angle between faces in flat contact, as in `manifold`.
const FLAT: f64 = 0.996;

/// One side of the contact with its shape.
struct Part<'a, 'b> {
    view: &'a View<'b>,
    shape: Shape<'a>,
    touching: Option<Touching>,
    /// Contact point on its surface, world.
    surface: Vec3,
    size: f64,
}

impl<'a, 'b> Part<'a, 'b> {
    fn of(view: &'a View<'b>) -> Self {
        let shape = Shape::of_geom(view.model, &view.data.position, view.geom);
        let surface = view.contact.pos - view.outward() * (0.5 * view.contact.dist);
        let touching = Touching::of(&shape, view.outward());
        Self { view, shape, touching, surface, size: shape.bound_radius }
    }

    /// A direction of the world in contact axes.
    fn axes(&self, world: Vec3) -> Vec3 {
        self.view.contact.frame * world
    }

    /// The face whose normal is that of the contact, and its corners.
    fn level_face(&self, corners: &mut Vec<Vec3>) -> Option<Face> {
        let (touching, outward) = (self.touching?, self.view.outward());
        let mut found = None;
        touching.for_faces(&self.shape, |face| {
            let away = self.shape.R * face.normal - outward;
            found = found.or((away.length_squared() < NEAR * NEAR).then_some(face));
        });
        outline(&self.shape, &found?, corners);
        found
    }

    /// The face in flat contact with the other shape, and its corners.
    fn flat_face(&self, corners: &mut Vec<Vec3>) -> Option<Face> {
        let (touching, outward) = (self.touching?, self.view.outward());
        let mut found = None;
        touching.for_faces(&self.shape, |face| {
            found = found.or(((self.shape.R * face.normal).dot(outward) > FLAT).then_some(face));
        });
        outline(&self.shape, &found?, corners);
        let normal = self.shape.R * found?.normal;
        let height = normal.dot(self.surface - *corners.first()?);
        (height.abs() < NEAR * self.size).then_some(found?)
    }

    /// The edge that contains the contact point.
    fn edge(&self) -> Option<(Edge, [Vec3; 2])> {
        let touching = self.touching?;
        let (mut found, mut least) = (None, ON * self.size);
        touching.for_edges(&self.shape, |edge| {
            let Some(ends) = edge.ends else { return };
            let off = distance(self.surface, ends);
            if off < least {
                (found, least) = (Some((edge, ends)), off);
            }
        });
        found
    }

    /// The contact feature if the contact is not flat; None if it does not contain the point.
    fn alone(&self) -> Option<Side> {
        if self.shape.kind == G::Capsule {
            // Points of a flat contact may be outside the core.
            let core = self.view.core(self.shape.radius());
            let off = (core.x * core.x + core.y * core.y).sqrt();
            return shapes::rounded(self.view).filter(|_| off < NEAR * self.size);
        }
        let (touching, outward) = (self.touching?, self.view.outward());
        let (mut corner, mut along) = (None, Vec3::ZERO);
        touching.for_edges(&self.shape, |edge| {
            if let Some([p, _]) = edge.ends.filter(|_| corner.is_none()) {
                (corner, along) = (Some(p), edge.direction);
            }
        });
        let away = self.surface - corner?;
        let (feature, off) = match touching.rank {
            3 => (Feature::Plane, away.dot(outward).abs()),
            2 => (Feature::Line(self.axes(along)), away.cross(along).length()),
            _ => (Feature::Point, away.length()),
        };
        (off < NEAR * self.size).then_some(Side::new(feature, 0.0))
    }
}

/// Both sides; None if the contact does not match the rules for convex shapes.
pub(super) fn sides(views: &[View<'_>; 2]) -> Option<[Side; 2]> {
    let [a, b] = [Part::of(&views[0]), Part::of(&views[1])];
    flat(&a, &b).or_else(|| Some([a.alone()?, b.alone()?]))
}

/// Both sides of a flat contact; None if the contact is not flat.
fn flat(a: &Part<'_, '_>, b: &Part<'_, '_>) -> Option<[Side; 2]> {
    let plane = Side::new(Feature::Plane, 0.0);
    if let Some(point) = face_on_face(a, b).or_else(|| edge_on_face(a, b)) {
        return Some([point, plane]);
    }
    Some([plane, edge_on_face(b, a)?])
}

/// A point of the first's face against that of the second.
fn face_on_face(a: &Part<'_, '_>, b: &Part<'_, '_>) -> Option<Side> {
    let (mut base, mut polygon) = (Vec::new(), Vec::new());
    b.level_face(&mut polygon)?;
    let face = a.flat_face(&mut base)?;
    let (normal, near) = (a.shape.R * face.normal, NEAR * (a.size + b.size));
    let mut side = Side::new(Feature::Point, 0.0);
    if base.iter().any(|c| (*c - a.surface).length() < near) {
        return Some(side);
    }
    let on = |x: Vec3| x + normal * normal.dot(a.surface - x);
    let at = |x: Vec3| a.axes(x - a.view.contact.pos);
    let projected = |x: Vec3, cut| Slide::Onto { at: at(x), cut, normal: a.axes(normal) };
    if let Some(corner) = polygon.iter().find(|c| (on(**c) - a.surface).length() < near) {
        side.slide = projected(*corner, None);
        return Some(side);
    }
    let [p, q] = side_at(&base, a.surface, near, |x| x)?;
    let [c, d] = side_at(&polygon, a.surface, near, on)?;
    let ((outwards, _), (along, _)) = (normalize(normal.cross(q - p)), normalize(d - c));
    let across = outwards.dot(along);
    if across.abs() < NEAR {
        return None;
    }
    let x = c + along * (outwards.dot(p - c) / across);
    side.slide = projected(x, Some([a.axes(along), a.axes(outwards)]));
    ((on(x) - a.surface).length() < near).then_some(side)
}

/// A point of an edge of `a` against a face of `b`.
fn edge_on_face(a: &Part<'_, '_>, b: &Part<'_, '_>) -> Option<Side> {
    // The edge of a capsule is its core, translated.
    if a.shape.kind == G::Capsule {
        return None;
    }
    let mut base = Vec::new();
    let face = b.level_face(&mut base)?;
    let (edge, ends) = a.edge()?;
    let (normal, near) = (b.shape.R * face.normal, ON * (a.size + b.size));
    let mut side = Side::new(Feature::Point, 0.0);
    if ends.iter().any(|end| (*end - a.surface).length() < near) {
        return Some(side);
    }
    let over = |x: Vec3| x + normal * normal.dot(a.surface - x);
    let [p, q] = side_at(&base, a.surface, near, over)?;
    let (outwards, _) = normalize(normal.cross(q - p));
    if outwards.dot(edge.direction).abs() < NEAR {
        return None;
    }
    side.slide = Slide::Cut { line: a.axes(edge.direction), plane: a.axes(outwards), line_of: a.view.k };
    Some(side)
}

/// The side of a polygon that contains a point, after `place` has moved its corners into one plane
/// with the point: the nearest side, since outlines of round faces have many almost collinear
/// sides.
fn side_at(corners: &[Vec3], point: Vec3, near: f64, place: impl Fn(Vec3) -> Vec3) -> Option<[Vec3; 2]> {
    let (mut found, mut least) = (None, near);
    for (k, &p) in corners.iter().enumerate() {
        let q = corners[(k + 1) % corners.len()];
        let off = distance(point, [place(p), place(q)]);
        if off < least {
            (found, least) = (Some([p, q]), off);
        }
    }
    found
}

/// Distance of a point from a segment.
fn distance(point: Vec3, [p, q]: [Vec3; 2]) -> f64 {
    let along = q - p;
    let share = (along.dot(point - p) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (point - p - along * share).length()
}
