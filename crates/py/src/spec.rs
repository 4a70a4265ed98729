//! Editable models: Python holds them as a tree of its own, and gives and takes them as JSON.

use crate::model::ModelCore;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saltus::ModelSpec;
use saltus::io::{self, Source};
use saltus::math::{Quat, Vec3};
use saltus::sim::model::kinds::{ObjectKind, SensorKind};
use saltus::sim::model::spec::{
    ActuatorDefault, Affix, BodySpec, CameraSpec, EqualityKind, EqualitySpec, ExcludeSpec, GeomSpec, HfieldSpec,
    InertialSpec, JointSpec, KeySpec, LightSpec, MaterialSpec, MeshSpec, NumericSpec, PairSpec, Pose, SensorSpec,
    SiteSpec, SpecBody, TendonPath, TendonSpec, TextSpec, TextureSpec, TupleSpec,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn value_error(e: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(e.to_string())
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(value_error)
}

/// The spec of a text. Parents come before their children.
fn parse(text: &str) -> PyResult<ModelSpec> {
    let spec: ModelSpec = serde_json::from_str(text).map_err(value_error)?;
    let is_tree = spec.bodies.iter().enumerate().all(|(i, body)| i == 0 || body.parent.0 < i);
    if spec.bodies.is_empty() || !is_tree {
        return Err(value_error("the first body is the world, and parents come before their children"));
    }
    Ok(spec)
}

/// An empty spec.
#[pyfunction]
pub fn new_spec(name: &str) -> PyResult<String> {
    json(&ModelSpec::new(name))
}

/// Reads a model file.
#[pyfunction]
pub fn load_spec(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    json(&py.detach(|| saltus::load_spec(&path)).map_err(value_error)?)
}

/// Reads model text. Files it names are looked up in `assets`, and then in the folder `files` if it is given.
#[pyfunction]
pub fn read_spec(
    py: Python<'_>,
    xml: &str,
    assets: BTreeMap<String, Vec<u8>>,
    files: Option<PathBuf>,
) -> PyResult<String> {
    let source = match files {
        None => Source::memory(&assets),
        Some(dir) => Source::layered(&assets, dir),
    };
    json(&py.detach(|| io::read_text(&source, "", xml)).map_err(value_error)?)
}

#[pyfunction]
pub fn compile_spec(py: Python<'_>, text: &str) -> PyResult<ModelCore> {
    let spec = parse(text)?;
    ModelCore::compiled(py, spec)
}

/// The spec as MJCF.
#[pyfunction]
pub fn write_spec(text: &str) -> PyResult<String> {
    Ok(io::mjcf::write(&parse(text)?))
}

/// The spec with another one attached to a body at a pose: one of its bodies, or all that its world holds.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn attach_spec(
    text: &str,
    child: &str,
    parent: usize,
    body: Option<&str>,
    pos: [f64; 3],
    quat: [f64; 4],
    prefix: String,
    suffix: String,
) -> PyResult<String> {
    let (mut spec, child) = (parse(text)?, parse(child)?);
    let pose = Pose::new(Vec3::from_array(pos), Quat::from_slice(&quat));
    spec.attach(SpecBody(parent), pose, &child, body, &Affix { prefix, suffix }).map_err(value_error)?;
    json(&spec)
}

/// An element of a kind as a new one is.
#[pyfunction]
pub fn new_element(kind: &str) -> PyResult<String> {
    match kind {
        "body" => json(&BodySpec::default()),
        "inertial" => {
            json(&InertialSpec { mass: 0.0, pos: Vec3::ZERO, quat: Quat::IDENTITY, diag: Vec3::ZERO, full: None })
        }
        "joint" => json(&JointSpec::default()),
        "geom" => json(&GeomSpec::default()),
        "site" => json(&SiteSpec::default()),
        "camera" => json(&CameraSpec::default()),
        "light" => json(&LightSpec::default()),
        "mesh" => json(&MeshSpec::default()),
        "hfield" => json(&HfieldSpec::default()),
        "texture" => json(&TextureSpec::default()),
        "material" => json(&MaterialSpec::default()),
        "pair" => json(&PairSpec::default()),
        "exclude" => json(&ExcludeSpec::default()),
        "equality" => {
            json(&EqualitySpec::new(EqualityKind::ConnectSites { site1: String::new(), site2: String::new() }))
        }
        "tendon" => json(&TendonSpec::new("", TendonPath::Fixed(Vec::new()))),
        "actuator" => json(&ActuatorDefault::default().spec),
        "sensor" => json(&SensorSpec::new(SensorKind::Clock, ObjectKind::Unknown, "")),
        "numeric" => json(&NumericSpec::default()),
        "text" => json(&TextSpec::default()),
        "tuple" => json(&TupleSpec::default()),
        "key" => json(&KeySpec::default()),
        _ => Err(value_error(format!("no element is a {kind:?}"))),
    }
}
