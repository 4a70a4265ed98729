//! Terms of a task for a model.

use super::Pose;
use super::error::TaskError;
use super::names::{body, dofs, find, frame, pose, sized};
use super::table::{At, ByDof};
use super::term::{TermKind, TermTask, When};
use crate::geometry::CapsulePair;
use crate::geometry::ContactBall;
use crate::problem::identity::TermId;
use crate::problem::tangent::Rotations;
use crate::problem::term::{
    AboveGround, CentreOfMass, Clearance, ContactForceBounds, ControlTrack, Coordinates, Effort, Momentum, Penetration,
    Posture, Power, SensorTarget, Separation, SiteOrientation, SiteTarget, SiteVelocity, Sliding, Slip, Smoothness,
    Symmetry, TrackState, Transport, Velocity, moving_bodies, sensor_obstacle,
};
use crate::problem::{Entry, Role, Term, Window};
use crate::template::symmetry::{NoSymmetry, find_mirror};
use saltus_math::{Quat, Vec3};
use saltus_sim::Model;
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::model::kinds::{GeomShape, ObjectKind};

type Result<T> = core::result::Result<T, TaskError>;

/// What terms of a task are made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub model: &'a Model,
    pub start: &'a [f64],
    pub steps: usize,
    pub h: f64,
    pub actuated: &'a [usize],
    /// Units: m, N.
    pub length: f64,
    pub weight: f64,
    /// `None`: a template, which has its own terms about it.
    pub geometry: Option<Geometry<'a>>,
}

/// Contact geometry that terms use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry<'a> {
    /// Body, centre in its frame and radius of balls that can touch.
    pub points: &'a [ContactBall],
    /// Links that must stay apart.
    pub apart: &'a [CapsulePair],
}

impl TermTask {
    /// The term for a model.
    pub(super) fn build(&self, scene: &Scene<'_>) -> Result<Entry> {
        let state = |t: f64| (t / scene.h).round().clamp(0.0, scene.steps as f64) as usize;
        let window = match self.when {
            When::Always => Window::ALWAYS,
            When::Between(from, to) => Window::between(from, to, scene.h),
            When::At(time) => Window { first: state(time), last: state(time) },
            When::Start => Window { first: 0, last: 0 },
            When::End => Window::end(scene.steps),
        };
        let once = matches!(self.when, When::At(_) | When::Start | When::End).then_some(1.0);
        Ok(Entry {
            id: TermId::Custom(self.name.clone()),
            term: self.term(scene)?,
            role: self.role,
            window,
            measure: self.measure.or(once),
            slack: self.slack,
        })
    }

    fn term(&self, scene: &Scene<'_>) -> Result<Box<dyn Term>> {
        let builder = Builder { term: self, scene, all: (0..scene.model.size.nv).collect() };
        if let Some(term) = builder.motion_term()? {
            return Ok(term);
        }
        if let Some(term) = builder.place_term()? {
            return Ok(term);
        }
        let no_term = || TaskError::at(self.line, "[[term]] kind", "there is no such term");
        builder.contact_term()?.ok_or_else(no_term)
    }
}

/// Makes one term for a scene.
struct Builder<'a> {
    term: &'a TermTask,
    scene: &'a Scene<'a>,
    /// All dofs.
    all: Vec<usize>,
}

