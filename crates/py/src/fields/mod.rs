//! Names, shapes and memory of the fields that Python sees under MuJoCo's names.

pub mod data;
pub mod derived;
pub mod model;

/// Memory of a field and the number of columns per row (0: one number per row, a one-dimensional array).
#[derive(Clone, Copy, Debug)]
pub enum Slice<'a> {
    F64(&'a [f64], usize),
    F32(&'a [f32], usize),
    I32(&'a [i32], usize),
    Bool(&'a [bool], usize),
}

/// The same, to write.
#[derive(Debug)]
pub enum SliceMut<'a> {
    F64(&'a mut [f64]),
    F32(&'a mut [f32]),
    I32(&'a mut [i32]),
    Bool(&'a mut [bool]),
}

/// Shape of an array of `len` numbers with `cols` columns.
pub fn shape(len: usize, cols: usize) -> Vec<usize> {
    len.checked_div(cols).map_or_else(|| vec![len], |rows| vec![rows, cols])
}
