//! The plan behind `saltus.Plan`.

use crate::model::ModelCore;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{
    PyAttributeError, PyFileExistsError, PyFileNotFoundError, PyOSError, PyPermissionError, PyValueError,
};
use pyo3::prelude::*;
use saltus::opt::problem::actuation::Actuation;
use saltus::opt::problem::forces::ContactForce;
use saltus::opt::problem::identity::TermId;
use saltus::opt::problem::physics::Units;
use saltus::opt::replay::{Feedback, ReplayOptions, replay};
use saltus::opt::result::names::{control_names, coordinate_names, dof_names};
use saltus::opt::result::summary::report;
use saltus::opt::solve::report::{Iteration, PathPoint};
use saltus::store::{StoreError, StoredPlan};
use std::io::ErrorKind;
use std::path::PathBuf;

/// A planned motion with the models for its replay.
#[pyclass(module = "saltus._saltus", frozen)]
#[derive(Debug)]
pub struct PlanCore {
    stored: StoredPlan,
    actuation: Actuation,
}

/// Bodies, point, normal, force and gap of a contact.
type Force = ([usize; 2], [f64; 3], [f64; 3], [f64; 3], f64);
/// Times, q, v and errors; whether the end was reached, seconds, strides, and the reason for the
/// end.
type Replayed<'py> = ([Bound<'py, PyArray1<f64>>; 4], bool, f64, f64, String);

/// The fields of `saltus.Iteration`, in order.
type IterationFields = (usize, f64, f64, f64, Vec<f64>, f64, f64, f64, f64, f64, bool, f64);
/// The fields of `saltus.PathPoint`, in order.
type PathPointFields = (f64, f64, f64, f64, f64, f64, f64, f64, usize, f64);

impl PlanCore {
    pub fn new(stored: StoredPlan, actuation: Actuation) -> Self {
        Self { stored, actuation }
    }
}

pub fn iteration_fields(i: &Iteration) -> IterationFields {
    (
        i.number,
        i.path,
        i.smoothing,
        i.cost,
        i.cost_by_term.clone(),
        i.merit,
        i.unactuated,
        i.violation,
        i.step,
        i.damping,
        i.accepted,
        i.seconds,
    )
}

fn path_point_fields(p: &PathPoint) -> PathPointFields {
    (
        p.path,
        p.smoothing,
        p.hover,
        p.reach,
        p.cost,
        p.violation,
        p.force_at_distance,
        p.penetration,
        p.iterations,
        p.seconds,
    )
}

/// OSError for files that cannot be accessed, ValueError for invalid contents.
fn store_error(error: StoreError) -> PyErr {
    let message = error.to_string();
    match error {
        StoreError::Io { cause, .. } => match cause.kind() {
            ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
            _ => PyOSError::new_err(message),
        },
        StoreError::Place(_) => PyFileExistsError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

#[pymethods]
impl PlanCore {
    /// Loads the plan of a result folder.
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let stored = py.detach(|| StoredPlan::load(&folder)).map_err(store_error)?;
        let actuation = Actuation::new(&stored.own)
            .map_err(|error| PyValueError::new_err(format!("{}: {error}", folder.display())))?;
        Ok(Self::new(stored, actuation))
    }
    /// Writes the plan to a result folder.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        py.detach(|| self.stored.save(&folder)).map_err(store_error)
    }
    /// The task as the text of a task file.
    fn task(&self) -> &str {
        &self.stored.task_text
    }

    /// A copy of an array of the motion, by its name in result folders.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let m = &self.stored.plan.motion;
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

    /// The law-independent residual of each step, with its median and maximum.
    fn verdicts<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, (f64, f64)) {
        let residuals: Vec<f64> = self.stored.plan.verdicts.iter().map(|v| v.residual).collect();
        (PyArray1::from_vec(py, residuals), self.stored.plan.law_independent_residual())
    }

    /// Contact forces of each state.
    fn contacts(&self) -> Vec<Vec<Force>> {
        let of = |c: &ContactForce| ([c.body, c.other], c.point, c.normal, c.force, c.gap);
        self.stored.plan.motion.contacts.iter().map(|list| list.iter().map(of).collect()).collect()
    }

    /// The summary as JSON, as printed by the command line.
    fn summary(&self) -> String {
        report(&self.stored.plan, &self.stored.own).to_string()
    }
    /// Names and costs of all terms.
    fn costs(&self) -> Vec<(String, f64)> {
        self.stored
            .plan
            .terms
            .iter()
            .map(TermId::to_string)
            .zip(self.stored.plan.cost_by_term.iter().copied())
            .collect()
    }
    /// Iterations.
    fn history(&self) -> Vec<IterationFields> {
        self.stored.plan.history.iter().map(iteration_fields).collect()
    }
    /// Points of the continuation.
    fn path(&self) -> Vec<PathPointFields> {
        self.stored.plan.path.iter().map(path_point_fields).collect()
    }
    /// Seconds per phase of the optimization.
    fn times(&self) -> [(&'static str, f64); 5] {
        let times = &self.stored.plan.times;
        [
            ("derivatives", times.derivatives),
            ("assembly", times.assembly),
            ("factorization", times.factorization),
            ("trials", times.trials),
            ("corrections", times.corrections),
        ]
    }

    /// Units of force (weight, N) and length (m), and the time step, s.
    fn units(&self) -> (f64, f64, f64) {
        (self.stored.plan.weight, self.stored.plan.length, self.stored.plan.motion.h)
    }
    /// Whether the motion is a limit cycle, and the increments of coordinates per repetition.
    fn stride(&self) -> (bool, Vec<(usize, f64)>) {
        (self.stored.plan.motion.periodic, self.stored.plan.motion.stride.clone())
    }

    /// The model with its original collision geometry.
    fn model(&self) -> ModelCore {
        ModelCore::new(self.stored.own.clone())
    }
    /// The planning model.
    fn planning_model(&self) -> ModelCore {
        ModelCore::new(self.stored.planning.clone())
    }
    /// Names of coordinates, dofs and controls.
    fn names(&self) -> [Vec<String>; 3] {
        [coordinate_names(&self.stored.own), dof_names(&self.stored.own), control_names(&self.stored.own)]
    }

    /// Simulates the plan on a model, under the contact law of that model.
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
        let m = &self.stored.plan.motion;
        if (model.size.nq, model.size.nv) != (m.nq, m.nv) {
            let message = format!("the plan has {} coordinates, this model has {}", m.nq, model.size.nq);
            return Err(PyValueError::new_err(message));
        }
        let feedback = match feedback {
            "none" => Feedback::None,
            "gains" => Feedback::Gains,
            _ => Feedback::Body,
        };
        // Contacts of the plan name bodies by id.
        if feedback == Feedback::Body && model.nbody() < self.stored.own.nbody() {
            let (own, found) = (self.stored.own.nbody(), model.nbody());
            let message = format!("the plan has {own} bodies, this model has {found} (fusestatic?): use plan.model");
            return Err(PyValueError::new_err(message));
        }
        let units = Units { weight: self.stored.plan.weight, length: self.stored.plan.length };
        let options = ReplayOptions { timestep, feedback, strides, fallen };
        let out = py.detach(|| replay(&model, &model.options.laws, &self.actuation, m, units, &options));
        let arrays = [out.time, out.q, out.v, out.error].map(|values| PyArray1::from_vec(py, values));
        Ok((arrays, out.survived, out.seconds, out.strides, out.end))
    }
}
