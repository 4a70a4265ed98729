//! From a task and a model to a problem that is ready to be optimized.

use super::build::{Geometry, Scene};
use super::error::{TaskError, listed};
use super::names::{find, pose, sized};
use super::{EndsTask, MotionTask, Pose, Task, What};
use crate::actuation::Actuation;
use crate::finish::{UNACTUATED, weight};
use crate::geometry::{GeometryError, GeometryOptions, Planning, build_planning_spec};
use crate::layout::{Cycle, Ends};
use crate::optimize::Path;
use crate::problem::{Entry, Problem, Role};
use crate::setup::Setup;
use crate::template::gait::{gait, path};
use crate::template::robot::is_linear;
use crate::template::symmetry::find_mirror;
use crate::term::{Bound, JointBounds, TorqueBounds, Unactuated, moving_bodies};
use saltus_math::{Vec3, real};
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::coordinates::{difference, integrate};
use saltus_sim::law::options::Law;
use saltus_sim::model::kinds::{JointKind, ObjectKind};
use saltus_sim::options::Disable;
use saltus_sim::{Data, Model, ModelSpec, compile, forward_smooth};

type Result<T> = core::result::Result<T, TaskError>;

impl Task {
    /// The problem for the task's model.
    pub fn setup(&self, spec: &ModelSpec) -> Result<Setup> {
        let setup = match &self.what {
            What::Gait { gait: wish, robot, line } => gait(&self.name, spec, robot, wish, &self.options)
                .map_err(|e| TaskError::at(*line, "[gait]", e.to_string()))
                .and_then(|setup| self.with_terms(setup)),
            What::Motion(motion) => self.setup_motion(spec, motion),
        };
        setup.map_err(|e| e.in_file(&self.file))
    }

    /// A template with the task's own terms and path.
    fn with_terms(&self, mut setup: Setup) -> Result<Setup> {
        let model = &setup.problem.model;
        let nq = model.size.nq;
        let scene = Scene {
            model,
            start: &setup.guess[nq..2 * nq],
            steps: setup.problem.steps,
            h: setup.problem.h(),
            actuated: &setup.actuation.actuated,
            length: setup.length,
            geometry: None,
        };
        let terms = self.terms.iter().map(|term| term.build(&scene)).collect::<Result<Vec<_>>>()?;
        setup.problem.terms.extend(terms);
        setup.path = self.path(setup.path);
        Ok(setup)
    }

    /// The path of continuation, where the task says nothing that of `usual`.
    fn path(&self, usual: Path) -> Path {
        match (self.contact.law, self.contact.from, self.contact.to) {
            (Law::Invertible, from, to) => Path { from: from.unwrap_or(usual.from), to: to.unwrap_or(usual.to) },
            // Other laws have nothing to continue in.
            _ => Path { from: usual.to, to: usual.to },
        }
    }

    fn planning(&self, spec: &ModelSpec) -> Result<Planning> {
        let pair = |[a, b]: &[super::At<String>; 2]| (a.value.clone(), b.value.clone());
        let options = GeometryOptions {
            touch: self.contact.touch.clone(),
            between: self.contact.between.iter().map(pair).collect(),
            ..GeometryOptions::default()
        };
        let mut planning = build_planning_spec(spec, &options).map_err(|e| {
            // The line of the name, if it is one of those.
            let named = |n: &str| self.contact.between.iter().flatten().find(|a| a.value == n).map(|a| a.line);
            let line = match &e {
                GeometryError::NoBody { name, .. } => named(name),
                GeometryError::Apart { first, .. } => named(first),
                _ => None,
            };
            TaskError::at(line.unwrap_or(self.contact.line), "[contact]", e.to_string())
        })?;
        for pair in &mut planning.spec.pairs {
            // Surfaces are where they are drawn: the law has its own distance from which it acts.
            (pair.margin, pair.gap) = (Some(0.0), Some(0.0));
        }
        Ok(planning)
    }

