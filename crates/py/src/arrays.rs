//! Arrays of a model that Python holds: detection of changes, checks of written values, and copies
//! both ways.

use crate::fields::{Slice, SliceMut, derived, model as fields, settable};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use saltus::Model;
use saltus::sim::model::kinds::WrapKind;

/// Whether an array differs from the model's field. An array that is the output of the call under
/// way counts as equal: the next call sees what was written to it.
pub fn differs(model: &Model, name: &str, array: &Bound<'_, PyAny>) -> bool {
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
        None => derived::field(model, name).is_some_and(|(s, _)| compare!(i32, s)),
    }
}

/// Copies an array into the model's field.
pub fn write(model: &mut Model, name: &str, array: &Bound<'_, PyAny>) {
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
        None => _ = integers(array).is_some_and(|values| settable::set(model, name, &values)),
    }
    if name == "mesh_vert" {
        // Hulls are searched by tables that have copies of the corners.
        model.index_hulls();
    }
}

/// Copies the model's field into an array.
pub fn read(model: &Model, name: &str, array: &Bound<'_, PyAny>) {
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
        None => {
            if let Some((s, _)) = derived::field(model, name) {
                copy!(i32, &s);
            }
        }
    }
}

fn integers(array: &Bound<'_, PyAny>) -> Option<Vec<i32>> {
    let array = array.cast::<PyArrayDyn<i32>>().ok()?.try_readonly().ok()?;
    array.as_slice().ok().map(<[i32]>::to_vec)
}

/// Whether the numbers of an array make sense in the model's field: those that the engine relies
/// on.
pub fn check(model: &Model, name: &str, array: &Bound<'_, PyAny>) -> Result<(), String> {
    let mut trial = Model::clone(model);
    if settable::NAMES.contains(&name) {
        let values = integers(array).unwrap_or_default();
        if !settable::set(&mut trial, name, &values) {
            return Err(format!("{name}: a number is none of the choices"));
        }
        return trial.validate().map_err(|e| format!("{name}: {e}"));
    }
    write(&mut trial, name, array);
    let numbers = |values: &[f64], ok: fn(&f64) -> bool, expected: &str| match values.iter().position(|x| !ok(x)) {
        None => Ok(()),
        Some(i) => Err(format!("{name}: {} at index {i} should be {expected}", values[i])),
    };
    match (name, fields::plain(&trial, name)) {
        ("geom_condim" | "pair_dim", Some(Slice::I32(values, _))) => {
            match values.iter().find(|d| !matches!(d, 1 | 3 | 4 | 6)) {
                None => Ok(()),
                Some(d) => Err(format!("{name}: the dimension of a contact is 1, 3, 4 or 6, not {d}")),
            }
        }
        ("geom_size" | "site_size" | "geom_rbound", Some(Slice::F64(values, _))) => {
            numbers(values, |x| *x >= 0.0, "zero or more")
        }
        ("hfield_size", Some(Slice::F64(values, _))) => numbers(values, |x| *x > 0.0, "positive"),
        ("wrap_prm", Some(Slice::F64(values, _))) => {
            // Of the shapes that a tendon wraps around it is a site, or nothing if it is negative.
            let sites = model.nsite() as f64;
            let is_shape = |i: usize| matches!(model.wraps.kind[i], WrapKind::Sphere | WrapKind::Cylinder);
            match (0..values.len()).find(|&i| is_shape(i) && values[i] >= sites) {
                None => Ok(()),
                Some(i) => Err(format!("{name}: {} at index {i} is no site: the model has {sites}", values[i])),
            }
        }
        ("sensor_intprm", _) => trial.validate_sensors().map_err(|e| format!("{name}: {e}")),
        _ => Ok(()),
    }
}

/// Whether the numbers of a field are checked before the engine sees them.
pub fn is_checked(name: &str) -> bool {
    CHECKED.contains(&name) || settable::NAMES.contains(&name)
}

const CHECKED: &[&str] =
    &["geom_condim", "pair_dim", "geom_size", "site_size", "geom_rbound", "hfield_size", "wrap_prm", "sensor_intprm"];
