//! `[[term]]`: every kind of term by name.

use super::error::TaskError;
use super::names::{body, dofs, frame, pose, sized};
use super::parse::take_pose;
use super::table::{At, ByDof, Table};
use super::Pose;
use crate::geometry::CapsulePair;
use crate::problem::{Entry, Role, Term, Window};
use crate::tangent::Rotations;
use crate::term::{
    AboveGround, CentreOfMass, ControlTrack, Effort, Momentum, Penetration, Posture, Power, Separation, SiteOrientation, SiteTarget,
    SiteVelocity, Slip, Smoothness, TrackState, Velocity, moving_bodies,
};
use saltus_math::{Quat, Vec3};
use saltus_sim::Model;
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::coordinates::{difference, integrate};

type Result<T> = core::result::Result<T, TaskError>;

/// A term of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TermTask {
    pub name: String,
    pub kind: Kind,
    pub role: Role,
    pub when: When,
    pub measure: Option<f64>,
    pub slack: f64,
    pub line: usize,
}

/// When a term counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    Always,
    /// From, to; s.
    Between(f64, f64),
    /// In the last state, once.
    End,
}

/// Where a place is fixed.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    Site(At<String>),
    Body(At<String>),
}

/// What a term is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Posture { target: Pose, weight: ByDof },
    Track { from: Pose, to: Pose, weight: ByDof, velocity_weight: ByDof },
    Effort { weight: ByDof },
    Smoothness { weight: ByDof },
    Power { weight: ByDof },
    Velocity { weight: ByDof, target: ByDof },
    Control { torque: At<Vec<f64>>, weight: ByDof },
    Site { at: Place, position: [f64; 3], weight: [f64; 3] },
    Orientation { at: Place, quat: [f64; 4], weight: [f64; 3] },
    SiteVelocity { at: Place, velocity: [f64; 3], weight: [f64; 3], angular: [f64; 3], angular_weight: [f64; 3] },
    CentreOfMass { body: Option<At<String>>, position: [f64; 3], weight: [f64; 3] },
    Momentum { body: Option<At<String>>, linear: [f64; 3], weight: [f64; 3], angular: [f64; 3], angular_weight: [f64; 3] },
    Slip { weight: f64, fade: f64, ground: f64 },
    AboveGround { allowed: f64, ground: f64 },
    Penetration { allowed: f64 },
    Separation { margin: f64 },
}

const KINDS: [&str; 16] = [
    "posture",
    "track",
    "effort",
    "smoothness",
    "power",
    "velocity",
    "control",
    "site",
    "orientation",
    "site_velocity",
    "centre_of_mass",
    "momentum",
    "slip",
    "above_ground",
    "penetration",
    "separation",
];

const NOTHING: [f64; 3] = [0.0; 3];

impl TermTask {
    pub(super) fn parse(mut table: Table) -> Result<Self> {
        let word = table.text("kind")?.ok_or_else(|| table.missing("kind", &KINDS.join(", ")))?;
        let line = table.line;
        let name = table.text("name")?.map_or_else(|| word.value.replace('_', " "), |n| n.value);
        let role = [("cost", Role::Cost), ("equality", Role::Equality), ("inequality", Role::Inequality)];
        let role = table.word("role", &role)?;
        let when = take_window(&mut table)?;
        let (measure, slack) = (table.positive("measure")?, table.positive("slack")?.unwrap_or(1.0));
        let kind = take_kind(&mut table, &word)?;
        let usual = match kind {
            Kind::AboveGround { .. } | Kind::Penetration { .. } | Kind::Separation { .. } => Role::Inequality,
            _ => Role::Cost,
        };
        table.finish()?;
        Ok(Self { name, kind, role: role.unwrap_or(usual), when, measure, slack, line })
    }
}

fn take_window(table: &mut Table) -> Result<When> {
    if table.is_text("window") {
        return Ok(table.word("window", &[("always", When::Always), ("end", When::End)])?.unwrap_or(When::Always));
    }
    match table.numbers("window")? {
        None => Ok(When::Always),
        Some(At { value, line }) => match value[..] {
            [from, to] if from <= to => Ok(When::Between(from, to)),
            _ => Err(TaskError::at(line, table.key("window"), "expected [from, to] in s, \"always\" or \"end\"")),
        },
    }
}