impl Builder<'_> {
    fn key(&self, key: &str) -> String {
        format!("[[term]] {key}")
    }

    /// Numbers for all dofs, of which one number for all goes to `members` only.
    fn by_dof(&self, numbers: &ByDof, members: &[usize], key: &str) -> Result<Vec<f64>> {
        dofs(self.scene.model, numbers, members, &At { value: self.key(key), line: self.term.line })
    }

    /// Dofs with their weights, where these are not zero.
    fn pairs(&self, weight: &ByDof, members: &[usize]) -> Result<Vec<(usize, f64)>> {
        let numbers = self.by_dof(weight, members, "weight")?;
        Ok(numbers.into_iter().enumerate().filter(|(_, w)| *w != 0.0).collect())
    }

    /// The bodies that move with a body, or all that move.
    fn bodies(&self, name: &Option<At<String>>) -> Result<Vec<BodyId>> {
        let root = name.as_ref().map(|name| body(self.scene.model, name, &self.key("body"))).transpose()?;
        Ok(moving_bodies(self.scene.model, root))
    }

    /// What terms of motions know of contact.
    fn geometry(&self) -> Result<Geometry<'_>> {
        let message = "a [gait] has its own terms of this kind";
        self.scene.geometry.ok_or_else(|| TaskError::at(self.term.line, "[[term]] kind", message))
    }

    /// The line between two poses, at constant speed.
    fn track(&self, [from, to]: [&Pose; 2], weight: &ByDof, velocity_weight: &ByDof) -> Result<TrackState> {
        let Scene { model, start, .. } = *self.scene;
        let scene = self.scene;
        let from = pose(model, from, start, &self.key("from"))?;
        let to = pose(model, to, start, &self.key("to"))?;
        let mut by = vec![0.0; model.size.nv];
        difference(model, &from, &to, 1.0, &mut by);
        let at = |t: usize| {
            let mut q = from.clone();
            integrate(model, &mut q, &by, t as f64 / scene.steps as f64);
            q
        };
        let time = scene.steps as f64 * scene.h;
        Ok(TrackState {
            q: (0..=scene.steps).map(at).collect(),
            v: vec![by.iter().map(|d| d / time).collect()],
            weights: self.by_dof(weight, &self.all, "weight")?,
            velocity_weights: self.by_dof(velocity_weight, &self.all, "velocity_weight")?,
        })
    }

    /// Terms about coordinates, velocities and torques.
    fn motion_term(&self) -> Result<Option<Box<dyn Term>>> {
        let scene = self.scene;
        let Scene { model, start, actuated, .. } = *scene;
        Ok(Some(match &self.term.kind {
            TermKind::Posture { target, weight } => Box::new(Posture {
                target: pose(model, target, start, &self.key("target"))?,
                weights: self.by_dof(weight, &self.all, "weight")?,
            }),
            TermKind::Track { from, to, weight, velocity_weight } => {
                Box::new(self.track([from, to], weight, velocity_weight)?)
            }
            TermKind::Coordinates { from, to, weight } => Box::new(Coordinates {
                from: pose(model, from, start, &self.key("from"))?,
                to: pose(model, to, start, &self.key("to"))?,
                weights: sized(weight, model.size.nq, "coordinates", &self.key("weight"))?.to_vec(),
            }),
            TermKind::Effort { weight } => Box::new(Effort { weights: self.pairs(weight, actuated)? }),
            TermKind::Smoothness { weight } => Box::new(Smoothness { weights: self.pairs(weight, actuated)? }),
            TermKind::Power { weight } => Box::new(Power { weights: self.pairs(weight, actuated)? }),
            TermKind::Transport { weight, speed } => {
                let unit = scene.weight * speed;
                Box::new(Transport { weights: self.pairs(weight, actuated)?, unit, smooth: 1e-3 * unit })
            }
            TermKind::Speed { velocity, weight } => {
                let bodies = moving_bodies(model, None);
                let mass: f64 = bodies.iter().map(|b| model.bodies.mass[b.idx()]).sum();
                Box::new(Momentum {
                    rotations: Rotations::new(model),
                    bodies,
                    linear: Vec3::from(*velocity) * mass,
                    angular: Vec3::ZERO,
                    weights: Vec3::from(*weight) / mass,
                    angular_weights: Vec3::ZERO,
                })
            }
            TermKind::Velocity { weight, target } => {
                let target = self.by_dof(target, &self.all, "target")?;
                Box::new(Velocity {
                    dofs: self.pairs(weight, &self.all)?.into_iter().map(|(i, w)| (i, w, target[i])).collect(),
                })
            }
            TermKind::Control { torque, weight } => {
                let reference = vec![sized(torque, model.size.nv, "dofs", &self.key("torque"))?.to_vec()];
                Box::new(ControlTrack { reference, weights: self.pairs(weight, actuated)? })
            }
            TermKind::Symmetry { weight } => {
                let why = |e: NoSymmetry| TaskError::at(self.term.line, self.key("kind"), e.to_string());
                let weights = self.by_dof(weight, &self.all, "weight")?;
                Box::new(Symmetry {
                    mirror: find_mirror(model, &vec![true; model.nbody()]).map_err(why)?,
                    rotations: Rotations::new(model),
                    weights,
                })
            }
            _ => return Ok(None),
        }))
    }

    /// Terms about sites, bodies and sensors.
    fn place_term(&self) -> Result<Option<Box<dyn Term>>> {
        let scene = self.scene;
        let Scene { model, .. } = *scene;
        Ok(Some(match &self.term.kind {
            TermKind::Site { at, position, weight } => {
                let frame = frame(model, at, &self.key("site"))?;
                Box::new(SiteTarget { frame, target: Vec3::from(*position), weights: Vec3::from(*weight) })
            }
            TermKind::Orientation { at, quat, weight } => {
                let (frame, target) = (frame(model, at, &self.key("site"))?, Quat::from_slice(quat).normalized());
                Box::new(SiteOrientation { frame, target, weights: Vec3::from(*weight) })
            }
            TermKind::SiteVelocity { at, velocity, weight, angular, angular_weight } => Box::new(SiteVelocity {
                rotations: Rotations::new(model),
                frame: frame(model, at, &self.key("site"))?,
                target: Vec3::from(*velocity),
                angular_target: Vec3::from(*angular),
                weights: Vec3::from(*weight),
                angular_weights: Vec3::from(*angular_weight),
            }),
            TermKind::CentreOfMass { body, position, weight } => Box::new(CentreOfMass {
                bodies: self.bodies(body)?,
                target: Vec3::from(*position),
                weights: Vec3::from(*weight),
            }),
            TermKind::Momentum { body, linear, weight, angular, angular_weight } => Box::new(Momentum {
                rotations: Rotations::new(model),
                bodies: self.bodies(body)?,
                linear: Vec3::from(*linear),
                angular: Vec3::from(*angular),
                weights: Vec3::from(*weight),
                angular_weights: Vec3::from(*angular_weight),
            }),
            TermKind::Sensor { sensor, target, weight } => {
                let s = find(model, ObjectKind::Sensor, sensor, &self.key("sensor"))?;
                if let Some(why) = sensor_obstacle(model, s) {
                    return Err(TaskError::at(sensor.line, self.key("sensor"), format!("{:?}: {why}", sensor.value)));
                }
                let dim = model.sensors.dim[s] as usize;
                let numbers = |given: &ByDof, k: &str| match given {
                    ByDof::All(x) => Ok(vec![*x; dim]),
                    ByDof::List(list) if list.len() == dim => Ok(list.clone()),
                    _ => Err(TaskError::at(
                        self.term.line,
                        self.key(k),
                        format!("expected {dim} numbers, as the sensor reads"),
                    )),
                };
                Box::new(SensorTarget {
                    sensor: s,
                    target: numbers(target, "target")?,
                    weights: numbers(weight, "weight")?,
                })
            }
            _ => return Ok(None),
        }))
    }

    /// Terms about contact and distances.
    fn contact_term(&self) -> Result<Option<Box<dyn Term>>> {
        let scene = self.scene;
        let Scene { model, .. } = *scene;
        Ok(Some(match &self.term.kind {
            TermKind::Slip { weight, fade, ground } => {
                let points = self.geometry()?.points.to_vec();
                let rotations = Rotations::new(model);
                Box::new(Slip { rotations, points, ground: *ground, fade: *fade, weight: *weight })
            }
            TermKind::Sliding { weight, fade } => {
                Box::new(Sliding { rotations: Rotations::new(model), fade: *fade, weight: *weight })
            }
            TermKind::Clearance { weight, height, ground } => {
                let (points, rotations) = (touching_balls(model), Rotations::new(model));
                Box::new(Clearance { rotations, points, ground: *ground, clearance: *height, weight: *weight })
            }
            TermKind::AboveGround { allowed, ground } => {
                let points = self.geometry()?.points.to_vec();
                Box::new(AboveGround { points, ground: *ground, allowed: *allowed, unit: scene.length })
            }
            TermKind::Penetration { allowed } => Box::new(Penetration { allowed: *allowed, unit: scene.length }),
            TermKind::Separation { margin } => {
                let pairs = self.geometry()?.apart.to_vec();
                let far = margin + Separation::FAR * scene.length;
                Box::new(Separation { pairs, margin: *margin, far, unit: scene.length })
            }
            TermKind::ContactForce { bodies, of, least, most, by_weight, weight } => {
                let mut on = vec![false; model.nbody()];
                for name in bodies {
                    on[body(model, name, &self.key("bodies"))?.idx()] = true;
                }
                let newton = if *by_weight { scene.weight } else { 1.0 };
                Box::new(ContactForceBounds {
                    on,
                    of: *of,
                    least: least.map_or(f64::NEG_INFINITY, |f| f * newton),
                    most: most.map_or(f64::INFINITY, |f| f * newton),
                    unit: scene.weight / weight,
                    only_beyond: self.term.role == Role::Cost,
                })
            }
            _ => return Ok(None),
        }))
    }
}

/// Body, centre in its frame and radius of the balls of a planning model that can touch.
fn touching_balls(model: &Model) -> Vec<ContactBall> {
    let (geoms, pairs) = (&model.geoms, &model.pairs);
    let is_ball = |&g: &usize| {
        let moves = model.bodies.tree[geoms.body[g].idx()].is_some();
        moves && geoms.shape[g] == GeomShape::Sphere && pairs.geom1.iter().chain(&pairs.geom2).any(|p| p.idx() == g)
    };
    (0..model.ngeom())
        .filter(is_ball)
        .map(|g| ContactBall { body: geoms.body[g], centre: geoms.pos[g], radius: geoms.size[g][0] })
        .collect()
}
