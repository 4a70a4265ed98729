//! Contacts as arrays; rays and distances.

use crate::data::DataCore;
use crate::model::ModelCore;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use saltus::math::{Mat3, Vec3};
use saltus::sim::collide::{self, RayFilter};
use saltus::sim::constraint;
use saltus::sim::data::Contact;
use saltus::sim::ids::{BodyId, GeomId};
use saltus::sim::model::kinds::GeomShape;
use saltus::sim::sensor;

/// Sets `dict[name]` to one row of `N` numbers per contact, or to a vector if `N` is 1.
fn column<'py, T: Element, const N: usize>(
    dict: &Bound<'py, PyDict>,
    contacts: &[Contact],
    name: &str,
    row: impl Fn(&Contact) -> [T; N],
) -> PyResult<()> {
    let values: Vec<T> = contacts.iter().flat_map(row).collect();
    let array = PyArray1::from_vec(dict.py(), values);
    if N == 1 { dict.set_item(name, array) } else { dict.set_item(name, array.reshape([contacts.len(), N])?) }
}

/// All contacts: arrays under MuJoCo's names, one row per contact; the same ones until the engine next changes the data.
#[pyfunction]
pub fn contacts<'py>(py: Python<'py>, data: &mut DataCore) -> PyResult<Bound<'py, PyDict>> {
    data.contact_arrays(py)
}

/// Contacts as arrays under MuJoCo's names.
pub fn read<'py>(py: Python<'py>, list: &[Contact]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    column(&dict, list, "dist", |c| [c.dist])?;
    column(&dict, list, "pos", |c| c.pos.to_array())?;
    column(&dict, list, "frame", |c| {
        let [a, b, c] = [c.frame.r0, c.frame.r1, c.frame.r2];
        [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
    })?;
    column(&dict, list, "includemargin", |c| [c.include_margin])?;
    column(&dict, list, "friction", |c| c.friction)?;
    column(&dict, list, "solref", |c| c.solref)?;
    column(&dict, list, "solreffriction", |c| c.solref_friction)?;
    column(&dict, list, "solimp", |c| c.solimp)?;
    column(&dict, list, "adhesion", |c| [c.adhesion])?;
    column(&dict, list, "surfacevel", |c| c.surface_velocity)?;
    column(&dict, list, "dim", |c| [i32::from(c.dim)])?;
    column(&dict, list, "geom", |c| [c.geom1.0 as i32, c.geom2.0 as i32])?;
    column(&dict, list, "mu", |c| [c.mu])?;
    column(&dict, list, "efc_address", |c| [c.first_row])?;
    column(&dict, list, "exclude", |c| [i32::from(c.in_gap)])?;
    // Of deformables, and of a solver that keeps the Hessians of cones: there are none here.
    for name in ["flex", "elem", "vert"] {
        column(&dict, list, name, |_| [-1; 2])?;
    }
    column(&dict, list, "H", |_| [0.0; 36])?;
    Ok(dict)
}

/// Copies what may be changed between collision detection and the making of constraints from arrays to contacts.
pub fn write(arrays: &Bound<'_, PyDict>, contacts: &mut [Contact]) -> PyResult<()> {
    rows(arrays, "dist", contacts, |c, [x]| c.dist = x)?;
    rows(arrays, "pos", contacts, |c, x| c.pos = Vec3::from_array(x))?;
    rows(arrays, "frame", contacts, |c, x: [f64; 9]| {
        let row = |i: usize| Vec3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        c.frame = Mat3 { r0: row(0), r1: row(1), r2: row(2) };
    })?;
    rows(arrays, "includemargin", contacts, |c, [x]| c.include_margin = x)?;
    rows(arrays, "friction", contacts, |c, x| c.friction = x)?;
    rows(arrays, "solref", contacts, |c, x| c.solref = x)?;
    rows(arrays, "solreffriction", contacts, |c, x| c.solref_friction = x)?;
    rows(arrays, "solimp", contacts, |c, x| c.solimp = x)?;
    rows(arrays, "adhesion", contacts, |c, [x]| c.adhesion = x)?;
    rows(arrays, "surfacevel", contacts, |c, x| c.surface_velocity = x)
}

