//! Names, shapes and memory of the fields that Python sees under MuJoCo's names.

pub mod data;
pub mod derived;
pub mod model;
pub mod settable;

/// Memory of a field and its shape.
#[derive(Clone, Copy, Debug)]
pub enum Slice<'a> {
    F64(&'a [f64], Shape),
    F32(&'a [f32], Shape),
    I32(&'a [i32], Shape),
    Bool(&'a [bool], Shape),
}

/// Shape of a field.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Vector,
    /// Rows of this many columns, as many as there are numbers for.
    Rows(usize),
    /// Rows and columns, either of which may be zero.
    Table(usize, usize),
}

impl Shape {
    /// Rows of `n` columns; a vector if that is 0.
    pub const fn columns(n: usize) -> Self {
        if n == 0 { Self::Vector } else { Self::Rows(n) }
    }

    /// Dimensions of an array of `len` numbers.
    pub fn dims(self, len: usize) -> Vec<usize> {
        match self {
            Self::Vector => vec![len],
            Self::Rows(columns) => vec![len / columns, columns],
            Self::Table(rows, columns) => vec![rows, columns],
        }
    }
}

/// The same, to write.
#[derive(Debug)]
pub enum SliceMut<'a> {
    F64(&'a mut [f64]),
    F32(&'a mut [f32]),
    I32(&'a mut [i32]),
    Bool(&'a mut [bool]),
}
