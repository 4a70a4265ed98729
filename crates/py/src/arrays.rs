//! Fields of a model as bytes, and checks of the numbers that Python writes to them.

use crate::fields::{Shape, Slice, SliceMut, derived, model as fields, settable};
use bytemuck::{AnyBitPattern, cast_slice, cast_slice_mut, pod_read_unaligned};
use saltus::Model;
use saltus::sim::model::kinds::WrapKind;
use std::borrow::Cow;

/// The numbers of a field; none if there is no such field.
pub fn contents<'a>(model: &'a Model, name: &str) -> Cow<'a, [u8]> {
    match fields::plain(model, name) {
        Some(Slice::F64(s, _)) => cast_slice(s).into(),
        Some(Slice::F32(s, _)) => cast_slice(s).into(),
        Some(Slice::I32(s, _)) => cast_slice(s).into(),
        Some(Slice::Bool(s, _)) => cast_slice(s).into(),
        None => derived::field(model, name).map_or(Cow::default(), |(s, _)| cast_slice(&s).to_vec().into()),
    }
}

/// Type and shape of a field's array.
pub fn layout(model: &Model, name: &str) -> (&'static str, Shape) {
    match fields::plain(model, name) {
        Some(Slice::F64(_, shape)) => ("float64", shape),
        Some(Slice::F32(_, shape)) => ("float32", shape),
        Some(Slice::I32(_, shape)) => ("int32", shape),
        Some(Slice::Bool(_, shape)) => ("bool", shape),
        None => ("int32", derived::field(model, name).map_or(Shape::Vector, |(_, columns)| Shape::columns(columns))),
    }
}

/// Copies numbers that were checked into the model's field.
pub fn write(model: &mut Model, name: &str, bytes: &[u8]) {
    match fields::plain_mut(model, name) {
        Some(SliceMut::F64(s)) => cast_slice_mut(s).copy_from_slice(bytes),
        Some(SliceMut::F32(s)) => cast_slice_mut(s).copy_from_slice(bytes),
        Some(SliceMut::I32(s)) => cast_slice_mut(s).copy_from_slice(bytes),
        Some(SliceMut::Bool(s)) => s.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from != 0),
        None => _ = settable::set(model, name, &numbers::<i32>(bytes)),
    }
    if name == "mesh_vert" {
        // Hulls are searched by tables that have copies of the corners.
        model.index_hulls();
    }
}

fn numbers<T: AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(pod_read_unaligned).collect()
}

/// Whether the numbers make sense in the model's field: those that the engine relies on, and no
/// number that is none.
pub fn check(model: &Model, name: &str, bytes: &[u8]) -> Result<(), String> {
    match fields::plain(model, name) {
        Some(Slice::F64(_, shape)) => check_numbers(model, name, shape, &numbers::<f64>(bytes)),
        Some(Slice::F32(_, shape)) => {
            let values: Vec<f64> = numbers::<f32>(bytes).into_iter().map(f64::from).collect();
            check_numbers(model, name, shape, &values)
        }
        Some(Slice::I32(..)) => check_integers(model, name, bytes),
        Some(Slice::Bool(..)) => Ok(()),
        None => {
            let mut trial = Model::clone(model);
            if !settable::set(&mut trial, name, &numbers::<i32>(bytes)) {
                return Err(format!("{name}: a number is none of the choices"));
            }
            trial.validate().map_err(|e| format!("{name}: {e}"))
        }
    }
}

fn check_integers(model: &Model, name: &str, bytes: &[u8]) -> Result<(), String> {
    match name {
        "geom_condim" | "pair_dim" => {
            let values: Vec<i32> = numbers(bytes);
            match values.iter().find(|d| !matches!(d, 1 | 3 | 4 | 6)) {
                None => Ok(()),
                Some(d) => Err(format!("{name}: the dimension of a contact is 1, 3, 4 or 6, not {d}")),
            }
        }
        "sensor_intprm" => {
            let mut trial = Model::clone(model);
            write(&mut trial, name, bytes);
            trial.validate_sensors().map_err(|e| format!("{name}: {e}"))
        }
        _ => Ok(()),
    }
}

fn check_numbers(model: &Model, name: &str, shape: Shape, values: &[f64]) -> Result<(), String> {
    let all = |ok: fn(f64) -> bool, expected: &str| match values.iter().position(|&x| !ok(x)) {
        None => Ok(()),
        Some(i) => Err(format!("{name}: {} at index {} should be {expected}", values[i], index(shape, i))),
    };
    match name {
        "geom_size" | "site_size" | "geom_rbound" => all(|x| x.is_finite() && x >= 0.0, "zero or more"),
        "hfield_size" => all(|x| x.is_finite() && x > 0.0, "positive"),
        "wrap_prm" => {
            // Of the shapes that a tendon wraps around it is a site, or nothing if it is negative.
            let sites = model.nsite() as f64;
            let is_shape = |i: usize| matches!(model.wraps.kind[i], WrapKind::Sphere | WrapKind::Cylinder);
            if let Some(i) = (0..values.len()).find(|&i| is_shape(i) && values[i] >= sites) {
                return Err(format!("{name}: {} at index {i} is no site: the model has {sites}", values[i]));
            }
            all(f64::is_finite, "finite")
        }
        // An end of a range may be open; keyframes and user data are numbers that no step reads.
        _ if name.ends_with("range") || name.ends_with("_cutoff") => all(|x| !x.is_nan(), "a number"),
        _ if name.ends_with("_user") || name.starts_with("numeric_") => Ok(()),
        _ => all(f64::is_finite, "finite"),
    }
}

/// The index of a number in an array of this shape.
fn index(shape: Shape, i: usize) -> String {
    match shape {
        Shape::Vector => i.to_string(),
        Shape::Rows(columns) | Shape::Table(_, columns) => format!("[{}, {}]", i / columns, i % columns),
    }
}
