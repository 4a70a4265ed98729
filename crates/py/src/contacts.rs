//! Contacts as arrays; rays and distances.

use crate::data::DataCore;
use crate::model::ModelCore;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use saltus::math::Vec3;
use saltus::sim::collide::{self, RayFilter};
use saltus::sim::constraint;
use saltus::sim::data::Contact;
use saltus::sim::ids::{BodyId, GeomId};

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

/// All contacts: arrays under MuJoCo's names, one row per contact (copies).
#[pyfunction]
pub fn contacts<'py>(py: Python<'py>, data: &DataCore) -> PyResult<Bound<'py, PyDict>> {
    let list = &data.data.contacts;
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
    Ok(dict)
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
    let model = model.current(py);
    data.check(&model)?;
    let exclude = usize::try_from(exclude).ok().map(BodyId::new);
    let filter = RayFilter { groups, skip_static, exclude };
    let hit = collide::ray(&model, &data.data, Vec3::from_array(point), Vec3::from_array(vector), &filter);
    Ok(hit.map_or((-1.0, -1, [0.0; 3]), |(geom, h)| (h.t, i64::from(geom.0), h.normal.to_array())))
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
    let model = model.current(py);
    data.check(&model)?;
    if geom1 >= model.ngeom() || geom2 >= model.ngeom() {
        let message = format!("no geom {}: the model has {}", geom1.max(geom2), model.ngeom());
        return Err(PyIndexError::new_err(message));
    }
    let found = collide::geom_distance(&model, &data.data, GeomId::new(geom1), GeomId::new(geom2), limit);
    Ok(found.map(|d| (d.dist, d.from.to_array(), d.to.to_array())))
}
