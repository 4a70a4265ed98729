//! Contact features of two geoms, reconstructed from a contact's point, normal and distance.
//!
//! Each side of a contact is a point, a line, a curve, a plane or a surface that is fixed in its
//! body, and a radius around it. The core point of a side lies on the contact's normal, at
//! radius + dist/2 from the contact point.

use super::{convex, shapes, terrain};
use crate::data::{Contact, Data};
use crate::model::Model;
use crate::model::kinds::GeomShape as G;
use saltus_math::Vec3;

/// Feature of one side of a contact; directions in the axes of the contact (normal, first and
/// second tangent).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feature {
    Point,
    Line(Vec3),
    /// Tangent, and curvature c'' · n along the contact's normal.
    Curve(Vec3, f64),
    Plane,
    /// The same along the two tangents of the contact.
    Surface([[f64; 2]; 2]),
}

/// Motion of a core point that is not fixed in its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slide {
    None,
    /// Intersection of a line of body `line_of` (0 or 1) and a plane of the other.
    Cut {
        line: Vec3,
        plane: Vec3,
        line_of: usize,
    },
    /// Projected along `normal`, which is fixed in the body with its face, from a point `at` of the
    /// other body, or from the intersection of a line of the other with a plane of this one. First
    /// body only.
    Onto {
        at: Vec3,
        cut: Option<[Vec3; 2]>,
        normal: Vec3,
    },
    /// Moves along a direction, at a rate linear in the rotation of the body relative to the other.
    Spin {
        along: Vec3,
        rate: Vec3,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub feature: Feature,
    pub radius: f64,
    pub slide: Slide,
}

impl Side {
    pub fn new(feature: Feature, radius: f64) -> Self {
        Self { feature, radius, slide: Slide::None }
    }
}

/// Both sides, the direction that determines the first tangent, and whether all this describes the
/// actual contact of the geoms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    pub sides: [Side; 2],
    pub hint: Hint,
    pub exact: bool,
}

/// Direction whose projection is the first tangent, in contact axes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hint {
    /// An axis of the world.
    World(Vec3),
    /// A direction fixed in the second body.
    Second(Vec3),
}

/// Components of unit normals below this count as zero.
pub(super) const FLAT: f64 = 1e-9;

/// Largest component of a line's direction along the normal for which it counts as perpendicular:
/// the distance query finds normals to about 1e-7.
const ACROSS: f64 = 1e-6;

/// One side of a contact, from outside.
pub(super) struct View<'a> {
    pub model: &'a Model,
    pub data: &'a Data,
    pub contact: &'a Contact,
    /// Index of the side: 0 or 1.
    pub k: usize,
    pub geom: usize,
}

impl View<'_> {
    pub fn kind(&self) -> G {
        self.model.geoms.shape[self.geom]
    }
    pub fn size(&self) -> [f64; 3] {
        self.model.geoms.size[self.geom]
    }
    /// Towards the other geom, world.
    pub fn outward(&self) -> Vec3 {
        if self.k == 0 { self.contact.frame.r0 } else { -self.contact.frame.r0 }
    }
    /// The core point, at `radius` below the surface, in the geom's frame.
    pub fn core(&self, radius: f64) -> Vec3 {
        let p = self.contact.pos - self.outward() * (0.5 * self.contact.dist + radius);
        self.data.position.R_WG[self.geom].tmul(p - self.data.position.p_WG[self.geom])
    }
    pub fn local(&self, direction: Vec3) -> Vec3 {
        self.data.position.R_WG[self.geom].tmul(direction)
    }
    /// Axis `i` of the geom in contact axes.
    pub fn axis(&self, i: usize) -> Vec3 {
        self.contact.frame * self.data.position.R_WG[self.geom].col(i)
    }
}

