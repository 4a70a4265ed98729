//! The model behind `saltus.Model` and `saltus.mujoco.MjModel`.

use crate::error::value_error;
use crate::fields::{Shape, derived, model as fields, settable};
use crate::mirror::{Group, Mirror};
use crate::options;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use saltus::io::Source;
use saltus::sim::model::Statistic;
use saltus::sim::model::kinds::ObjectKind;
use saltus::sim::options::law::LawOptions;
use saltus::{LoadError, LoadOptions, Model, ModelSpec, Options, io};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

/// A compiled model. Immutable in the engine; what Python writes to its arrays is copied to it
/// before each use ([`Mirror`]).
#[pyclass(module = "saltus._saltus", frozen)]
#[derive(Debug)]
pub struct ModelCore {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    model: Arc<Model>,
    /// Writable arrays that Python holds.
    mirrors: Vec<Mirror>,
    /// Warnings of the reader.
    warnings: Vec<String>,
    /// The spec that the model was compiled from; `None` for binary models.
    spec: Option<Arc<ModelSpec>>,
}

impl ModelCore {
    /// The model of a spec.
    pub fn compiled(py: Python<'_>, spec: &Arc<ModelSpec>) -> PyResult<Self> {
        let model = py.detach(|| saltus::compile(spec)).map_err(value_error)?;
        Ok(Self::from_parts(model, spec.warnings.clone(), Some(spec.clone())))
    }

    /// A model without an editable form.
    pub fn new(model: Model) -> Self {
        Self::from_parts(model, Vec::new(), None)
    }

    fn from_parts(model: impl Into<Arc<Model>>, warnings: Vec<String>, spec: Option<Arc<ModelSpec>>) -> Self {
        Self { inner: Mutex::new(Inner { model: model.into(), mirrors: Vec::new(), warnings, spec }) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The model with all changes that Python made to its arrays.
    ///
    /// ValueError if a number is invalid; the engine's model does not change until it is corrected.
    pub fn current(&self, py: Python<'_>) -> PyResult<Arc<Model>> {
        self.updated(py, |_| true)
    }

    /// As [`current`](Self::current), without changes of fields that no step reads.
    pub fn for_step(&self, py: Python<'_>) -> PyResult<Arc<Model>> {
        self.updated(py, |mirror| mirror.group == Group::Dynamics)
    }

    /// The model for functions that use its structure only, without changes of arrays.
    pub fn structure(&self) -> Arc<Model> {
        self.lock().model.clone()
    }

    /// The writable array of a field.
    fn writable<'py>(&self, py: Python<'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
        let group = Group::of(&self.structure(), name);
        let part = {
            let Inner { model, mirrors, .. } = &mut *self.lock();
            if !mirrors.iter().any(|mirror| mirror.group == group) {
                mirrors.push(Mirror::new(py, model, group)?);
            }
            let mirror = mirrors.iter().find(|mirror| mirror.group == group);
            if let Some(view) = mirror.and_then(|mirror| mirror.view(py, name)) {
                return Ok(view.into_bound(py));
            }
            mirror.and_then(|mirror| mirror.part(py, model, name))
        };
        let part = part.ok_or_else(|| PyAttributeError::new_err(format!("no field {name:?}")))?;
        // Python code may run here, so that the model must not be locked.
        let view = part.view(py)?;
        let mirrors = &mut self.lock().mirrors;
        match mirrors.iter_mut().find(|mirror| mirror.group == group) {
            Some(mirror) => Ok(mirror.keep(py, part.name, view).into_bound(py)),
            None => Ok(view.into_bound(py)),
        }
    }

    fn updated(&self, py: Python<'_>, is_due: fn(&Mirror) -> bool) -> PyResult<Arc<Model>> {
        let Inner { model, mirrors, .. } = &mut *self.lock();
        for mirror in mirrors {
            if mirror.is_written || (is_due(mirror) && !matches!(mirror.group, Group::Large(_))) {
                mirror.write_to(py, model).map_err(value_error)?;
            }
        }
        Ok(model.clone())
    }

    /// Changes the model in place.
    pub fn edit(&self, py: Python<'_>, f: impl FnOnce(&mut Model)) -> PyResult<()> {
        self.current(py)?;
        let Inner { model, mirrors, .. } = &mut *self.lock();
        f(Arc::make_mut(model));
        // Arrays that Python holds follow the model.
        mirrors.iter_mut().for_each(|mirror| mirror.read_from(py, model));
        Ok(())
    }
}

fn to_array<'py, T: numpy::Element>(py: Python<'py>, values: Vec<T>, shape: Shape) -> PyResult<Bound<'py, PyAny>> {
    let dims = shape.dims(values.len());
    Ok(values.into_pyarray(py).reshape(dims)?.into_any())
}

