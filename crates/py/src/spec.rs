//! Editable models on their way between Python, which holds them as a tree of its own, and the
//! engine.

use crate::error::value_error;
use crate::model::ModelCore;
use crate::objects::{from_python, to_python};
use pyo3::prelude::*;
use saltus::io::{self, Source};
use saltus::math::{Quat, Vec3};
use saltus::sim::model::kinds::{ObjectKind, SensorKind};
use saltus::sim::model::spec::{
    ActuatorDefault, Affix, BodySpec, CameraSpec, EqualityKind, EqualitySpec, ExcludeSpec, GeomSpec, HfieldSpec,
    InertialSpec, JointSpec, KeySpec, LightSpec, MaterialSpec, MeshSpec, NumericSpec, PairSpec, Pose, SensorSpec,
    SiteSpec, SpecBody, TendonPath, TendonSpec, TextSpec, TextureSpec, TupleSpec,
};
use saltus::{LoadOptions, ModelSpec};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// An editable model. It does not change: Python edits the tree, and makes another one of it.
#[pyclass(module = "saltus._saltus", frozen)]
#[derive(Debug)]
pub struct SpecCore {
    spec: Arc<ModelSpec>,
}

impl SpecCore {
    fn new(spec: ModelSpec) -> Self {
        Self { spec: Arc::new(spec) }
    }
}

#[pymethods]
impl SpecCore {
    /// An empty spec.
    #[staticmethod]
    fn empty(name: &str) -> Self {
        Self::new(ModelSpec::new(name))
    }

    /// Reads a model file.
    #[staticmethod]
    #[pyo3(signature = (path, floating_base=false, motors=false))]
    fn load(py: Python<'_>, path: PathBuf, floating_base: bool, motors: bool) -> PyResult<Self> {
        let options = LoadOptions { floating_base, motors };
        py.detach(|| saltus::load_spec_with(&path, &options)).map(Self::new).map_err(value_error)
    }

    /// Reads model text. Files it names are looked up in `assets`, and then in the folder `files`
    /// if it is given.
    #[staticmethod]
    fn read(py: Python<'_>, xml: &str, assets: BTreeMap<String, Vec<u8>>, files: Option<PathBuf>) -> PyResult<Self> {
        let source = match files {
            None => Source::memory(&assets),
            Some(dir) => Source::layered(&assets, dir),
        };
        py.detach(|| io::read_text(&source, "", xml)).map(Self::new).map_err(value_error)
    }

    /// The spec of a tree as returned by [`tree`](Self::tree).
    #[staticmethod]
    fn of(tree: &Bound<'_, PyAny>) -> PyResult<Self> {
        let spec: ModelSpec = from_python(tree).map_err(value_error)?;
        let is_tree = spec.bodies.iter().enumerate().all(|(i, body)| i == 0 || body.parent.0 < i);
        if spec.bodies.is_empty() || !is_tree {
            return Err(value_error("the first body must be the world, and parents must come before their children"));
        }
        Ok(Self::new(spec))
    }

    /// The spec as dictionaries, lists and arrays.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &*self.spec)
    }

    /// The compiled model.
    fn compile(&self, py: Python<'_>) -> PyResult<ModelCore> {
        ModelCore::compiled(py, &self.spec)
    }

    /// The spec as MJCF.
    fn to_xml(&self) -> String {
        io::mjcf::write(&self.spec)
    }

    /// The spec with another one attached to a body at a pose: one of its bodies, or all that its
    /// world holds.
    #[allow(clippy::too_many_arguments)]
    fn attached(
        &self,
        child: &SpecCore,
        parent: usize,
        body: Option<&str>,
        pos: [f64; 3],
        quat: [f64; 4],
        prefix: String,
        suffix: String,
    ) -> PyResult<Self> {
        let mut spec = ModelSpec::clone(&self.spec);
        let pose = Pose::new(Vec3::from_array(pos), Quat::from_slice(&quat));
        spec.attach(SpecBody(parent), pose, &child.spec, body, &Affix { prefix, suffix }).map_err(value_error)?;
        Ok(Self::new(spec))
    }

    /// The spec without a body and everything that depends on it, and the former indices of the
    /// remaining elements.
    fn without<'py>(&self, py: Python<'py>, body: usize) -> PyResult<(Self, Bound<'py, PyAny>)> {
        let mut spec = ModelSpec::clone(&self.spec);
        let remaining = spec.delete_body(SpecBody(body));
        Ok((Self::new(spec), object(py, &remaining)?))
    }
}

fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, value).map_err(value_error)
}

/// An element of a kind as a new one is: a dictionary.
#[pyfunction]
pub fn new_element<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
    match kind {
        "body" => object(py, &BodySpec::default()),
        "inertial" => {
            let (pos, quat, diag) = (Vec3::ZERO, Quat::IDENTITY, Vec3::ZERO);
            object(py, &InertialSpec { mass: 0.0, pos, quat, diag, full: None })
        }
        "joint" => object(py, &JointSpec::default()),
        "geom" => object(py, &GeomSpec::default()),
        "site" => object(py, &SiteSpec::default()),
        "camera" => object(py, &CameraSpec::default()),
        "light" => object(py, &LightSpec::default()),
        "mesh" => object(py, &MeshSpec::default()),
        "hfield" => object(py, &HfieldSpec::default()),
        "texture" => object(py, &TextureSpec::default()),
        "material" => object(py, &MaterialSpec::default()),
        "pair" => object(py, &PairSpec::default()),
        "exclude" => object(py, &ExcludeSpec::default()),
        "equality" => {
            let sites = EqualityKind::ConnectSites { site1: String::new(), site2: String::new() };
            object(py, &EqualitySpec::new(sites))
        }
        "tendon" => object(py, &TendonSpec::new("", TendonPath::Fixed(Vec::new()))),
        "actuator" => object(py, &ActuatorDefault::default().spec),
        "sensor" => object(py, &SensorSpec::new(SensorKind::Clock, ObjectKind::Unknown, "")),
        "numeric" => object(py, &NumericSpec::default()),
        "text" => object(py, &TextSpec::default()),
        "tuple" => object(py, &TupleSpec::default()),
        "key" => object(py, &KeySpec::default()),
        _ => Err(value_error(format!("unknown kind of element {kind:?}"))),
    }
}