/// Gives `set` each contact and its row of an array.
fn rows<const N: usize>(
    arrays: &Bound<'_, PyDict>,
    name: &str,
    contacts: &mut [Contact],
    set: impl Fn(&mut Contact, [f64; N]),
) -> PyResult<()> {
    let Some(array) = arrays.get_item(name)? else { return Ok(()) };
    let array = array.cast_into::<PyArrayDyn<f64>>()?;
    let array = array.try_readonly()?;
    let (chunks, _) = array.as_slice()?.as_chunks::<N>();
    contacts.iter_mut().zip(chunks).for_each(|(contact, row)| set(contact, *row));
    Ok(())
}

/// Force and torque of a contact in its frame.
#[pyfunction]
pub fn contact_force(data: &DataCore, contact: usize) -> PyResult<[f64; 6]> {
    match data.data.contacts.get(contact) {
        Some(c) => Ok(constraint::contact_force(&data.data, c)),
        None => Err(PyIndexError::new_err(format!("no contact {contact}: there are {}", data.data.contacts.len()))),
    }
}

/// Nearest geom on a ray: parameter, geom and normal; −1, −1 and zeros if there is none.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
#[pyo3(signature = (model, data, point, vector, groups=None, skip_static=false, exclude=-1))]
pub fn ray(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    point: [f64; 3],
    vector: [f64; 3],
    groups: Option<[bool; 6]>,
    skip_static: bool,
    exclude: i64,
) -> PyResult<(f64, i64, [f64; 3])> {
    let model = model.current(py)?;
    data.check(&model)?;
    let exclude = usize::try_from(exclude).ok().map(BodyId::new);
    let filter = RayFilter { groups, skip_static, exclude };
    let hit = collide::ray(&model, &data.data, Vec3::from_array(point), Vec3::from_array(vector), &filter);
    Ok(hit.map_or((-1.0, -1, [0.0; 3]), |(geom, h)| (h.t, i64::from(geom.0), h.normal.to_array())))
}

type RayHit = (f64, [f64; 3]);

fn ray_hit(hit: Option<collide::Hit>) -> RayHit {
    hit.map_or((-1.0, [0.0; 3]), |h| (h.t, h.normal.to_array()))
}

/// Where a ray meets one geom: parameter and normal; −1 and zeros if it does not.
#[pyfunction]
pub fn ray_geom(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    geom: usize,
    point: [f64; 3],
    vector: [f64; 3],
) -> PyResult<RayHit> {
    let model = model.current(py)?;
    data.check(&model)?;
    let geom = GeomId::new(geom);
    Ok(ray_hit(collide::ray_geom(&model, &data.data, geom, Vec3::from_array(point), Vec3::from_array(vector))))
}

fn shape(kind: i32) -> PyResult<GeomShape> {
    GeomShape::from_i32(kind).ok_or_else(|| PyValueError::new_err(format!("no shape has the number {kind}")))
}

/// Where a ray, in the frame of a shape that is no mesh or height field, meets it; as [`ray_geom`].
#[pyfunction]
pub fn ray_shape(kind: i32, size: [f64; 3], point: [f64; 3], vector: [f64; 3]) -> PyResult<RayHit> {
    let [size, point, vector] = [size, point, vector].map(Vec3::from_array);
    Ok(ray_hit(collide::ray_primitive(shape(kind)?, size, point, vector)))
}

/// Whether a point, in the frame of a shape that is no mesh or height field, lies in it.
#[pyfunction]
pub fn is_inside(kind: i32, size: [f64; 3], point: [f64; 3]) -> PyResult<bool> {
    Ok(sensor::is_inside(shape(kind)?, size, Vec3::from_array(point)))
}

/// Distance and nearest points.
type Nearest = (f64, [f64; 3], [f64; 3]);

/// Distance between two geoms and the segment between their nearest points; nothing if it is not below `limit`.
#[pyfunction]
pub fn geom_distance(
    py: Python<'_>,
    model: &ModelCore,
    data: &DataCore,
    geom1: usize,
    geom2: usize,
    limit: f64,
) -> PyResult<Option<Nearest>> {
    let model = model.current(py)?;
    data.check(&model)?;
    if geom1 >= model.ngeom() || geom2 >= model.ngeom() {
        let message = format!("no geom {}: the model has {}", geom1.max(geom2), model.ngeom());
        return Err(PyIndexError::new_err(message));
    }
    let found = collide::geom_distance(&model, &data.data, GeomId::new(geom1), GeomId::new(geom2), limit);
    Ok(found.map(|d| (d.dist, d.from.to_array(), d.to.to_array())))
}
