//! Intermediate representation of the compiler: bodies in the order of their ids, each with its
//! resolved parts.

use super::pose::Pose;
use crate::model::kinds::GeomShape;
use crate::model::spec::{BodySpec, CompilerSpec, ModelSpec};
use saltus_math::Vec3;

use super::names::{Element, Outcome};

/// A body before it is written to the tables.
#[derive(Clone, Debug)]
pub(super) struct WorkBody {
    pub spec: BodySpec,
    /// Id of the parent; the world is its own parent.
    pub parent: usize,
    pub geoms: Vec<BuiltGeom>,
    pub sites: Vec<BuiltSite>,
    pub inertial: Inertial,
}

/// Mass and inertia of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertial {
    pub frame: Pose,
    pub mass: f64,
    pub moments: Vec3,
}

impl Inertial {
    pub const NONE: Inertial = Inertial { frame: Pose::IDENTITY, mass: 0.0, moments: Vec3::ZERO };
}

/// Resolved properties of a geom.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltGeom {
    pub shape: GeomShape,
    pub frame: Pose,
    pub size: [f64; 3],
    pub data: Option<u32>,
    pub mass: f64,
    pub moments: Vec3,
    pub aabb: [f64; 6],
    pub bound_radius: f64,
    pub fluid: [f64; 12],
}

/// Resolved properties of a site.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltSite {
    pub frame: Pose,
    pub size: [f64; 3],
    pub mesh: Option<u32>,
}

impl WorkBody {
    /// The settings that its inertia follows: those of the model that it was attached from, or
    /// these.
    pub fn compiler<'a>(&'a self, own: &'a CompilerSpec) -> &'a CompilerSpec {
        self.spec.compiler.as_deref().unwrap_or(own)
    }

    pub fn element(&self, id: usize) -> Element<'_> {
        Element::new("body", &self.spec.name, id, &self.spec.place)
    }
    pub fn frame(&self) -> Pose {
        Pose::new(self.spec.pos, self.spec.quat)
    }
}

/// Bodies in depth-first order with parents as ids. An error if the bodies of the spec do not form
/// a tree.
pub(super) fn ordered_bodies(spec: &ModelSpec) -> Outcome<Vec<WorkBody>> {
    let count = spec.bodies.len();
    let world = Element::new("model", &spec.name, 0, "");
    world.check(count > 0, || "there is no world body".into())?;
    for (i, body) in spec.bodies.iter().enumerate().skip(1) {
        let element = Element::new("body", &body.name, i, &body.place);
        element
            .check(body.parent.0 < count && body.parent.0 != i, || "its parent is not a body of this model".into())?;
    }
    let order = spec.preorder();
    world.check(order.len() == count, || "the bodies do not form a tree rooted at the world".into())?;
    let mut id_of = vec![0; count];
    for (id, body) in order.iter().enumerate() {
        id_of[body.0] = id;
    }
    let bodies = order.iter().map(|handle| {
        let mut body = spec.bodies[handle.0].clone();
        body.quat = body.quat.normalized();
        let parent = if handle.0 == 0 { 0 } else { id_of[body.parent.0] };
        if handle.0 == 0 {
            body.name = "world".into();
            (body.pos, body.quat) = (Vec3::ZERO, saltus_math::Quat::IDENTITY);
        }
        WorkBody { spec: body, parent, geoms: Vec::new(), sites: Vec::new(), inertial: Inertial::NONE }
    });
    Ok(bodies.collect())
}
