//! Simulations in maximal coordinates.

use crate::data::DataCore;
use crate::functions::divergence;
use crate::model::ModelCore;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::StepError;
use saltus::math::Vec3;
use saltus::maximal::{AttachmentId, AttachmentKind, Error, Options, Simulation};
use std::collections::BTreeMap;

/// State and memory of one simulation.
#[pyclass(module = "saltus._saltus")]
#[derive(Debug)]
pub struct MaximalCore {
    simulation: Simulation,
}

fn refused(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Options of a mode, with some of them replaced.
pub(crate) fn options(mode: &str, changes: &BTreeMap<String, f64>) -> PyResult<Options> {
    let mut options = match mode {
        "tree" => Options::tree(),
        "direct" => Options::direct(),
        "published" => Options::default(),
        "plain" => Options::plain(),
        _ => {
            let message = format!("mode should be tree, direct, published or plain, not {mode:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    for (name, &value) in changes {
        let count = || match value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
            true => Ok(value as u32),
            false => Err(PyValueError::new_err(format!("{name} should be a whole number ≥ 0, not {value}"))),
        };
        match name.as_str() {
            "sweeps" => options.iterations = count()?,
            "friction_sweeps" => options.friction_sweeps = count()?,
            "tolerance" => options.tolerance = value,
            "relaxation" => options.relaxation = value,
            "erp" => options.erp = value,
            "cfm" => options.cfm = value,
            "surface_layer" => options.surface_layer = value,
            "inertia_reduction" => options.inertia_reduction = value,
            "smoothing" => options.smoothing = value,
            "warm_start" => options.warm_start = value,
            "split_impulse" => options.split_impulse = value != 0.0,
            "implicit_damping" => options.implicit_damping = value != 0.0,
            "gyroscopic" => options.gyroscopic = value != 0.0,
            _ => return Err(PyValueError::new_err(format!("unknown option {name:?} of maximal coordinates"))),
        }
    }
    options.validate().map_err(refused)?;
    Ok(options)
}

#[pymethods]
impl MaximalCore {
    #[new]
    fn new(py: Python<'_>, model: &ModelCore, mode: &str, changes: BTreeMap<String, f64>) -> PyResult<Self> {
        let simulation = Simulation::new(&*model.current(py)?, options(mode, &changes)?).map_err(refused)?;
        Ok(Self { simulation })
    }

    /// Takes n steps: sweeps of the last, and the largest distance and angle by which joints were
    /// apart.
    fn step(&mut self, py: Python<'_>, model: &ModelCore, data: &mut DataCore, n: usize) -> PyResult<(u32, f64, f64)> {
        let model = model.current(py)?;
        let data = data.checked(py, &model)?;
        let simulation = &mut self.simulation;
        let outcome = py.detach(|| {
            let mut summary = (0, 0.0f64, 0.0f64);
            for _ in 0..n {
                let report = simulation.step(&model, data)?;
                let joints = report.joints;
                summary = (report.iterations, summary.1.max(joints.distance), summary.2.max(joints.angle));
            }
            Ok(summary)
        });
        outcome.map_err(|error: Error| divergence(py, &StepError::Other(error.to_string())))
    }

    /// Attaches two bodies to each other and returns the id of the attachment.
    #[pyo3(signature = (model, data, bodies, kind, anchor, axis, pitch))]
    #[allow(clippy::too_many_arguments)]
    fn attach(
        &mut self,
        py: Python<'_>,
        model: &ModelCore,
        data: &mut DataCore,
        bodies: [usize; 2],
        kind: &str,
        anchor: [f64; 3],
        axis: [f64; 3],
        pitch: f64,
    ) -> PyResult<u32> {
        let model = model.current(py)?;
        let (anchor, axis) = (Vec3::from_array(anchor), Vec3::from_array(axis));
        let kind = match kind {
            "fixed" => AttachmentKind::Fixed,
            "ball" => AttachmentKind::Ball { anchor },
            "hinge" => AttachmentKind::Hinge { anchor, axis },
            "slide" => AttachmentKind::Slide { axis },
            "screw" => AttachmentKind::Screw { anchor, axis, pitch },
            _ => {
                let message = format!("kind should be fixed, ball, hinge, slide or screw, not {kind:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        let id = self.simulation.attach(&model, data.checked(py, &model)?, bodies, kind).map_err(refused)?;
        Ok(id.0)
    }

    /// Cuts such a joint.
    fn detach(&mut self, id: u32) -> PyResult<()> {
        self.simulation.detach(AttachmentId(id)).map_err(refused)
    }
}