#[pymethods]
impl ModelCore {
    /// Loads a model file.
    #[staticmethod]
    #[pyo3(signature = (path, floating_base=false, motors=false))]
    fn load(py: Python<'_>, path: PathBuf, floating_base: bool, motors: bool) -> PyResult<Self> {
        let options = LoadOptions { floating_base, motors };
        match py.detach(|| saltus::load_spec_with(&path, &options)) {
            Ok(spec) => Self::compiled(py, &Arc::new(spec)),
            Err(LoadError::NotEditable { .. }) => {
                let loaded = py.detach(|| saltus::load_with(&path, &options)).map_err(value_error)?;
                Ok(Self::from_parts(loaded.model, loaded.warnings, None))
            }
            Err(error) => Err(value_error(error)),
        }
    }

    /// Compiles model text. Files it names are looked up in `assets`, and then in the folder
    /// `files` if it is given.
    #[staticmethod]
    #[pyo3(signature = (xml, assets=None, floating_base=false, motors=false, files=None))]
    fn from_xml(
        py: Python<'_>,
        xml: &str,
        assets: Option<BTreeMap<String, Vec<u8>>>,
        floating_base: bool,
        motors: bool,
        files: Option<PathBuf>,
    ) -> PyResult<Self> {
        let assets = assets.unwrap_or_default();
        let options = LoadOptions { floating_base, motors };
        let spec = py.detach(|| {
            let mut spec = match &files {
                None => io::read_str(xml, &assets)?,
                Some(dir) => io::read_text(&Source::layered(&assets, dir), "", xml)?,
            };
            options.apply(&mut spec, "model")?;
            Ok(spec)
        });
        Self::compiled(py, &Arc::new(spec.map_err(|e: LoadError| value_error(e))?))
    }

