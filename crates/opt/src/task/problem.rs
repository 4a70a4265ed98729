//! From a task and a model to a problem that is ready to be optimized.

use super::build::{Geometry, Scene};
use super::error::{TaskError, listed};
use super::guess::guess;
use super::names::{find, pose, sized};
use super::{EndsTask, MotionTask, Task, TaskKind};
use crate::geometry::{ContactBall, GeometryError, GeometryOptions, Planning, Shapes, keep_bodies};
use crate::planning::PlanningProblem;
use crate::problem::actuation::Actuation;
use crate::problem::continuation::Continuation;
use crate::problem::forces::weight;
use crate::problem::layout::{Advance, Cycle, Ends};
use crate::problem::physics::is_linear;
use crate::problem::physics::{Units, limits, prepare, unactuated};
use crate::problem::{Entry, Problem};
use crate::template::gait::{continuation, gait};
use crate::template::goal::goal;
use crate::template::subject::size;
use crate::template::symmetry::find_mirror;
use saltus_sim::model::kinds::{JointKind, ObjectKind};
use saltus_sim::options::law::Law;
use saltus_sim::{Model, ModelSpec, compile};

type Result<T> = core::result::Result<T, TaskError>;

impl Task {
    /// The problem for the task's model.
    pub fn problem(&self, spec: &ModelSpec) -> Result<PlanningProblem> {
        self.validate()?;
        let problem = match &self.kind {
            TaskKind::Gait { gait: wish, robot, line } => gait(&self.name, spec, robot, wish, &self.options)
                .map_err(|e| TaskError::at(*line, "[gait]", e.to_string()))
                .and_then(|planning| self.with_terms(planning)),
            TaskKind::Goal { goal: wish, robot, line } => goal(&self.name, spec, robot, wish, &self.options)
                .map_err(|e| TaskError::at(*line, format!("[{}]", wish.aim.word()), e.to_string()))
                .and_then(|planning| self.with_terms(planning)),
            TaskKind::Motion(motion) => self.motion_problem(spec, motion),
        };
        let mut problem = problem.map_err(|e| e.in_file(&self.file))?;
        problem.notes.splice(0..0, spec.notes.iter().cloned());
        Ok(problem)
    }

    /// A template with the task's own terms and path.
    fn with_terms(&self, mut planning: PlanningProblem) -> Result<PlanningProblem> {
        let model = &planning.problem.model;
        let nq = model.size.nq;
        let scene = Scene {
            model,
            start: &planning.guess[nq..2 * nq],
            steps: planning.problem.steps,
            h: planning.problem.h(),
            actuated: &planning.actuation.actuated,
            length: planning.units.length,
            weight: planning.units.weight,
            geometry: None,
        };
        let terms = self.terms.iter().map(|term| term.build(&scene)).collect::<Result<Vec<_>>>()?;
        planning.problem.terms.extend(terms);
        planning.continuation = self.continuation(planning.continuation);
        Ok(planning)
    }

    /// The path of continuation, where the task says nothing that of `usual`.
    fn continuation(&self, usual: Continuation) -> Continuation {
        match (self.contact.law, self.contact.from, self.contact.to) {
            (Law::Invertible, from, to) => Continuation {
                from: from.unwrap_or(usual.from),
                to: to.unwrap_or(usual.to),
                // An end that the task gives is final.
                beyond: if to.is_some() { 0.0 } else { usual.beyond },
            },
            // Other laws have no continuation.
            _ => Continuation { from: usual.to, to: usual.to, beyond: 0.0 },
        }
    }

    fn planning(&self, spec: &ModelSpec, own: &Model) -> Result<Planning> {
        let pair = |[a, b]: &[super::At<String>; 2]| (a.value.clone(), b.value.clone());
        let options = GeometryOptions {
            touch: self.contact.touch.clone(),
            between: self.contact.between.iter().map(pair).collect(),
            ..GeometryOptions::default()
        };
        let shapes = Shapes::new(spec, own).map_err(GeometryError::from);
        let planning = shapes.and_then(|shapes| shapes.planning(&options)).map_err(|e| {
            // The line of the name, if it is one of those.
            let named = |n: &str| self.contact.between.iter().flatten().find(|a| a.value == n).map(|a| a.line);
            let line = match &e {
                GeometryError::Name(missing) => named(&missing.name),
                GeometryError::Apart { first, .. } => named(first),
                _ => None,
            };
            TaskError::at(line.unwrap_or(self.contact.line), "[contact]", e.to_string())
        })?;
        Ok(planning.without_margins())
    }