fn take_kind(table: &mut Table, word: &At<String>) -> Result<Kind> {
    // What has to be written down, and what is 1 if it is not.
    let weight = |table: &mut Table, key| Ok::<ByDof, TaskError>(table.by_dof(key)?.unwrap_or(ByDof::All(1.0)));
    let axes = |table: &mut Table, key, otherwise| Ok::<[f64; 3], TaskError>(table.axes(key)?.unwrap_or(otherwise));
    Ok(match word.value.as_str() {
        "posture" => {
            let target = take_pose(table, "target")?.unwrap_or(Pose::Start);
            Kind::Posture { target, weight: weight(table, "weight")? }
        }
        "track" => {
            let from = table.numbers("from")?.map_or(Pose::Start, Pose::Coordinates);
            let to = take_pose(table, "to")?.ok_or_else(|| table.missing("to", "the coordinates at the end, or a keyframe"))?;
            let velocity_weight = table.by_dof("velocity_weight")?.unwrap_or(ByDof::All(0.0));
            Kind::Track { from, to, weight: weight(table, "weight")?, velocity_weight }
        }
        "effort" => Kind::Effort { weight: weight(table, "weight")? },
        "smoothness" => Kind::Smoothness { weight: weight(table, "weight")? },
        "power" => Kind::Power { weight: weight(table, "weight")? },
        "velocity" => {
            let target = table.by_dof("target")?.unwrap_or(ByDof::All(0.0));
            Kind::Velocity { weight: weight(table, "weight")?, target }
        }
        "control" => {
            let torque = table.numbers("torque")?.ok_or_else(|| table.missing("torque", "one force for each dof"))?;
            Kind::Control { torque, weight: weight(table, "weight")? }
        }
        "site" => {
            let at = take_place(table)?;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers"))?;
            Kind::Site { at, position, weight: axes(table, "weight", [1.0; 3])? }
        }
        "orientation" => {
            let at = take_place(table)?;
            let quat = match table.numbers("quat")? {
                None => [1.0, 0.0, 0.0, 0.0],
                Some(At { value, line }) => match value[..] {
                    [w, x, y, z] if w * w + x * x + y * y + z * z > 1e-12 => [w, x, y, z],
                    _ => return Err(TaskError::at(line, table.key("quat"), "expected four numbers, w first")),
                },
            };
            Kind::Orientation { at, quat, weight: axes(table, "weight", [1.0; 3])? }
        }
        "site_velocity" => Kind::SiteVelocity {
            at: take_place(table)?,
            velocity: axes(table, "velocity", NOTHING)?,
            weight: axes(table, "weight", [1.0; 3])?,
            angular: axes(table, "angular", NOTHING)?,
            angular_weight: axes(table, "angular_weight", NOTHING)?,
        },
        "centre_of_mass" => {
            let body = table.text("body")?;
            let position = table.axes("position")?.ok_or_else(|| table.missing("position", "three numbers"))?;
            Kind::CentreOfMass { body, position, weight: axes(table, "weight", [1.0; 3])? }
        }
        "momentum" => Kind::Momentum {
            body: table.text("body")?,
            linear: axes(table, "linear", NOTHING)?,
            weight: axes(table, "weight", [1.0; 3])?,
            angular: axes(table, "angular", NOTHING)?,
            angular_weight: axes(table, "angular_weight", [1.0; 3])?,
        },
        "slip" => Kind::Slip {
            weight: table.number("weight")?.unwrap_or(1.0),
            fade: table.positive("fade")?.ok_or_else(|| table.missing("fade", "a height in m"))?,
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "above_ground" => Kind::AboveGround {
            allowed: table.number("allowed")?.unwrap_or(0.0),
            ground: table.number("ground")?.unwrap_or(0.0),
        },
        "penetration" => Kind::Penetration { allowed: table.number("allowed")?.unwrap_or(0.0) },
        "separation" => Kind::Separation { margin: table.number("margin")?.unwrap_or(0.0) },
        _ => return Err(table.unknown_word("kind", word, KINDS)),
    })
}

fn take_place(table: &mut Table) -> Result<Place> {
    match (table.text("site")?, table.text("body")?) {
        (Some(site), None) => Ok(Place::Site(site)),
        (None, Some(body)) => Ok(Place::Body(body)),
        _ => Err(table.missing("site", "either a site or a body")),
    }
}

/// What terms are made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub model: &'a Model,
    pub start: &'a [f64],
    pub steps: usize,
    pub h: f64,
    pub actuated: &'a [usize],
    /// Units: m.
    pub length: f64,
    /// What can touch, and links that must stay apart; templates have their own.
    pub geometry: Option<(&'a [(BodyId, Vec3, f64)], &'a [CapsulePair])>,
}

impl TermTask {
    /// The term for a model.
    pub(super) fn build(&self, scene: &Scene<'_>) -> Result<Entry> {
        let window = match self.when {
            When::Always => Window::ALWAYS,
            When::Between(from, to) => {
                let state = |t: f64| (t / scene.h).round().max(0.0) as usize;
                Window { first: state(from), last: state(to) }
            }
            When::End => Window { first: scene.steps, last: scene.steps },
        };
        let once = (self.when == When::End).then_some(1.0);
        Ok(Entry {
            name: self.name.clone(),
            term: self.term(scene)?,
            role: self.role,
            window,
            measure: self.measure.or(once),
            slack: self.slack,
        })
    }

