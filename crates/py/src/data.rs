//! The data behind `saltus.Data` and `saltus.mujoco.MjData`.

use crate::fields::{Slice, data as fields, shape};
use crate::model::ModelCore;
use numpy::ndarray::ArrayView;
use numpy::{Element, PyArrayDyn};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use saltus::sim::ids::KeyId;
use saltus::{Data, Model};

/// State, inputs and results of one simulation. Arrays handed to Python are views of this object's memory and keep it
/// alive; the memory never moves, because no buffer of `Data` changes its size.
#[pyclass(module = "saltus._saltus")]
#[derive(Debug)]
pub struct DataCore {
    pub data: Data,
    /// Whether the data is lent to an engine that calls back into Python; a placeholder is in its place.
    pub lent: bool,
}

impl DataCore {
    /// The data, if it has the sizes of `model`.
    pub fn checked<'a>(&'a mut self, model: &Model) -> PyResult<&'a mut Data> {
        self.check(model)?;
        Ok(&mut self.data)
    }

    fn check_present(&self) -> PyResult<()> {
        if self.lent { Err(PyRuntimeError::new_err("this data is being simulated by another thread")) } else { Ok(()) }
    }

    pub fn check(&self, model: &Model) -> PyResult<()> {
        self.check_present()?;
        if self.data.fits(model) {
            Ok(())
        } else {
            Err(PyValueError::new_err("this data was made for a model of other sizes; make new data from this model"))
        }
    }
}

/// A numpy view of `values`, which belong to `owner`.
fn view<'py, T: Element>(owner: &Bound<'py, DataCore>, values: &[T], cols: usize) -> PyResult<Bound<'py, PyAny>> {
    let dims = shape(values.len(), cols);
    let array = ArrayView::from_shape(dims, values).map_err(|e| PyValueError::new_err(e.to_string()))?;
    // SAFETY: the buffer is owned by `owner`, which the array keeps alive, and is never reallocated (sizes are fixed
    // at construction). Python and the engine share it as MuJoCo's bindings do: a thread that writes an array while
    // another one runs a function on the same data sees either value.
    Ok(unsafe { PyArrayDyn::borrow_from_array(&array, owner.clone().into_any()) }.into_any())
}

#[pymethods]
impl DataCore {
    #[new]
    fn new(py: Python<'_>, model: &ModelCore) -> Self {
        Self { data: Data::new(&model.current(py)), lent: false }
    }

    fn copy(&self) -> PyResult<Self> {
        self.check_present()?;
        Ok(Self { data: self.data.clone(), lent: false })
    }

    /// Copies from another data what the fields do not hold: time, contacts, constraints, paths of tendons.
    fn copy_rest_from(&mut self, other: &Self) {
        let (to, from) = (&mut self.data, &other.data);
        to.state.time = from.state.time;
        to.contacts.clone_from(&from.contacts);
        to.constraints = from.constraints.clone();
        to.position.tendon_points.clone_from(&from.position.tendon_points);
        to.stage = from.stage;
    }

    /// View of a field by MuJoCo's name.
    fn field<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.try_borrow()?;
        this.check_present()?;
        match fields::field(&this.data, name) {
            Some(Slice::F64(s, cols)) => view(slf, s, cols),
            Some(Slice::F32(s, cols)) => view(slf, s, cols),
            Some(Slice::I32(s, cols)) => view(slf, s, cols),
            Some(Slice::Bool(s, cols)) => view(slf, s, cols),
            None => Err(PyAttributeError::new_err(format!("no field {name:?}"))),
        }
    }

    #[staticmethod]
    fn field_names() -> Vec<&'static str> {
        fields::NAMES.to_vec()
    }

    /// First path point and number of path points of each tendon.
    fn tendon_points(&self) -> Vec<[i32; 2]> {
        self.data.position.tendon_points.clone()
    }

    #[getter]
    fn time(&self) -> f64 {
        self.data.state.time
    }
    #[setter]
    fn set_time(&mut self, time: f64) {
        self.data.state.time = time;
    }

    /// How far the results belong to the present state: 0 none, 1 position, 2 velocity, 3 acceleration.
    #[getter]
    fn stage(&self) -> i32 {
        self.data.stage as i32
    }

    fn reset(&mut self, py: Python<'_>, model: &ModelCore) -> PyResult<()> {
        let model = model.current(py);
        self.checked(&model)?.reset(&model);
        Ok(())
    }

    fn reset_to_key(&mut self, py: Python<'_>, model: &ModelCore, key: usize) -> PyResult<()> {
        let model = model.current(py);
        if key >= model.nkey() {
            let message = format!("no keyframe {key}: the model has {}", model.nkey());
            return Err(PyValueError::new_err(message));
        }
        self.checked(&model)?.reset_to_key(&model, KeyId::new(key));
        Ok(())
    }
}
