//! The model behind `saltus.Model` and `saltus.mujoco.MjModel`.

use crate::fields::{Slice, SliceMut, derived, model as fields, shape};
use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use saltus::sim::model::kinds::ObjectKind;
use saltus::sim::options::law::LawOptions;
use saltus::sim::options::{Cone, Disable, Enable, Integrator, JacobianStorage, Solver};
use saltus::{LoadOptions, Loaded, Model, Options, io};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

/// A compiled model. Immutable in the engine; arrays handed to Python are compared with it before each use, and a
/// change makes a private copy.
#[pyclass(module = "saltus._saltus", frozen)]
#[derive(Debug)]
pub struct ModelCore {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    model: Arc<Model>,
    /// Writable arrays that Python holds: field name and array.
    handed: Vec<(&'static str, Py<PyAny>)>,
    /// What the reader noticed.
    warnings: Vec<String>,
}

fn value_error(e: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(e.to_string())
}

impl ModelCore {
    pub fn new(model: Model) -> Self {
        Self::from_loaded(Loaded { model, warnings: Vec::new() })
    }

    fn from_loaded(loaded: Loaded) -> Self {
        let model = Arc::new(loaded.model);
        Self { inner: Mutex::new(Inner { model, handed: Vec::new(), warnings: loaded.warnings }) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The model with all changes that Python made to its arrays.
    pub fn current(&self, py: Python<'_>) -> Arc<Model> {
        let mut inner = self.lock();
        for k in 0..inner.handed.len() {
            let (name, ref array) = inner.handed[k];
            let array = array.bind(py).clone();
            if differs(&inner.model, name, &array) {
                write(Arc::make_mut(&mut inner.model), name, &array);
            }
        }
        inner.model.clone()
    }

    /// Changes the model in place.
    pub fn edit(&self, py: Python<'_>, f: impl FnOnce(&mut Model)) {
        self.current(py);
        let mut inner = self.lock();
        f(Arc::make_mut(&mut inner.model));
        // Arrays that Python holds follow the model.
        for (name, array) in &inner.handed {
            read(&inner.model, name, array.bind(py));
        }
    }
}

/// Whether an array differs from the model's field. An array that is the output of the call under way counts as equal:
/// the next call sees what was written to it.
fn differs(model: &Model, name: &str, array: &Bound<'_, PyAny>) -> bool {
    macro_rules! compare {
        ($t:ty, $s:expr) => {
            array
                .cast::<PyArrayDyn<$t>>()
                .is_ok_and(|a| a.try_readonly().is_ok_and(|a| a.as_slice().is_ok_and(|x| x != $s)))
        };
    }
    match fields::plain(model, name) {
        Some(Slice::F64(s, _)) => compare!(f64, s),
        Some(Slice::F32(s, _)) => compare!(f32, s),
        Some(Slice::I32(s, _)) => compare!(i32, s),
        Some(Slice::Bool(s, _)) => compare!(bool, s),
        None => false,
    }
}

/// Copies an array into the model's field.
fn write(model: &mut Model, name: &str, array: &Bound<'_, PyAny>) {
    macro_rules! copy {
        ($t:ty, $s:expr) => {
            if let Ok(a) = array.cast::<PyArrayDyn<$t>>() {
                if let Ok(a) = a.try_readonly() {
                    if let Ok(x) = a.as_slice() {
                        $s.copy_from_slice(x);
                    }
                }
            }
        };
    }
    match fields::plain_mut(model, name) {
        Some(SliceMut::F64(s)) => copy!(f64, s),
        Some(SliceMut::F32(s)) => copy!(f32, s),
        Some(SliceMut::I32(s)) => copy!(i32, s),
        Some(SliceMut::Bool(s)) => copy!(bool, s),
        None => {}
    }
    if name == "mesh_vert" {
        // Hulls are searched by tables that have copies of the corners.
        model.index_hulls();
    }
}

/// Copies the model's field into an array.
fn read(model: &Model, name: &str, array: &Bound<'_, PyAny>) {
    macro_rules! copy {
        ($t:ty, $s:expr) => {
            if let Ok(a) = array.cast::<PyArrayDyn<$t>>() {
                if let Ok(mut a) = a.try_readwrite() {
                    if let Ok(x) = a.as_slice_mut() {
                        x.copy_from_slice($s);
                    }
                }
            }
        };
    }
    match fields::plain(model, name) {
        Some(Slice::F64(s, _)) => copy!(f64, s),
        Some(Slice::F32(s, _)) => copy!(f32, s),
        Some(Slice::I32(s, _)) => copy!(i32, s),
        Some(Slice::Bool(s, _)) => copy!(bool, s),
        None => {}
    }
}

fn to_array<'py, T: numpy::Element>(py: Python<'py>, values: Vec<T>, cols: usize) -> PyResult<Bound<'py, PyAny>> {
    let dims = shape(values.len(), cols);
    Ok(values.into_pyarray(py).reshape(dims)?.into_any())
}

#[pymethods]
impl ModelCore {
    /// Loads a model file.
    #[staticmethod]
    #[pyo3(signature = (path, floating_base=false))]
    fn load(py: Python<'_>, path: PathBuf, floating_base: bool) -> PyResult<Self> {
        let options = LoadOptions { floating_base };
        py.detach(|| saltus::load_with(&path, &options)).map(Self::from_loaded).map_err(value_error)
    }

