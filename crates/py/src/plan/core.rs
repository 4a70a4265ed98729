//! The plan behind `saltus.Plan`.

use crate::model::ModelCore;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use saltus::Model;
use saltus::opt::planning::PlanningProblem;
use saltus::opt::problem::actuation::Actuation;
use saltus::opt::problem::identity::TermId;
use saltus::opt::problem::physics::Units;
use saltus::opt::replay::{Feedback, ReplayOptions, replay};
use saltus::opt::result::names::{control_names, coordinate_names, dof_names};
use saltus::opt::result::plan::Plan;
use saltus::opt::result::summary::report;
use serde::Serialize;

/// A planned motion, with what it is replayed on.
#[pyclass(module = "saltus._saltus", frozen)]
#[derive(Debug)]
pub struct PlanCore {
    plan: Plan,
    /// The model with its own shapes, and that for planning, with the law at the end of the path.
    own: Model,
    planning: Model,
    actuation: Actuation,
}

/// Bodies, point, normal, force, gap.
type Force = ([usize; 2], [f64; 3], [f64; 3], [f64; 3], f64);
/// Times, q, v, errors; whether it survived, seconds, strides and why it ended.
type Replayed<'py> = ([Bound<'py, PyArray1<f64>>; 4], bool, f64, f64, String);

impl PlanCore {
    pub fn new(plan: Plan, setup: PlanningProblem) -> Self {
        Self { plan, own: setup.own, planning: setup.problem.model, actuation: setup.actuation }
    }
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

#[pymethods]
impl PlanCore {
    /// An array of the motion by its name in result folders.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let m = &self.plan.motion;
        let states = m.time.len();
        let (values, shape) = match name {
            "time" => (&m.time, vec![states]),
            "q" => (&m.q, vec![states, m.nq]),
            "v" => (&m.v, vec![states, m.nv]),
            "a" => (&m.a, vec![states, m.nv]),
            "u" => (&m.u, vec![states, m.nu]),
            "tau" => (&m.tau, vec![states, m.nv]),
            "gains" if m.gains.is_empty() => (&m.gains, vec![0, m.nv, 2 * m.nv]),
            "gains" => (&m.gains, vec![states, m.nv, 2 * m.nv]),
            _ => return Err(PyAttributeError::new_err(format!("no array {name:?}"))),
        };
        Ok(PyArray1::from_slice(py, values).reshape(shape)?.into_any())
    }

    /// Verdicts without any law, by step, and the law-independent residual's median and largest.
    fn verdicts<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, (f64, f64)) {
        let residuals: Vec<f64> = self.plan.verdicts.iter().map(|v| v.residual).collect();
        (PyArray1::from_vec(py, residuals), self.plan.law_independent_residual())
    }

    /// Contact forces of each state.
    fn contacts(&self) -> Vec<Vec<Force>> {
        let of =
            |c: &saltus::opt::problem::forces::ContactForce| ([c.body, c.other], c.point, c.normal, c.force, c.gap);
        self.plan.motion.contacts.iter().map(|list| list.iter().map(of).collect()).collect()
    }

    /// What the plan is worth, as JSON; the same as on the command line.
    fn summary(&self) -> PyResult<String> {
        json(&report(&self.plan, &self.own))
    }
    /// Names and costs of all terms.
    fn costs(&self) -> Vec<(String, f64)> {
        self.plan.terms.iter().map(TermId::to_string).zip(self.plan.cost_by_term.iter().copied()).collect()
    }
    /// Iterations as JSON.
    fn history(&self) -> PyResult<String> {
        json(&self.plan.history)
    }
    /// Points of the path of continuation as JSON.
    fn path(&self) -> PyResult<String> {
        json(&self.plan.path)
    }
    /// Seconds by part of the work, as JSON.
    fn times(&self) -> PyResult<String> {
        json(&self.plan.times)
    }

    /// Weight, N, and length, m: units of forces and lengths; time of a step, s.
    fn units(&self) -> (f64, f64, f64) {
        (self.plan.weight, self.plan.length, self.plan.motion.h)
    }
    /// Whether the motion repeats, and what is added to coordinates then.
    fn stride(&self) -> (bool, Vec<(usize, f64)>) {
        (self.plan.motion.periodic, self.plan.motion.stride.clone())
    }

    /// The model with its own shapes.
    fn model(&self) -> ModelCore {
        ModelCore::new(self.own.clone())
    }
    /// The model for planning.
    fn planning_model(&self) -> ModelCore {
        ModelCore::new(self.planning.clone())
    }
    /// Names of coordinates, dofs and controls.
    fn names(&self) -> [Vec<String>; 3] {
        [coordinate_names(&self.own), dof_names(&self.own), control_names(&self.own)]
    }

    /// Simulates the plan on a model, under its law.
    fn replay<'py>(
        &self,
        py: Python<'py>,
        model: &ModelCore,
        timestep: f64,
        feedback: &str,
        strides: usize,
        fallen: f64,
    ) -> PyResult<Replayed<'py>> {
        let model = model.current(py)?;
        let m = &self.plan.motion;
        if (model.size.nq, model.size.nv) != (m.nq, m.nv) {
            let message = format!("the plan has {} coordinates, this model has {}", m.nq, model.size.nq);
            return Err(PyValueError::new_err(message));
        }
        let feedback = match feedback {
            "none" => Feedback::None,
            "gains" => Feedback::Gains,
            _ => Feedback::Body,
        };
        let units = Units { weight: self.plan.weight, length: self.plan.length };
        let options = ReplayOptions { timestep, feedback, strides, fallen };
        let out = py.detach(|| replay(&model, &model.options.laws, &self.actuation, m, units, &options));
        let arrays = [out.time, out.q, out.v, out.error].map(|values| PyArray1::from_vec(py, values));
        Ok((arrays, out.survived, out.seconds, out.strides, out.end))
    }
}