impl Features {
    pub fn of(model: &Model, data: &Data, contact: &Contact) -> Self {
        let geoms = [contact.geom1.idx(), contact.geom2.idx()];
        let views = [0, 1].map(|k| View { model, data, contact, k, geom: geoms[k] });
        let normal = contact.frame.r0;
        let hint = match [views[0].kind(), views[1].kind()] {
            [G::Plane, G::Capsule] => capsule_hint(&views[1]),
            _ => Hint::World(contact.frame * if normal.y.abs() < 0.5 { Vec3::Y } else { Vec3::Z }),
        };
        let found = pair(&views).filter(|sides| is_regular(sides, contact.dist));
        let exact = found.is_some();
        // Otherwise the normal is assumed fixed in the first body, the point in the second.
        let sides = found.unwrap_or([Side::new(Feature::Plane, 0.0), Side::new(Feature::Point, 0.0)]);
        Self { sides, hint, exact }
    }
}

/// The features of pairs with a dedicated routine in `collide::narrow`.
fn pair(views: &[View<'_>; 2]) -> Option<[Side; 2]> {
    let [a, b] = views;
    let plane = Side::new(Feature::Plane, 0.0);
    match [a.kind(), b.kind()] {
        [G::Plane, G::Sphere | G::Capsule] => Some([plane, Side::new(Feature::Point, b.size()[0])]),
        [G::Plane, G::Box | G::Mesh] => Some([plane, Side::new(Feature::Point, 0.0)]),
        [G::Plane, G::Ellipsoid] => Some([plane, shapes::ellipsoid(b)]),
        [G::Plane, G::Cylinder] => Some([plane, shapes::lying_cylinder(b)?]),
        [G::Hfield, G::Sphere] => Some([Side::new(terrain::feature(a)?, 0.0), shapes::rounded(b)?]),
        [G::Hfield, G::Capsule | G::Box] => {
            let (ground, other) = (terrain::feature(a)?, shapes::rounded(b)?);
            (ground == Feature::Plane && other.feature == Feature::Point).then_some([plane, other])
        }
        [G::Sphere, G::Mesh] => Some([shapes::rounded(a)?, shapes::hull(b, a.contact.dist + a.size()[0])?]),
        [G::Sphere, G::Sphere | G::Capsule | G::Box | G::Ellipsoid | G::Cylinder] => {
            Some([shapes::rounded(a)?, shapes::rounded(b)?])
        }
        [G::Capsule, G::Capsule] => Some([shapes::rounded(a)?, shapes::rounded(b)?]),
        [G::Capsule, G::Ellipsoid] => {
            let outside = a.contact.dist + a.size()[0] > FLAT;
            outside.then_some([shapes::rounded(a)?, shapes::ellipsoid(b)])
        }
        [G::Capsule, G::Box] => shapes::capsule_on_box(a, b),
        [G::Box, G::Box] => shapes::boxes(a, b),
        [G::Capsule | G::Box | G::Mesh, G::Mesh] => convex::sides(views),
        _ => None,
    }
}

/// The first tangent of a capsule on a plane is along the capsule; along x if the capsule is
/// upright.
fn capsule_hint(capsule: &View<'_>) -> Hint {
    let axis = capsule.axis(2);
    if axis.y * axis.y + axis.z * axis.z > FLAT * FLAT {
        Hint::Second(axis)
    } else {
        Hint::World(capsule.contact.frame * Vec3::X)
    }
}

/// Whether the closest points of two features are unique and move smoothly.
fn is_regular(sides: &[Side; 2], dist: f64) -> bool {
    // At the closest point of a line the normal is perpendicular to it. If it is not, as at second
    // points of capsules on edges, the point was chosen by another rule.
    let is_across = |side: &Side| match side.feature {
        Feature::Line(t) | Feature::Curve(t, _) => t.x.abs() < ACROSS,
        Feature::Point | Feature::Plane | Feature::Surface(_) => true,
    };
    if !sides.iter().all(is_across) {
        return false;
    }
    let apart = sides[0].radius + sides[1].radius + dist;
    match (sides[0].feature, sides[1].feature) {
        (Feature::Plane, Feature::Plane | Feature::Line(_)) | (Feature::Line(_), Feature::Plane) => false,
        (Feature::Plane, _) | (_, Feature::Plane) => true,
        (Feature::Surface(_), _) | (_, Feature::Surface(_)) => true,
        (Feature::Line(a), Feature::Line(b)) => a.cross(b).length_squared() > 1e-8,
        _ => apart.abs() > FLAT,
    }
}