    /// Compiles model text. Files it names are looked up in `assets` only.
    #[staticmethod]
    #[pyo3(signature = (xml, assets=None, floating_base=false))]
    fn from_xml(
        py: Python<'_>,
        xml: &str,
        assets: Option<BTreeMap<String, Vec<u8>>>,
        floating_base: bool,
    ) -> PyResult<Self> {
        let assets = assets.unwrap_or_default();
        let options = LoadOptions { floating_base };
        py.detach(|| {
            let mut spec = io::read_str(xml, &assets)?;
            options.apply(&mut spec, "model")?;
            Ok(Loaded { model: saltus::compile(&spec)?, warnings: spec.warnings })
        })
        .map(Self::from_loaded)
        .map_err(|e: saltus::Error| value_error(e))
    }

    #[staticmethod]
    fn from_binary(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| io::binary::load(bytes)).map(Self::new).map_err(value_error)
    }

    fn to_binary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = self.current(py);
        let bytes = py.detach(|| io::binary::save(&model)).map_err(value_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn copy(&self, py: Python<'_>) -> Self {
        let (model, warnings) = (self.current(py), self.warnings());
        Self { inner: Mutex::new(Inner { model, handed: Vec::new(), warnings }) }
    }

    #[getter]
    fn name(&self) -> String {
        self.lock().model.name.clone()
    }

    /// What the reader of the model's file noticed.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.lock().warnings.clone()
    }

    /// Settings of `<visual>` that the model file gives, as text, by section.
    fn visual(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        self.lock().model.visual.clone()
    }

    /// A scalar size by MuJoCo's name.
    fn size(&self, name: &str) -> PyResult<usize> {
        derived::size(&self.lock().model, name).ok_or_else(|| PyAttributeError::new_err(format!("no size {name:?}")))
    }