    #[staticmethod]
    fn from_binary(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| io::binary::load(bytes)).map(Self::new).map_err(value_error)
    }

    fn to_binary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = self.current(py)?;
        let bytes = py.detach(|| io::binary::save(&model)).map_err(value_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self::from_parts(self.current(py)?, self.warnings(), self.lock().spec.clone()))
    }

    /// MJCF of the model as compiled, without later changes of arrays. None if it was loaded from a
    /// binary file.
    fn to_xml(&self) -> Option<String> {
        let spec = self.lock().spec.clone()?;
        Some(io::mjcf::write(&spec))
    }

    #[getter]
    fn name(&self) -> String {
        self.lock().model.name.clone()
    }

    /// Warnings of the reader.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.lock().warnings.clone()
    }

    /// Settings of `<visual>` in the model file, as text, by section.
    fn visual(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        self.lock().model.visual.clone()
    }

    /// A scalar size by MuJoCo's name.
    fn size(&self, name: &str) -> PyResult<usize> {
        derived::size(&self.lock().model, name).ok_or_else(|| PyAttributeError::new_err(format!("no size {name:?}")))
    }

    /// An array by MuJoCo's name; the same array at every call. Plain fields are writable.
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = writable(name) {
            return self.writable(py, known);
        }
        let derived = derived::field(&self.structure(), name);
        match derived {
            Some((values, cols)) => {
                let array = to_array(py, values, Shape::columns(cols))?;
                array.getattr("flags")?.setattr("writeable", false)?;
                Ok(array)
            }
            None => Err(PyAttributeError::new_err(format!("no field {name:?}"))),
        }
    }

    /// Says that Python wrote to the array of a large table.
    fn mark_written(&self, name: &str) {
        for mirror in &mut self.lock().mirrors {
            mirror.is_written |= matches!(mirror.group, Group::Large(large) if large == name);
        }
    }

    /// Whether a field is a large table, whose array numpy cannot write to.
    fn is_large(&self, name: &str) -> bool {
        writable(name).is_some_and(|name| matches!(Group::of(&self.structure(), name), Group::Large(_)))
    }

    /// Names of the array fields.
    #[staticmethod]
    fn field_names() -> Vec<&'static str> {
        fields::PLAIN.to_vec()
    }

    /// Names of read-only fields and of sizes.
    #[staticmethod]
    fn derived_names() -> Vec<&'static str> {
        derived::NAMES.split_whitespace().chain(derived::SIZES.split_whitespace()).collect()
    }

    /// Value of an option by MuJoCo's name.
    fn option<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        options::get(py, &self.lock().model.options, name)
    }

    /// Sets a scalar option by MuJoCo's name.
    fn set_option(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // With the arrays among the options, which therefore stay as they are.
        let mut changed: Options = self.current(py)?.options.clone();
        options::set(&mut changed, name, value)?;
        Arc::make_mut(&mut self.lock().model).options = changed;
        Ok(())
    }

    /// Value of a setting of the contact laws: a number or a word.
    fn setting<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let laws = self.lock().model.options.laws;
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
        let mut laws = self.current(py)?.options.laws;
        match value.extract::<String>() {
            Ok(word) => laws.set_word(name, &word),
            Err(_) => laws.set_number(name, value.extract()?),
        }
        .map_err(value_error)?;
        self.edit(py, |m| m.options.laws = laws)
    }

    /// Names of the settings of the contact laws.
    #[staticmethod]
    fn setting_names() -> Vec<&'static str> {
        setting_names()
    }

    /// A scalar statistic by MuJoCo's name.
    fn statistic(&self, name: &str) -> PyResult<f64> {
        let mut all = self.lock().model.statistic;
        statistic(&mut all, name).map(|x| *x)
    }

    fn set_statistic(&self, py: Python<'_>, name: &str, value: f64) -> PyResult<()> {
        if !value.is_finite() {
            return Err(value_error(format!("statistic {name} must be finite, not {value}")));
        }
        let mut changed = self.current(py)?.statistic;
        *statistic(&mut changed, name)? = value;
        self.edit(py, |m| m.statistic = changed)
    }

    fn names(&self, kind: i32) -> PyResult<Vec<String>> {
        let kind = ObjectKind::from_i32(kind).ok_or_else(|| value_error(format!("unknown object kind {kind}")))?;
        Ok(self.lock().model.names(kind).to_vec())
    }

    /// Id of the object with this name; None if there is none.
    fn find(&self, kind: i32, name: &str) -> Option<usize> {
        self.lock().model.find(ObjectKind::from_i32(kind)?, name)
    }

    /// The error message for a name that `find` does not find, with suggestions.
    fn no_such(&self, kind: i32, name: &str) -> String {
        let kind = ObjectKind::from_i32(kind).unwrap_or(ObjectKind::Unknown);
        self.lock().model.no_such(kind, name).to_string()
    }

    /// Name of an object, empty if it has none; None if the object does not exist.
    fn name_of(&self, kind: i32, id: isize) -> Option<String> {
        let inner = self.lock();
        inner.model.names(ObjectKind::from_i32(kind)?).get(usize::try_from(id).ok()?).cloned()
    }

    /// How many objects of a kind there are.
    fn count(&self, kind: i32) -> usize {
        ObjectKind::from_i32(kind).map_or(0, |kind| self.lock().model.names(kind).len())
    }

    fn text(&self, id: usize) -> PyResult<String> {
        self.lock().model.texts.data.get(id).cloned().ok_or_else(|| value_error(format!("there is no text {id}")))
    }
}

/// The name of a field whose array can be written.
fn writable(name: &str) -> Option<&'static str> {
    fields::PLAIN.iter().chain(settable::NAMES).find(|known| **known == name).copied()
}

fn statistic<'a>(s: &'a mut Statistic, name: &str) -> PyResult<&'a mut f64> {
    Ok(match name {
        "meaninertia" => &mut s.mean_inertia,
        "meanmass" => &mut s.mean_mass,
        "meansize" => &mut s.mean_size,
        "extent" => &mut s.extent,
        _ => return Err(PyAttributeError::new_err(format!("no statistic {name:?}"))),
    })
}

fn setting_names() -> Vec<&'static str> {
    LawOptions::WORDS.iter().map(|w| w.name).chain(LawOptions::NUMBERS.iter().map(|n| n.name)).collect()
}
