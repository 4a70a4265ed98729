//! The data behind `saltus.Data` and `saltus.mujoco.MjData`.

use crate::contact_arrays;
use crate::fields::{Shape, Slice, data as fields};
use crate::model::ModelCore;
use numpy::ndarray::ArrayView;
use numpy::{Element, PyArrayDyn};
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use saltus::sim::data::{Constraints, Contact};
use saltus::sim::derivative::Workspace;
use saltus::sim::ids::KeyId;
use saltus::{Data, Model, Stage};
use std::sync::{Mutex, PoisonError};

/// State, inputs and results of one simulation. Arrays handed to Python are views of this object's
/// memory and keep it alive; the memory never moves, because no buffer of `Data` changes its size.
#[pyclass(module = "saltus._saltus")]
#[derive(Debug)]
pub struct DataCore {
    pub data: Data,
    /// Whether the data is lent to an engine that calls back into Python; a placeholder is in its
    /// place.
    pub lent: bool,
    /// The contacts as arrays that Python holds, until the engine next changes the data.
    contacts: Option<contact_arrays::Arrays>,
    /// Memory of the derivatives at the state of this data.
    memory: Mutex<Option<Box<(Data, Workspace)>>>,
}

impl DataCore {
    fn of(data: Data) -> Self {
        Self { data, lent: false, contacts: None, memory: Mutex::new(None) }
    }

    /// The data to change, if it has the sizes of `model`.
    pub fn checked<'a>(&'a mut self, py: Python<'_>, model: &Model) -> PyResult<&'a mut Data> {
        self.check(model)?;
        self.take_contacts(py)?;
        Ok(&mut self.data)
    }

    /// Applies what Python wrote to the arrays of contacts. The arrays are created anew on the next
    /// request.
    pub fn take_contacts(&mut self, py: Python<'_>) -> PyResult<()> {
        match self.contacts.take() {
            None => Ok(()),
            Some(arrays) => contact_arrays::write(py, &arrays, &mut self.data.contacts),
        }
    }

    /// The contacts as arrays, the same ones until the engine next changes the data.
    pub fn contact_arrays(&mut self, py: Python<'_>) -> PyResult<contact_arrays::Arrays> {
        self.check_present()?;
        let (numbers, whole) = match self.contacts.take() {
            Some(arrays) => arrays,
            None => contact_arrays::read(py, &self.data.contacts)?,
        };
        let result = (numbers.clone_ref(py), whole.clone_ref(py));
        self.contacts = Some((numbers, whole));
        Ok(result)
    }

    /// Runs `f` on a copy of the data, in memory that is kept for the next time.
    pub fn on_copy<R>(&self, f: impl FnOnce(&mut Data, &mut Workspace) -> R) -> R {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let (copy, work) = &mut **memory.get_or_insert_with(|| Box::new((self.data.clone(), Workspace::default())));
        copy.state.copy_from(&self.data.state);
        copy.input.copy_from(&self.data.input);
        copy.acceleration.a.copy_from_slice(&self.data.acceleration.a);
        f(copy, work)
    }

    fn check_present(&self) -> PyResult<()> {
        if self.lent { Err(PyRuntimeError::new_err("this data is being simulated by another thread")) } else { Ok(()) }
    }

    pub fn check(&self, model: &Model) -> PyResult<()> {
        self.check_present()?;
        if self.data.fits(model) {
            Ok(())
        } else {
            Err(PyValueError::new_err("the sizes of this data do not match the model; create new data from this model"))
        }
    }
}

/// A numpy view of `values`, which belong to `owner`.
fn view<'py, T: Element>(owner: &Bound<'py, DataCore>, values: &[T], shape: Shape) -> PyResult<Bound<'py, PyAny>> {
    let array =
        ArrayView::from_shape(shape.dims(values.len()), values).map_err(|e| PyValueError::new_err(e.to_string()))?;
    // SAFETY: the buffer is owned by `owner`, which the array keeps alive, and is never reallocated
    // (sizes are fixed at construction). Python and the engine share it as MuJoCo's bindings do: a
    // thread that writes an array while another one runs a function on the same data sees either
    // value.
    Ok(unsafe { PyArrayDyn::borrow_from_array(&array, owner.clone().into_any()) }.into_any())
}

#[pymethods]
impl DataCore {
    #[new]
    fn new(py: Python<'_>, model: &ModelCore) -> PyResult<Self> {
        Ok(Self::of(Data::new(&*model.current(py)?)))
    }