    fn term(&self, scene: &Scene<'_>) -> Result<Box<dyn Term>> {
        let Scene { model, start, actuated, .. } = *scene;
        let all: Vec<usize> = (0..model.size.nv).collect();
        let key = |key: &str| format!("[[term]] {key}");
        let by_dof = |numbers: &ByDof, members: &[usize], k: &str| dofs(model, numbers, members, (self.line, &key(k)));
        let pairs = |numbers: &ByDof, members: &[usize]| {
            let numbers = by_dof(numbers, members, "weight")?;
            Ok::<_, TaskError>(numbers.into_iter().enumerate().filter(|(_, w)| *w != 0.0).collect::<Vec<_>>())
        };
        let bodies = |name: &Option<At<String>>| {
            let root = name.as_ref().map(|name| body(model, name, &key("body"))).transpose()?;
            Ok::<_, TaskError>(moving_bodies(model, root))
        };
        Ok(match &self.kind {
            Kind::Posture { target, weight } => Box::new(Posture {
                target: pose(model, target, start, &key("target"))?,
                weights: by_dof(weight, &all, "weight")?,
            }),
            Kind::Track { from, to, weight, velocity_weight } => {
                let from = pose(model, from, start, &key("from"))?;
                let to = pose(model, to, start, &key("to"))?;
                let mut by = vec![0.0; model.size.nv];
                difference(model, &from, &to, 1.0, &mut by);
                let at = |t: usize| {
                    let mut q = from.clone();
                    integrate(model, &mut q, &by, t as f64 / scene.steps as f64);
                    q
                };
                let time = scene.steps as f64 * scene.h;
                Box::new(TrackState {
                    q: (0..=scene.steps).map(at).collect(),
                    v: vec![by.iter().map(|d| d / time).collect()],
                    weights: by_dof(weight, &all, "weight")?,
                    velocity_weights: by_dof(velocity_weight, &all, "velocity_weight")?,
                })
            }
            Kind::Effort { weight } => Box::new(Effort { weights: pairs(weight, actuated)? }),
            Kind::Smoothness { weight } => Box::new(Smoothness { weights: pairs(weight, actuated)? }),
            Kind::Power { weight } => Box::new(Power { weights: pairs(weight, actuated)? }),
            Kind::Velocity { weight, target } => {
                let target = by_dof(target, &all, "target")?;
                Box::new(Velocity { dofs: pairs(weight, &all)?.into_iter().map(|(i, w)| (i, w, target[i])).collect() })
            }
            Kind::Control { torque, weight } => {
                let reference = vec![sized(torque, model.size.nv, "dofs", &key("torque"))?.to_vec()];
                Box::new(ControlTrack { reference, weights: pairs(weight, actuated)? })
            }
            Kind::Site { at, position, weight } => {
                let frame = frame(model, at, &key("site"))?;
                Box::new(SiteTarget { frame, target: Vec3::from(*position), weights: Vec3::from(*weight) })
            }
            Kind::Orientation { at, quat, weight } => {
                let (frame, target) = (frame(model, at, &key("site"))?, Quat::from_slice(quat).normalized());
                Box::new(SiteOrientation { frame, target, weights: Vec3::from(*weight) })
            }
            Kind::SiteVelocity { at, velocity, weight, angular, angular_weight } => Box::new(SiteVelocity {
                rotations: Rotations::new(model),
                frame: frame(model, at, &key("site"))?,
                target: Vec3::from(*velocity),
                angular_target: Vec3::from(*angular),
                weights: Vec3::from(*weight),
                angular_weights: Vec3::from(*angular_weight),
            }),
            Kind::CentreOfMass { body, position, weight } => Box::new(CentreOfMass {
                bodies: bodies(body)?,
                target: Vec3::from(*position),
                weights: Vec3::from(*weight),
            }),
            Kind::Momentum { body, linear, weight, angular, angular_weight } => Box::new(Momentum {
                rotations: Rotations::new(model),
                bodies: bodies(body)?,
                linear: Vec3::from(*linear),
                angular: Vec3::from(*angular),
                weights: Vec3::from(*weight),
                angular_weights: Vec3::from(*angular_weight),
            }),
            Kind::Slip { weight, fade, ground } => {
                let points = self.geometry(scene)?.0.to_vec();
                let rotations = Rotations::new(model);
                Box::new(Slip { rotations, points, ground: *ground, fade: *fade, weight: *weight })
            }
            Kind::AboveGround { allowed, ground } => {
                let points = self.geometry(scene)?.0.to_vec();
                Box::new(AboveGround { points, ground: *ground, allowed: *allowed, unit: scene.length })
            }
            Kind::Penetration { allowed } => Box::new(Penetration { allowed: *allowed, unit: scene.length }),
            Kind::Separation { margin } => {
                let pairs = self.geometry(scene)?.1.to_vec();
                Box::new(Separation { pairs, margin: *margin, unit: scene.length })
            }
        })
    }

    fn geometry<'a>(&self, scene: &Scene<'a>) -> Result<(&'a [(BodyId, Vec3, f64)], &'a [CapsulePair])> {
        let message = "a [gait] has its own terms of this kind";
        scene.geometry.ok_or_else(|| TaskError::at(self.line, "[[term]] kind", message))
    }
}
