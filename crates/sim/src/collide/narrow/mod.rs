//! Narrow phase: contact points of two shapes. One file per pair of shapes; this folder is the
//! support matrix.
//!
//! Every routine takes its shapes in the order of `GeomShape` (plane, height field, sphere,
//! capsule, ellipsoid, cylinder, box, mesh) and appends the points whose distance is at most
//! `margin`. Normals point from the first shape to the second, positions are midpoints between the
//! two surfaces.

mod box_box;
mod capsule_box;
mod capsule_capsule;
mod capsule_ellipsoid;
mod clip;
mod convex;
mod ellipsoid_ellipsoid;
pub(crate) mod feature;
mod hfield;
mod manifold;
mod plane_box;
mod plane_capsule;
mod plane_cylinder;
mod plane_ellipsoid;
mod plane_mesh;
mod plane_sphere;
mod polish;
mod sphere_box;
mod sphere_capsule;
mod sphere_cylinder;
mod sphere_ellipsoid;
mod sphere_sphere;

use super::epa::Polytope;
use super::shape::Shape;
use crate::model::Model;
use crate::model::kinds::GeomShape as G;
use crate::options::Disable;
use crate::options::law::Law;
use saltus_math::Vec3;

/// A contact point of two shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Distance between the surfaces along the normal; negative: penetration.
    pub dist: f64,
    /// Position: midpoint between the surfaces, world.
    pub pos: Vec3,
    /// From the first shape to the second.
    pub normal: Vec3,
    /// Preferred direction of the first tangent; zero for none.
    pub tangent: Vec3,
}

impl Touch {
    fn new(dist: f64, pos: Vec3, normal: Vec3) -> Self {
        Self { dist, pos, normal, tangent: Vec3::ZERO }
    }
}

/// Options of the narrow phase.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Generate several points for flat contacts of convex shapes.
    pub multiple: bool,
    /// Height fields push along their surface only, not through the sides of their prisms.
    pub surface_only: bool,
}

impl Settings {
    /// From the options of a model.
    pub fn new(model: &Model) -> Self {
        Self {
            multiple: !model.options.disable.has(Disable::MULTICCD),
            // A shape deep between prisms is pushed in both directions, which only the soft law,
            // whose contacts are MuJoCo's, tolerates.
            surface_only: model.options.laws.law != Law::Soft,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { multiple: true, surface_only: false }
    }
}

/// Working memory; except for `axis` its contents mean nothing between calls.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Input: a unit vector along which the shapes may be separated; saves the search if they are,
    /// and otherwise has no effect. Output: a separating direction, if one was found.
    pub(super) axis: Option<Vec3>,
    polygon: Vec<Vec3>,
    spare: Vec<Vec3>,
    base: Vec<Vec3>,
    edges: Vec<feature::Edge>,
    polytope: Polytope,
}

/// Whether the bounding spheres (or a plane and a bounding sphere) come within `margin`.
pub(super) fn bounds_meet(a: &Shape, b: &Shape, margin: f64) -> bool {
    if a.kind == G::Plane {
        return a.axis().dot(b.p - a.p) <= b.bound_radius + margin;
    }
    let reach = a.bound_radius + b.bound_radius + margin;
    (b.p - a.p).length_squared() <= reach * reach
}

/// Appends all contact points of two shapes. Pairs without a routine have none.
pub fn collide(a: &Shape, b: &Shape, margin: f64, settings: &Settings, scratch: &mut Scratch, out: &mut Vec<Touch>) {
    match (a.kind, b.kind) {
        (G::Plane, G::Sphere) => plane_sphere::collide(a, b, margin, out),
        (G::Plane, G::Capsule) => plane_capsule::collide(a, b, margin, out),
        (G::Plane, G::Ellipsoid) => plane_ellipsoid::collide(a, b, margin, out),
        (G::Plane, G::Cylinder) => plane_cylinder::collide(a, b, margin, out),
        (G::Plane, G::Box) => plane_box::collide(a, b, margin, out),
        (G::Plane, G::Mesh) => plane_mesh::collide(a, b, margin, scratch, out),
        (G::Sphere, G::Sphere) => sphere_sphere::collide(a, b, margin, out),
        (G::Sphere, G::Capsule) => sphere_capsule::collide(a, b, margin, out),
        (G::Sphere, G::Ellipsoid) => sphere_ellipsoid::collide(a, b, margin, settings, scratch, out),
        (G::Sphere, G::Cylinder) => sphere_cylinder::collide(a, b, margin, out),
        (G::Sphere, G::Box) => sphere_box::collide(a, b, margin, out),
        (G::Capsule, G::Capsule) => capsule_capsule::collide(a, b, margin, out),
        (G::Capsule, G::Ellipsoid) => capsule_ellipsoid::collide(a, b, margin, settings, scratch, out),
        (G::Capsule, G::Box) => capsule_box::collide(a, b, margin, out),
        (G::Ellipsoid, G::Ellipsoid) => ellipsoid_ellipsoid::collide(a, b, margin, settings, scratch, out),
        (G::Box, G::Box) => box_box::collide(a, b, margin, scratch, out),
        (G::Plane, _) | (_, G::Plane | G::Hfield) => {}
        (G::Hfield, _) => hfield::collide(a, b, margin, settings, scratch, out),
        _ => convex::collide(a, b, margin, settings, scratch, out),
    }
}

/// Like [`collide`], but finds the closest points of any two shapes, at any distance. The box–box
/// routine generates contacts: it prefers faces, and misses corners that face each other
/// diagonally. That of height fields generates a limited number of contacts.
pub(super) fn distance(
    a: &Shape,
    b: &Shape,
    limit: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Touch>,
) {
    match (a.kind, b.kind) {
        (G::Box, G::Box) => convex::collide(a, b, limit, settings, scratch, out),
        (G::Hfield, _) => hfield::distance(a, b, limit, scratch, out),
        _ => collide(a, b, limit, settings, scratch, out),
    }
}
