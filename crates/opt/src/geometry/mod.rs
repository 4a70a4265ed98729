//! Geometry for planning: contacts that never flip.
//!
//! An optimizer follows derivatives. Contacts of meshes and boxes come and go in groups as bodies
//! turn, long before they touch, and no derivative knows about that. So a model for planning has
//! the same bodies, joints, masses, actuators and sensors as the model that it is made from (q, v
//! and u are the same) but other contacts:
//! - *candidates*, balls fixed in bodies (`round`, `thin`), against the surfaces of the environment
//!   and of bodies that are named;
//! - *capsules* around links (`links`, `fit`) whose distance is a constraint (`capsule`) instead of
//!   a contact.
//!
//! A ball against a plane, or against a convex shape with the centre outside, has one contact point
//! that moves continuously with the state. With the centre inside a box or a hull it jumps where
//! two faces are equally near.

mod ball;
mod build;
mod capsule;
mod fit;
mod hidden;
mod links;
mod options;
mod report;
mod round;
mod shape;
mod thin;
mod write;

pub use build::{Shapes, build_planning_spec, keep_bodies};
pub use capsule::{CapsulePair, LinkCapsule, capsule_distance};
pub(crate) use links::joints_between;
pub use options::{GeometryError, GeometryOptions, Touch, Touched};
pub use report::{BodyFit, GeometryReport};

use saltus_math::Vec3;
use saltus_sim::ids::BodyId;
use saltus_sim::{Model, ModelSpec};

/// A ball of a body that can touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// In the compiled planning model.
    pub body: BodyId,
    /// Name of the body.
    pub body_name: String,
    /// Name of the ball's geom, `plan:GEOM:k`.
    pub geom: String,
    /// Centre in the frame of the body.
    pub position: Vec3,
    /// Radius, m.
    pub radius: f64,
    /// Name of the geom that it stands for; empty if that has none.
    pub source: String,
}

/// A model for planning and what is known about its geometry.
#[derive(Clone, Debug)]
pub struct Planning {
    /// The model for planning.
    pub spec: ModelSpec,
    /// Points that may touch.
    pub candidates: Vec<Candidate>,
    /// One for each body that moves and collides.
    pub capsules: Vec<LinkCapsule>,
    /// Capsules that must stay apart.
    pub capsule_pairs: Vec<CapsulePair>,
    /// What was done.
    pub report: GeometryReport,
}

/// A ball fixed in a body, which can touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactBall {
    /// The body.
    pub body: BodyId,
    /// Its centre in the frame of the body.
    pub centre: Vec3,
    /// Radius, m.
    pub radius: f64,
}

impl From<&Candidate> for ContactBall {
    fn from(candidate: &Candidate) -> Self {
        Self { body: candidate.body, centre: candidate.position, radius: candidate.radius }
    }
}

impl Planning {
    /// Without margins: surfaces are where they are drawn, and the contact law has a distance of
    /// its own from which it acts.
    pub fn without_margins(mut self) -> Self {
        for pair in &mut self.spec.pairs {
            (pair.margin, pair.gap) = (Some(0.0), Some(0.0));
        }
        self
    }
}

/// Name of a body for people.
fn body_name(model: &Model, body: usize) -> String {
    match model.bodies.name.get(body) {
        Some(name) if !name.is_empty() => name.clone(),
        _ => format!("body {body}"),
    }
}