    fn setup_motion(&self, spec: &ModelSpec, motion: &MotionTask) -> Result<Setup> {
        let of_model = |e: String| TaskError::at(self.model.line, "model", e);
        let own = compile(spec).map_err(|e| of_model(e.to_string()))?;
        let planning = self.planning(spec)?;
        let mut model = compile(&planning.spec).map_err(|e| of_model(e.to_string()))?;
        let actuation = Actuation::new(&own).map_err(|e| of_model(e.to_string()))?;
        let start = pose(&model, &motion.start, &model.q0, "[motion] start")?;
        let velocity = match motion.start_velocity.value[..] {
            [] => vec![0.0; model.size.nv],
            _ => sized(&motion.start_velocity, model.size.nv, "dofs", "[motion] start v")?.to_vec(),
        };
        model.options.timestep = motion.time / motion.steps as f64;
        // Limits are constraints of the problem, forces its unknowns.
        model.options.disable.set(Disable::LIMIT, true);
        model.options.disable.set(Disable::ACTUATION, true);
        model.options.laws.law = self.contact.law;
        model.options.laws.compliant = self.contact.compliant;
        let ends = ends(&model, motion, &start, velocity)?;
        let length = motion.length.unwrap_or_else(|| size(&model, &start));
        let path = self.path(path(length));
        path.to.set(&mut model);
        let weight = weight(&model);
        let points: Vec<(BodyId, Vec3, f64)> =
            planning.candidates.iter().map(|c| (c.body, c.position, c.radius)).collect();
        let scene = Scene {
            model: &model,
            start: &start,
            steps: motion.steps,
            h: model.options.timestep,
            actuated: &actuation.actuated,
            length,
            geometry: Some(Geometry { points: &points, apart: &planning.capsule_pairs }),
        };
        let mut terms = physics(&scene, &actuation, weight, motion.limits);
        for term in &self.terms {
            terms.push(term.build(&scene)?);
        }
        let guess = guess(&model, motion, &start, &ends)?;
        let mut notes = planning.report.notes.clone();
        notes.push(format!("length {length:.3} m, weight {weight:.3} N"));
        notes.push(format!("touching: {}", listed(planning.candidates.iter().map(|c| &c.geom))));
        let scale = (0..model.size.nv).map(|i| if is_linear(&model, i) { length } else { 1.0 }).collect();
        let (steps, evaluation) = (motion.steps, motion.evaluation);
        Ok(Setup {
            name: self.name.clone(),
            problem: Problem { model, steps, ends, evaluation, terms, scale },
            own,
            actuation,
            path,
            guess,
            weight,
            length,
            options: self.options,
            notes,
        })
    }
}

/// Largest distance between the centres of two bodies, m.
fn size(model: &Model, start: &[f64]) -> f64 {
    let mut data = Data::new(model);
    data.state.q.copy_from_slice(start);
    forward_smooth(model, &mut data);
    let at: Vec<Vec3> = moving_bodies(model, None).iter().map(|b| data.position.p_WI[b.idx()]).collect();
    let largest = at.iter().flat_map(|p| at.iter().map(move |r| (*p - *r).length())).fold(0.0, f64::max);
    if largest > 1e-3 { largest } else { 1.0 }
}

