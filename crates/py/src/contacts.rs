//! Contacts as arrays.

use crate::data::DataCore;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use saltus::sim::data::Contact;

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
    column(&dict, list, "exclude", |c| [i32::from(c.in_gap)])?;
    Ok(dict)
}
