//! Properties of a robot that are found from its model: feet, ground, size, a standing pose.

use super::ground::{add_ground, find_ground};
use super::objects::Surroundings;
use super::pose::{StandError, keep_limits, stand};
use super::symmetry::{NoSymmetry, find_mirror, level_friction};
use crate::geometry::{Candidate, ContactBall, GeometryError, GeometryOptions, Planning, Shapes, Touch, keep_bodies};
use crate::problem::actuation::Actuation;
use crate::problem::forces::weight;
use crate::problem::mirror::Mirror;
use crate::problem::tangent::Rotations;
use saltus_sim::ids::BodyId;
use saltus_sim::model::NoSuchName;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::{CompileError, Data, Model, ModelSpec, compile, forward_smooth};

/// Why a robot cannot be planned for.
#[derive(Debug, thiserror::Error)]
pub enum RobotError {
    /// The model does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// No planning model could be made.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// Its actuators cannot be used for planning.
    #[error(transparent)]
    Actuation(#[from] crate::problem::actuation::ActuationError),
    /// The model has no gravity.
    #[error("the model has no gravity: nothing would stand; set it, as in <option gravity=\"0 0 -9.81\"/>")]
    NoGravity,
    /// No feet were found.
    #[error("no feet were found: no body can touch the ground; name them, or check contype and conaffinity")]
    NoFeet,
    /// No object of the model has this name.
    #[error(transparent)]
    Name(#[from] NoSuchName),
    /// No site or body has this name.
    #[error("there is no site or body {name:?}; sites: {sites}; bodies: {bodies}")]
    NoPlace {
        /// The name.
        name: String,
        /// Names of the sites.
        sites: String,
        /// Names of the bodies.
        bodies: String,
    },
    #[error(
        "nothing that has motors can move along x: a free joint or a slide is expected at the root of the robot; one that is bolted down cannot go, stand or jump"
    )]
    /// It has no floating base.
    NoBase,
    /// The robot is not symmetric enough to move both sides together.
    #[error("left and right cannot move together: {0}")]
    NotTogether(NoSymmetry),
    /// The motion has too many time steps.
    #[error(
        "the motion takes {time:.3e} s, in steps of {step:.4} s (0.08 √(L/g), with the length L of the robot); at most \
         {most} steps are possible: expected a time of at most {longest:.1} s, or the number of steps"
    )]
    TooLong {
        /// Duration, s.
        time: f64,
        /// Time step, s.
        step: f64,
        /// Largest number of steps.
        most: usize,
        /// The time that they take, s.
        longest: f64,
    },
    /// No standing pose was found.
    #[error(transparent)]
    Stand(#[from] StandError),
}

/// Settings of a robot that users can give; the rest is found from the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotOptions {
    /// Bodies that are feet; empty: found from the model.
    pub feet: Vec<String>,
    /// Keyframe of the nominal pose; `None`: a keyframe whose name says that the robot stands, or
    /// the reference pose.
    pub keyframe: Option<String>,
    /// Whether to keep the joints of the nominal pose; otherwise it is changed so that the robot
    /// stands with bent legs.
    pub keep_pose: bool,
}

/// The coordinate that moves a robot along x, and its degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    /// The coordinate.
    pub coordinate: usize,
    /// Its degree of freedom.
    pub dof: usize,
}