/// What is not for the task to say: forces that no actuator makes, ranges of joints and motors.
fn physics(scene: &Scene<'_>, actuation: &Actuation, weight: f64, limits: bool) -> Vec<Entry> {
    let (model, length) = (scene.model, scene.length);
    // What gives a dof's own inertia an acceleration of g, or of g over the unit of lengths: a light object among heavy
    // links shall not float.
    let g = weight / moving_bodies(model, None).iter().map(|b| model.bodies.mass[b.idx()]).sum::<f64>();
    let unit = |i: usize| model.dofs.m0[i] * if is_linear(model, i) { g } else { g / length };
    let row = |row: &Vec<(usize, f64)>| {
        let unit = row.iter().map(|&(i, _)| unit(i)).fold(0.0, f64::max);
        row.iter().map(|&(i, c)| (i, c / unit)).collect()
    };
    let rows: Vec<Vec<(usize, f64)>> = actuation.unactuated.iter().map(row).collect();
    let mut terms = Vec::new();
    if !rows.is_empty() {
        terms.push(Entry::new(UNACTUATED, Role::Equality, Unactuated { rows }));
    }
    if !limits {
        return terms;
    }
    let joints = &model.joints;
    let limited = |&j: &usize| joints.limited[j] && matches!(joints.kind[j], JointKind::Hinge | JointKind::Slide);
    let bound = |j: usize| Bound {
        coordinate: joints.q_start[j] as usize,
        dof: joints.dof_start[j] as usize,
        lower: joints.range[j][0],
        upper: joints.range[j][1],
    };
    let bounds: Vec<Bound> = (0..model.njoint()).filter(limited).map(bound).collect();
    if !bounds.is_empty() {
        terms.push(Entry::new("joint limits", Role::Inequality, JointBounds { bounds }).with_slack(10.0));
    }
    if !actuation.limits.is_empty() {
        let term = TorqueBounds { bounds: actuation.limits.clone(), unit: weight * length };
        terms.push(Entry::new("torque limits", Role::Inequality, term).with_slack(10.0));
    }
    terms
}

fn ends(model: &Model, motion: &MotionTask, start: &[f64], v: Vec<f64>) -> Result<Ends> {
    match &motion.ends {
        EndsTask::Fixed => Ok(Ends::Fixed { q: start.to_vec(), v }),
        EndsTask::Free => Ok(Ends::Free),
        EndsTask::Cycle { stride, mirror, line } => {
            let mut found = Vec::with_capacity(stride.len());
            for (name, by) in stride {
                let j = find(model, ObjectKind::Joint, name, "[motion] stride")?;
                if model.joints.kind[j] == JointKind::Ball {
                    let message =
                        "a ball joint has no direction to go in: expected a free joint (along x), a slide or a hinge";
                    return Err(TaskError::at(name.line, "[motion] stride", message));
                }
                found.push((model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize, *by));
            }
            let mirror = if *mirror {
                let why = |e| TaskError::at(*line, "[motion] mirror", format!("the model is not symmetric: {e}"));
                Some(find_mirror(model).map_err(why)?)
            } else {
                None
            };
            Ok(Ends::Periodic(Cycle { mirror, stride: found }))
        }
    }
}

/// A line from the start to where the guess leads, with a slow random motion of hinges that begins at rest.
fn guess(model: &Model, motion: &MotionTask, start: &[f64], ends: &Ends) -> Result<Vec<f64>> {
    let (nq, nv, steps) = (model.size.nq, model.size.nv, motion.steps);
    let mut by = vec![0.0; nv];
    let to = pose(model, motion.guess.as_ref().unwrap_or(&Pose::Start), start, "[guess] to")?;
    difference(model, start, &to, 1.0, &mut by);
    if let Ends::Periodic(cycle) = ends {
        for &(_, dof, amount) in &cycle.stride {
            by[dof] = amount;
        }
    }
    let mut random = Random(motion.seed);
    let wave: Vec<f64> =
        (0..nv).map(|i| if is_linear(model, i) { 0.0 } else { motion.noise * random.next() }).collect();
    let mut q = Vec::with_capacity((steps + 2) * nq);
    for k in 0..steps + 2 {
        let share = (k as f64 - 1.0) / steps as f64;
        let swing = 0.5 * (1.0 - real::cos(2.0 * core::f64::consts::PI * share));
        let along: Vec<f64> = by.iter().zip(&wave).map(|(by, wave)| share * by + swing * wave).collect();
        let mut node = start.to_vec();
        integrate(model, &mut node, &along, 1.0);
        q.extend(node);
    }
    Ok(q)
}

/// Numbers in [−1, 1] (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
