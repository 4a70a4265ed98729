//! Checks of arguments from Python.

use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use saltus::Model;
use saltus::sim::ids::BodyId;

pub type Readonly<'py> = PyReadonlyArrayDyn<'py, f64>;
pub type Readwrite<'py> = PyReadwriteArrayDyn<'py, f64>;

/// The numbers of a C-contiguous array of `len` numbers.
pub fn numbers<'a>(array: &'a Readonly<'_>, len: usize, what: &str) -> PyResult<&'a [f64]> {
    check_layout(array, what)?;
    let slice = array.as_slice()?;
    check_len(slice.len(), len, what)?;
    Ok(slice)
}
pub fn numbers_mut<'a>(array: &'a mut Readwrite<'_>, len: usize, what: &str) -> PyResult<&'a mut [f64]> {
    check_layout(array, what)?;
    let slice = array.as_slice_mut()?;
    check_len(slice.len(), len, what)?;
    Ok(slice)
}
/// Fortran order is contiguous too, and would be read transposed.
pub fn check_layout(array: &Bound<'_, PyArrayDyn<f64>>, what: &str) -> PyResult<()> {
    if array.is_c_contiguous() { Ok(()) } else { Err(PyTypeError::new_err(format!("{what} should be C-contiguous"))) }
}
pub fn check_len(have: usize, want: usize, what: &str) -> PyResult<()> {
    if have == want {
        Ok(())
    } else {
        Err(PyTypeError::new_err(format!("{what} should have {want} numbers, not {have}")))
    }
}
pub fn body_id(model: &Model, body: usize) -> PyResult<BodyId> {
    if body < model.nbody() {
        Ok(BodyId::new(body))
    } else {
        Err(PyIndexError::new_err(format!("no body {body}: the model has {}", model.nbody())))
    }
}