/// A robot on its feet.
#[derive(Debug)]
pub(crate) struct Robot {
    /// The model that is planned for: the given one with a name for each body and with a floor.
    pub spec: ModelSpec,
    /// `spec`, compiled.
    pub own: Model,
    /// The model for planning.
    pub planning: Planning,
    /// The model.
    pub model: Model,
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// The standing pose: balanced, feet on the ground · nq.
    pub nominal: Vec<f64>,
    /// The feet.
    pub feet: Vec<BodyId>,
    /// Balls of the feet that can touch the ground.
    pub points: Vec<ContactBall>,
    /// Height of the ground, m.
    pub ground: f64,
    /// Unit of forces: weight, N.
    pub weight: f64,
    /// Unit of lengths: height of the centre of mass when standing, m.
    pub length: f64,
    /// What moves the robot along x.
    pub forward: Forward,
    /// The reflection that maps left to right.
    pub mirror: Result<Mirror, NoSymmetry>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl Robot {
    /// Analyses a model.
    pub fn new(spec: &ModelSpec, options: &RobotOptions) -> Result<Self, RobotError> {
        let mut spec = named(spec);
        let mut notes = Vec::new();
        if add_ground(&mut spec) {
            notes.push("the model has no ground: a floor at z = 0 was added".to_owned());
        }
        let own = compile(&spec)?;
        let ground = find_ground(&own).unwrap_or(0.0);
        if own.options.gravity.length() == 0.0 {
            return Err(RobotError::NoGravity);
        }
        let members = find_members(&own)?;
        let forward = find_forward(&own, &members).ok_or(RobotError::NoBase)?;
        let mut pose = named_pose(&own, options.keyframe.as_deref())?;
        if !options.keep_pose {
            keep_limits(&own, &mut pose);
        }
        let (feet, planning) = find_contacts(&Shapes::new(&spec, &own)?, &own, &members, &pose, options)?;
        let mut model = compile(&planning.spec)?;
        notes.extend(planning.report.notes.iter().cloned());
        if let Some(partners) = level_friction(&mut model, &members) {
            notes.push(format!("{partners} have different friction: the motion gets by with the smaller one"));
        }
        notes.push(format!("feet: {}", feet.join(", ")));
        // Bodies that are fixed to a foot may touch as well, but the robot does not stand on them.
        let stands = |c: &&Candidate| feet.contains(&c.body_name);
        let points: Vec<ContactBall> = planning.candidates.iter().filter(stands).map(ContactBall::from).collect();
        if points.is_empty() {
            return Err(RobotError::NoFeet);
        }
        let mut feet: Vec<BodyId> = Vec::new();
        for ContactBall { body, .. } in &points {
            if !feet.contains(body) {
                feet.push(*body);
            }
        }
        let mirror = find_mirror(&model, &members);
        let mut nominal = stand(&model, &pose, &points, ground, mirror.as_ref().ok(), options.keep_pose)?;
        let mut data = Data::new(&model);
        data.state.q.copy_from_slice(&nominal);
        forward_smooth(&model, &mut data);
        let root = model.bodies.root[feet[0].idx()].idx();
        let length = (data.position.com[root].z - ground).max(1e-3);
        let around = Surroundings { members: &members, candidates: &planning.candidates, ground, length };
        notes.extend(around.put_down(&model, &mut nominal));
        let rotations = Rotations::new(&model);
        let weight = weight(&model);
        Ok(Self {
            spec,
            own,
            planning,
            model,
            rotations,
            nominal,
            feet,
            points,
            ground,
            weight,
            length,
            forward,
            mirror,
            notes,
        })
    }

    /// Unit of a dof's coordinate: a length for slides, a radian for rotations.
    pub fn unit(&self, dof: usize) -> f64 {
        if self.is_linear(dof) { self.length } else { 1.0 }
    }
    /// Unit of a dof's force: weight, or weight times length.
    pub fn force_unit(&self, dof: usize) -> f64 {
        if self.is_linear(dof) { self.weight } else { self.weight * self.length }
    }
    /// Whether a foot is a descendant of a dof, which may then have to carry the weight of the
    /// robot.
    pub fn bears(&self, dof: usize) -> bool {
        let bodies = &self.model.bodies;
        let up = |foot: BodyId| core::iter::successors(Some(foot), |&b| (b.idx() != 0).then(|| bodies.parent[b.idx()]));
        self.feet.iter().any(|&foot| up(foot).any(|b| b == self.model.dofs.body[dof]))
    }
    /// Unit of the effort of a dof: the same, and what moves its own inertia (rotors, say) in the
    /// robot's time √(L/g).
    pub fn effort_unit(&self, dof: usize) -> f64 {
        let own = self.model.dofs.m0[dof] * self.gravity();
        self.force_unit(dof) + if self.is_linear(dof) { own } else { own / self.length }
    }
    /// Whether a dof is a translation.
    pub fn is_linear(&self, dof: usize) -> bool {
        crate::problem::physics::is_linear(&self.model, dof)
    }
    /// g of the model, m/s².
    pub fn gravity(&self) -> f64 {
        let g = self.model.options.gravity.length();
        if g > 0.0 { g } else { 9.81 }
    }
}

/// Names of the feet, and the model for planning in which they and objects touch the environment.
fn find_contacts(
    shapes: &Shapes<'_>,
    own: &Model,
    members: &[bool],
    pose: &[f64],
    options: &RobotOptions,
) -> Result<(Vec<String>, Planning), RobotError> {
    let feet = if options.feet.is_empty() {
        let all = shapes.planning(&GeometryOptions::default())?;
        find_feet(own, members, &all.candidates, pose)
    } else {
        options.feet.clone()
    };
    if feet.is_empty() {
        return Err(RobotError::NoFeet);
    }
    for name in &feet {
        own.body(name)?;
    }
    // Objects stay on what they lie on.
    let is_object = |&b: &usize| own.bodies.tree[b].is_some() && !members[b];
    let objects = (1..own.nbody()).filter(is_object).map(|b| own.bodies.name[b].clone());
    let touch = Touch::Bodies(feet.iter().cloned().chain(objects).collect());
    let touch = GeometryOptions { touch, ..GeometryOptions::default() };
    let planning = shapes.planning(&touch)?.without_margins();
    if planning.candidates.is_empty() {
        return Err(RobotError::NoFeet);
    }
    Ok((feet, planning))
}

/// The model with all of its bodies and a name for each: feet are named.
fn named(spec: &ModelSpec) -> ModelSpec {
    let mut spec = spec.clone();
    keep_bodies(&mut spec);
    let taken: Vec<String> = spec.bodies.iter().map(|b| b.name.clone()).collect();
    for (k, body) in spec.bodies.iter_mut().enumerate().skip(1).filter(|(_, b)| b.name.is_empty()) {
        let mut name = format!("body{k}");
        while taken.contains(&name) {
            name.push('_');
        }
        body.name = name;
    }
    spec
}

/// Which bodies belong to the robot: those of kinematic trees with an actuator. Other moving bodies
/// are objects.
fn find_members(model: &Model) -> Result<Vec<bool>, RobotError> {
    let actuated = Actuation::new(model)?.actuated;
    let tree = |b: usize| model.bodies.tree[b];
    let driven: Vec<_> = actuated.iter().map(|&i| tree(model.dofs.body[i].idx())).collect();
    let is_member = |b: usize| tree(b).is_some() && (driven.is_empty() || driven.contains(&tree(b)));
    Ok((0..model.nbody()).map(is_member).collect())
}

/// Coordinate and dof that move the robot along x.
fn find_forward(model: &Model, members: &[bool]) -> Option<Forward> {
    let mut data = Data::new(model);
    forward_smooth(model, &mut data);
    (0..model.njoint()).filter(|&j| members[model.joints.body[j].idx()]).find_map(|j| {
        let along = match model.joints.kind[j] {
            JointKind::Free => true,
            JointKind::Slide => data.position.axis_W[j].x > 0.99,
            _ => false,
        };
        along.then(|| Forward { coordinate: model.joints.q_start[j] as usize, dof: model.joints.dof_start[j] as usize })
    })
}

/// The pose of a keyframe, or the reference pose.
pub(super) fn named_pose(model: &Model, name: Option<&str>) -> Result<Vec<f64>, RobotError> {
    let nq = model.size.nq;
    let of = |k: usize| model.keys.q[k * nq..(k + 1) * nq].to_vec();
    if let Some(name) = name {
        return Ok(of(model.key(name)?.idx()));
    }
    let words = ["stand", "home", "nominal", "default"];
    let named = words.iter().find_map(|word| model.keys.name.iter().position(|n| n.to_lowercase().contains(word)));
    Ok(named.map_or_else(|| model.q0.clone(), of))
}

/// Ends of legs: bodies whose candidates are among the lowest, with nothing lower behind them.
fn find_feet(model: &Model, members: &[bool], candidates: &[Candidate], pose: &[f64]) -> Vec<String> {
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(pose);
    forward_smooth(model, &mut data);
    let mut lowest = vec![f64::INFINITY; model.nbody()];
    for c in candidates.iter().filter(|c| members[c.body.idx()]) {
        let b = c.body.idx();
        let p = data.position.p_WB[b] + data.position.quat_WB[b].rotate(c.position);
        lowest[b] = lowest[b].min(p.z - c.radius);
    }
    let ground = lowest.iter().copied().fold(f64::INFINITY, f64::min);
    let top = (0..model.nbody()).filter(|&b| lowest[b].is_finite()).map(|b| data.position.com[b].z);
    let size = top.fold(0.0, |m: f64, z| m.max(z - ground));
    let mut feet: Vec<usize> = (1..model.nbody()).filter(|&b| lowest[b] < ground + 0.1 * size).collect();
    // A body with a lower or equal one behind it is not the end of a leg.
    let is_behind = |b: usize, other: usize| {
        core::iter::successors(Some(other), |&x| (x != 0).then(|| model.bodies.parent[x].idx())).any(|x| x == b)
    };
    let all = feet.clone();
    feet.retain(|&b| !all.iter().any(|&other| other != b && is_behind(b, other)));
    feet.iter().map(|&b| model.bodies.name[b].clone()).collect()
}
