//! The robot of a goal: on its feet or bolted down, with the objects around it.

use super::robot::{Robot, RobotError, RobotOptions, named_pose};
use crate::geometry::{CapsulePair, ContactBall, GeometryOptions, GeometryReport, Shapes, Touch, keep_bodies};
use crate::problem::forces::weight;
use crate::problem::physics::Units;
use crate::problem::term::{Frame, moving_bodies};
use saltus_math::Vec3;
use saltus_sim::model::kinds::{JointKind, ObjectKind};
use saltus_sim::model::spec::BodySpec;
use saltus_sim::{Data, Model, ModelSpec, compile, forward_smooth};

/// A robot to plan for.
#[derive(Debug)]
pub struct Subject {
    /// The model that is planned for, with the changes that `notes` name.
    pub spec: ModelSpec,
    /// `spec`, compiled.
    pub own: Model,
    /// The model.
    pub model: Model,
    /// The pose that it starts in · nq.
    pub nominal: Vec<f64>,
    /// Balls that can touch the ground, and its height; `None` if the robot does not stand on it.
    pub feet: Option<Feet>,
    /// Links that can collide with each other.
    pub links: Vec<CapsulePair>,
    /// Units of forces and lengths.
    pub units: Units,
    /// How shapes were replaced for planning.
    pub geometry: GeometryReport,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// The feet of a robot.
#[derive(Debug)]
pub struct Feet {
    /// How many there are.
    pub count: usize,
    /// Their balls that can touch the ground.
    pub points: Vec<ContactBall>,
    /// Height of the ground, m.
    pub ground: f64,
}

impl Subject {
    /// A robot that stands on its feet.
    pub fn standing(spec: &ModelSpec, options: &RobotOptions) -> Result<Self, RobotError> {
        let robot = Robot::new(spec, options)?;
        let units = Units { weight: robot.weight, length: robot.length };
        let feet = Feet { count: robot.feet.len(), points: robot.points, ground: robot.ground };
        let Robot { spec, own, model, nominal, notes, planning, .. } = robot;
        let (links, geometry) = (planning.capsule_pairs, planning.report);
        Ok(Self { spec, own, model, nominal, feet: Some(feet), links, units, geometry, notes })
    }

    /// The robot that a site or body belongs to: on its feet, or bolted down.
    pub fn of_place(spec: &ModelSpec, place: &str, options: &RobotOptions) -> Result<Self, RobotError> {
        if is_floating(spec, place) { Self::standing(spec, options) } else { Self::bolted(spec, place, options) }
    }

    fn bolted(spec: &ModelSpec, place: &str, options: &RobotOptions) -> Result<Self, RobotError> {
        let mut spec = spec.clone();
        keep_bodies(&mut spec);
        let own = compile(&spec)?;
        let body = find_frame(&own, place)?.body.idx();
        // Objects around it stay on what they lie on.
        let other = |&b: &usize| own.bodies.tree[b].is_some() && own.bodies.tree[b] != own.bodies.tree[body];
        let objects: Vec<String> = (1..own.nbody()).filter(other).map(|b| own.bodies.name[b].clone()).collect();
        let touch = if objects.is_empty() { Touch::Nothing } else { Touch::Bodies(objects) };
        let options_of_geometry = GeometryOptions { touch, ..GeometryOptions::default() };
        let planning = Shapes::new(&spec, &own)?.planning(&options_of_geometry)?.without_margins();
        let model = compile(&planning.spec)?;
        let nominal = named_pose(&own, options.keyframe.as_deref())?;
        let units = Units { weight: weight(&model), length: size(&model, &nominal) };
        let (links, geometry) = (planning.capsule_pairs, planning.report);
        let notes = geometry.notes.clone();
        Ok(Self { spec, own, model, nominal, feet: None, links, units, geometry, notes })
    }

    /// Whether there are contacts: of feet or of objects.
    pub fn touches(&self) -> bool {
        self.feet.is_some() || !self.model.pairs.geom1.is_empty()
    }
}

/// A site, or a body if there is no such site; otherwise an error that lists them.
pub fn find_frame(model: &Model, place: &str) -> Result<Frame, RobotError> {
    if let Ok(site) = model.site(place) {
        return Ok(Frame::of_site(model, site.idx()));
    }
    if let Ok(body) = model.body(place) {
        return Ok(Frame::of_body(body));
    }
    let listed = |kind| {
        let names: Vec<&str> = model.names(kind).iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    Err(RobotError::NoPlace {
        name: place.to_owned(),
        sites: listed(ObjectKind::Site),
        bodies: listed(ObjectKind::Body),
    })
}

/// Whether a site or body hangs on a joint that no actuator can hold: a free joint.
fn is_floating(spec: &ModelSpec, place: &str) -> bool {
    let has_site = |body: &BodySpec| body.sites.iter().any(|site| site.name == place);
    let of_site = spec.bodies.iter().position(has_site);
    let Some(body) = of_site.or_else(|| spec.bodies.iter().position(|body| body.name == place)) else { return false };
    let up = |&b: &usize| (b != 0).then(|| spec.bodies[b].parent.0);
    let is_free = |b: usize| spec.bodies[b].joints.iter().any(|joint| joint.kind == JointKind::Free);
    core::iter::successors(Some(body), up).any(is_free)
}

/// Largest distance between the centres of two bodies, m.
pub fn size(model: &Model, start: &[f64]) -> f64 {
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(start);
    forward_smooth(model, &mut data);
    let at: Vec<Vec3> = moving_bodies(model, None).iter().map(|b| data.position.p_WI[b.idx()]).collect();
    let largest = at.iter().flat_map(|p| at.iter().map(move |r| (*p - *r).length())).fold(0.0, f64::max);
    if largest > 1e-3 { largest } else { 1.0 }
}
