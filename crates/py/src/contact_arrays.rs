//! Contacts as the arrays that Python holds.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use saltus::math::{Mat3, Vec3};
use saltus::sim::data::Contact;

/// Numbers of a contact in the order of `saltus._contacts`, and whole numbers.
const NUMBERS: usize = 69;
const WHOLE: usize = 11;

pub type Arrays = (Py<PyArray2<f64>>, Py<PyArray2<i32>>);

/// Contacts as arrays.
pub fn read(py: Python<'_>, list: &[Contact]) -> PyResult<Arrays> {
    let (mut numbers, mut whole) = (Vec::with_capacity(list.len() * NUMBERS), Vec::with_capacity(list.len() * WHOLE));
    for (k, c) in list.iter().enumerate() {
        numbers.push(c.dist);
        numbers.extend(c.pos.to_array());
        [c.frame.r0, c.frame.r1, c.frame.r2].iter().for_each(|row| numbers.extend(row.to_array()));
        numbers.push(c.include_margin);
        numbers.extend(c.friction);
        numbers.extend(c.solref);
        numbers.extend(c.solref_friction);
        numbers.extend(c.solimp);
        numbers.push(c.adhesion);
        numbers.extend(c.surface_velocity);
        numbers.push(c.mu);
        // The Hessian of the cone, which no solver here keeps.
        numbers.resize((k + 1) * NUMBERS, 0.0);
        whole.extend([i32::from(c.dim), c.geom1.0 as i32, c.geom2.0 as i32]);
        // Parts of deformables, which there are none of.
        whole.extend([-1; 6]);
        whole.extend([i32::from(c.in_gap), c.first_row]);
    }
    let numbers = PyArray1::from_vec(py, numbers).reshape([list.len(), NUMBERS])?;
    let whole = PyArray1::from_vec(py, whole).reshape([list.len(), WHOLE])?;
    Ok((numbers.unbind(), whole.unbind()))
}

/// Copies what may be changed between collision detection and the making of constraints from arrays
/// to contacts.
pub fn write(py: Python<'_>, (numbers, _): &Arrays, contacts: &mut [Contact]) -> PyResult<()> {
    let numbers = numbers.bind(py).try_readonly()?;
    for (c, x) in contacts.iter_mut().zip(numbers.as_slice()?.chunks_exact(NUMBERS)) {
        let vector = |at: usize| Vec3::from_slice(&x[at..at + 3]);
        c.dist = x[0];
        c.pos = vector(1);
        c.frame = Mat3 { r0: vector(4), r1: vector(7), r2: vector(10) };
        c.include_margin = x[13];
        c.friction.copy_from_slice(&x[14..19]);
        c.solref.copy_from_slice(&x[19..21]);
        c.solref_friction.copy_from_slice(&x[21..23]);
        c.solimp.copy_from_slice(&x[23..28]);
        c.adhesion = x[28];
        c.surface_velocity.copy_from_slice(&x[29..32]);
    }
    Ok(())
}