    /// An array by MuJoCo's name; the same array at every call. Plain fields are writable.
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = self.lock();
        if let Some((_, array)) = inner.handed.iter().find(|(n, _)| *n == name) {
            return Ok(array.bind(py).clone());
        }
        if let Some(known) = fields::PLAIN.iter().find(|n| **n == name) {
            let array = match fields::plain(&inner.model, name) {
                Some(Slice::F64(s, cols)) => to_array(py, s.to_vec(), cols)?,
                Some(Slice::F32(s, cols)) => to_array(py, s.to_vec(), cols)?,
                Some(Slice::I32(s, cols)) => to_array(py, s.to_vec(), cols)?,
                Some(Slice::Bool(s, cols)) => to_array(py, s.to_vec(), cols)?,
                None => return Err(PyAttributeError::new_err(format!("no field {name:?}"))),
            };
            inner.handed.push((known, array.clone().unbind()));
            return Ok(array);
        }
        match derived::field(&inner.model, name) {
            Some((values, cols)) => {
                let array = to_array(py, values, cols)?;
                array.getattr("flags")?.setattr("writeable", false)?;
                Ok(array)
            }
            None => Err(PyAttributeError::new_err(format!("no field {name:?}"))),
        }
    }

    /// Names of the array fields.
    #[staticmethod]
    fn field_names() -> Vec<&'static str> {
        fields::PLAIN.to_vec()
    }

    /// Value of an option by MuJoCo's name.
    fn option<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let model = self.current(py);
        let o = &model.options;
        Ok(match name {
            "timestep" => o.timestep.into_pyobject(py)?.into_any(),
            "impratio" => o.impratio.into_pyobject(py)?.into_any(),
            "tolerance" => o.tolerance.into_pyobject(py)?.into_any(),
            "ls_tolerance" => o.ls_tolerance.into_pyobject(py)?.into_any(),
            "noslip_tolerance" => o.noslip_tolerance.into_pyobject(py)?.into_any(),
            "ccd_tolerance" => o.ccd_tolerance.into_pyobject(py)?.into_any(),
            "sleep_tolerance" => o.sleep_tolerance.into_pyobject(py)?.into_any(),
            "density" => o.density.into_pyobject(py)?.into_any(),
            "viscosity" => o.viscosity.into_pyobject(py)?.into_any(),
            "o_margin" => o.override_margin.into_pyobject(py)?.into_any(),
            "integrator" => (o.integrator as i32).into_pyobject(py)?.into_any(),
            "cone" => (o.cone as i32).into_pyobject(py)?.into_any(),
            "jacobian" => (o.jacobian as i32).into_pyobject(py)?.into_any(),
            "solver" => (o.solver as i32).into_pyobject(py)?.into_any(),
            "iterations" => o.iterations.into_pyobject(py)?.into_any(),
            "ls_iterations" => o.ls_iterations.into_pyobject(py)?.into_any(),
            "noslip_iterations" => o.noslip_iterations.into_pyobject(py)?.into_any(),
            "ccd_iterations" => o.ccd_iterations.into_pyobject(py)?.into_any(),
            "sdf_initpoints" => o.sdf_init_points.into_pyobject(py)?.into_any(),
            "sdf_iterations" => o.sdf_iterations.into_pyobject(py)?.into_any(),
            "disableflags" => o.disable.0.into_pyobject(py)?.into_any(),
            "enableflags" => o.enable.0.into_pyobject(py)?.into_any(),
            "disableactuator" => o.disable_actuator_groups.into_pyobject(py)?.into_any(),
            _ => return Err(PyAttributeError::new_err(format!("no option {name:?}"))),
        })
    }

    /// Sets a scalar option by MuJoCo's name.
    fn set_option(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut options: Options = self.current(py).options.clone();
        set_option(&mut options, name, value)?;
        self.edit(py, |m| m.options = options);
        Ok(())
    }

    /// Value of a setting of the contact laws: a number or a word.
    fn setting<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let laws = self.current(py).options.laws;
        if let Some(word) = laws.word(name) {
            return Ok(word.into_pyobject(py)?.into_any());
        }
        match laws.number(name) {
            Some(number) => Ok(number.into_pyobject(py)?.into_any()),
            None => Err(PyKeyError::new_err(format!("no setting {name:?}; there are {}", setting_names().join(", ")))),
        }
    }

    /// Sets a setting of the contact laws by its name.
    fn set_setting(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut laws = self.current(py).options.laws;
        match value.extract::<String>() {
            Ok(word) => laws.set_word(name, &word),
            Err(_) => laws.set_number(name, value.extract()?),
        }
        .map_err(value_error)?;
        self.edit(py, |m| m.options.laws = laws);
        Ok(())
    }

    /// Names of the settings of the contact laws.
    #[staticmethod]
    fn setting_names() -> Vec<&'static str> {
        setting_names()
    }

    /// Statistics: meaninertia, meanmass, meansize, extent, center.
    fn statistic(&self) -> (f64, f64, f64, f64, [f64; 3]) {
        let s = self.lock().model.statistic;
        (s.mean_inertia, s.mean_mass, s.mean_size, s.extent, s.center.to_array())
    }

    fn names(&self, kind: i32) -> PyResult<Vec<String>> {
        let kind = ObjectKind::from_i32(kind).ok_or_else(|| value_error(format!("unknown object kind {kind}")))?;
        Ok(self.lock().model.names(kind).to_vec())
    }

    /// Id of the object with this name; None if there is none.
    fn find(&self, kind: i32, name: &str) -> Option<usize> {
        self.lock().model.find(ObjectKind::from_i32(kind)?, name)
    }

    /// Name of an object, empty if it has none; None if there is no such object.
    fn name_of(&self, kind: i32, id: isize) -> Option<String> {
        let inner = self.lock();
        inner.model.names(ObjectKind::from_i32(kind)?).get(usize::try_from(id).ok()?).cloned()
    }

    /// How many objects of a kind there are.
    fn count(&self, kind: i32) -> usize {
        ObjectKind::from_i32(kind).map_or(0, |kind| self.lock().model.names(kind).len())
    }

    fn text(&self, id: usize) -> PyResult<String> {
        self.lock().model.texts.data.get(id).cloned().ok_or_else(|| value_error(format!("no text {id}")))
    }
}