    fn copy(&self) -> PyResult<Self> {
        self.check_present()?;
        Ok(Self::of(self.data.clone()))
    }

    /// The parts of the data that are not fields: contacts, constraints, tendon paths, and which
    /// stages are valid.
    fn rest_to_bytes<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.take_contacts(py)?;
        let d = &self.data;
        let rest = (&d.contacts, &d.constraints, &d.position.tendon_points, d.stage());
        let bytes = postcard::to_stdvec(&rest).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Restores what `rest_to_bytes` returned, for data of the same model.
    fn rest_from_bytes(&mut self, py: Python<'_>, model: &ModelCore, bytes: &[u8]) -> PyResult<()> {
        let model = model.current(py)?;
        self.checked(py, &model)?;
        let damaged = || PyValueError::new_err("the saved contacts do not belong to this model");
        type Rest = (Vec<Contact>, Constraints, Vec<[i32; 2]>, Stage);
        let (contacts, constraints, points, stage): Rest = postcard::from_bytes(bytes).map_err(|_| damaged())?;
        let known = |c: &Contact| c.geom1.idx() < model.ngeom() && c.geom2.idx() < model.ngeom();
        let same_tendons = points.len() == self.data.position.tendon_points.len();
        if !(contacts.iter().all(known) && constraints.is_consistent(&model, contacts.len()) && same_tendons) {
            return Err(damaged());
        }
        self.data.contacts = contacts;
        self.data.constraints = constraints;
        self.data.position.tendon_points = points;
        self.data.set_stage(stage);
        Ok(())
    }

    /// Whether the data belongs to the model: ValueError if its sizes do not.
    fn check_model(&self, model: &ModelCore) -> PyResult<()> {
        self.check(&model.structure())
    }

    /// Copies the parts of another data of the same model that are not fields: time, contacts,
    /// constraints, tendon paths.
    fn copy_rest_from(&mut self, model: &ModelCore, other: &Self) -> PyResult<()> {
        self.check_model(model)?;
        other.check_model(model)?;
        self.contacts = None;
        let (to, from) = (&mut self.data, &other.data);
        to.state.time = from.state.time;
        to.contacts.clone_from(&from.contacts);
        to.constraints = from.constraints.clone();
        to.position.tendon_points.clone_from(&from.position.tendon_points);
        to.set_stage(from.stage());
        Ok(())
    }

    /// View of a field by MuJoCo's name.
    fn field<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.try_borrow()?;
        this.check_present()?;
        match fields::field(&this.data, name) {
            Some(Slice::F64(s, shape)) => view(slf, s, shape),
            Some(Slice::F32(s, shape)) => view(slf, s, shape),
            Some(Slice::I32(s, shape)) => view(slf, s, shape),
            Some(Slice::Bool(s, shape)) => view(slf, s, shape),
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

    /// Numbers of contacts and of rows: equality, friction, limit, all.
    #[getter]
    fn ncon(&self) -> usize {
        self.data.contacts.len()
    }
    #[getter]
    fn ne(&self) -> usize {
        self.data.constraints.n_equality
    }
    #[getter]
    fn nf(&self) -> usize {
        self.data.constraints.n_friction
    }
    #[getter]
    fn nl(&self) -> usize {
        self.data.constraints.n_limit
    }
    #[getter]
    fn nefc(&self) -> usize {
        self.data.constraints.len()
    }

    /// The last stage whose results belong to the current state: 0 none, 1 position, 2 velocity, 3
    /// acceleration.
    #[getter]
    fn stage(&self) -> i32 {
        self.data.stage() as i32
    }

    fn reset(&mut self, py: Python<'_>, model: &ModelCore) -> PyResult<()> {
        let model = model.current(py)?;
        self.contacts = None;
        self.checked(py, &model)?.reset(&model);
        Ok(())
    }

    fn reset_to_key(&mut self, py: Python<'_>, model: &ModelCore, key: usize) -> PyResult<()> {
        let model = model.current(py)?;
        if key >= model.nkey() {
            let message = format!("no keyframe {key}: the model has {}", model.nkey());
            return Err(PyValueError::new_err(message));
        }
        self.contacts = None;
        self.checked(py, &model)?.reset_to_key(&model, KeyId::new(key));
        Ok(())
    }
}