    fn motion_problem(&self, spec: &ModelSpec, motion: &MotionTask) -> Result<PlanningProblem> {
        let of_model = |e: String| TaskError::at(self.model.line, "model", e);
        let mut spec = spec.clone();
        keep_bodies(&mut spec);
        let own = compile(&spec).map_err(|e| of_model(e.to_string()))?;
        let planning = self.planning(&spec, &own)?;
        let mut model = compile(&planning.spec).map_err(|e| of_model(e.to_string()))?;
        let actuation = Actuation::new(&own).map_err(|e| of_model(e.to_string()))?;
        let start = pose(&model, &motion.start, &model.q0, "[motion] start")?;
        let velocity = match motion.start_velocity.value[..] {
            [] => vec![0.0; model.size.nv],
            _ => sized(&motion.start_velocity, model.size.nv, "dofs", "[motion] start v")?.to_vec(),
        };
        prepare(&mut model, motion.time / motion.steps as f64, self.contact.law);
        model.options.laws.compliant = self.contact.compliant;
        let ends = ends(&model, motion, &start, velocity)?;
        let length = motion.length.unwrap_or_else(|| size(&model, &start));
        let continuation = self.continuation(continuation(length));
        continuation.to.set(&mut model);
        let weight = weight(&model);
        let points: Vec<ContactBall> = planning.candidates.iter().map(ContactBall::from).collect();
        let scene = Scene {
            model: &model,
            start: &start,
            steps: motion.steps,
            h: model.options.timestep,
            actuated: &actuation.actuated,
            length,
            weight,
            geometry: Some(Geometry { points: &points, apart: &planning.capsule_pairs }),
        };
        let units = Units { weight, length };
        let mut terms: Vec<Entry> = unactuated(&model, &actuation, units).into_iter().collect();
        if motion.limits {
            terms.extend(limits(&model, &actuation, units));
        }
        for term in &self.terms {
            terms.push(term.build(&scene)?);
        }
        let guess = guess(&model, motion, &start, &ends)?;
        let mut notes = planning.report.notes.clone();
        notes.push(format!("length {length:.3} m, weight {weight:.3} N"));
        notes.push(format!("touching: {}", listed(planning.candidates.iter().map(|c| &c.geom))));
        let scale = (0..model.size.nv).map(|i| if is_linear(&model, i) { length } else { 1.0 }).collect();
        let (steps, evaluation) = (motion.steps, motion.evaluation);
        Ok(PlanningProblem {
            name: self.name.clone(),
            spec,
            own,
            problem: Problem { model, steps, ends, evaluation, terms, scale },
            geometry: planning.report,
            actuation,
            continuation,
            guess,
            units,
            options: self.options,
            notes,
        })
    }
}

fn ends(model: &Model, motion: &MotionTask, start: &[f64], v: Vec<f64>) -> Result<Ends> {
    match &motion.ends {
        EndsTask::Fixed => Ok(Ends::Fixed { q: start.to_vec(), v }),
        EndsTask::Free => Ok(Ends::Free),
        EndsTask::Cycle { stride, mirror, free_time, line } => {
            let mut found = Vec::with_capacity(stride.len());
            for (name, by) in stride {
                let j = find(model, ObjectKind::Joint, name, "[motion] stride")?;
                if model.joints.kind[j] == JointKind::Ball {
                    let message =
                        "a ball joint has no direction to go in: expected a free joint (along x), a slide or a hinge";
                    return Err(TaskError::at(name.line, "[motion] stride", message));
                }
                let (coordinate, dof) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
                found.push(Advance { coordinate, dof, amount: *by });
            }
            let mirror = if *mirror {
                let why = |e| TaskError::at(*line, "[motion] mirror", format!("the model is not symmetric: {e}"));
                Some(find_mirror(model, &vec![true; model.nbody()]).map_err(why)?)
            } else {
                None
            };
            Ok(Ends::Periodic(Cycle { mirror, stride: found, is_free: *free_time }))
        }
    }
}