fn setting_names() -> Vec<&'static str> {
    LawOptions::WORDS.iter().map(|w| w.name).chain(LawOptions::NUMBERS.iter().map(|n| n.name)).collect()
}

fn set_option(o: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    macro_rules! choice {
        ($t:ty) => {{
            let n: i32 = value.extract()?;
            <$t>::from_i32(n).ok_or_else(|| value_error(format!("option {name}: no choice has the number {n}")))?
        }};
    }
    let finite = || -> PyResult<f64> {
        let x: f64 = value.extract()?;
        if x.is_finite() { Ok(x) } else { Err(value_error(format!("option {name} must be finite, not {x}"))) }
    };
    let positive = || -> PyResult<f64> {
        let x = finite()?;
        if x > 0.0 { Ok(x) } else { Err(value_error(format!("option {name} must be positive, not {x}"))) }
    };
    match name {
        "timestep" => o.timestep = positive()?,
        "impratio" => o.impratio = positive()?,
        "tolerance" => o.tolerance = finite()?,
        "ls_tolerance" => o.ls_tolerance = finite()?,
        "noslip_tolerance" => o.noslip_tolerance = finite()?,
        "ccd_tolerance" => o.ccd_tolerance = finite()?,
        "sleep_tolerance" => o.sleep_tolerance = finite()?,
        "density" => o.density = finite()?,
        "viscosity" => o.viscosity = finite()?,
        "o_margin" => o.override_margin = finite()?,
        "integrator" => o.integrator = choice!(Integrator),
        "cone" => o.cone = choice!(Cone),
        "jacobian" => o.jacobian = choice!(JacobianStorage),
        "solver" => o.solver = choice!(Solver),
        "iterations" => o.iterations = value.extract()?,
        "ls_iterations" => o.ls_iterations = value.extract()?,
        "noslip_iterations" => o.noslip_iterations = value.extract()?,
        "ccd_iterations" => o.ccd_iterations = value.extract()?,
        "sdf_initpoints" => o.sdf_init_points = value.extract()?,
        "sdf_iterations" => o.sdf_iterations = value.extract()?,
        "disableflags" => o.disable = Disable(value.extract()?),
        "enableflags" => {
            let flags = Enable(value.extract()?);
            if let Some(problem) = flags.unsupported() {
                return Err(PyValueError::new_err(format!("enableflags: {problem}")));
            }
            o.enable = flags;
        }
        "disableactuator" => o.disable_actuator_groups = value.extract()?,
        _ => return Err(PyAttributeError::new_err(format!("no option {name:?}"))),
    }
    Ok(())
}
