//! Scalar forces: f along the row J of a length, as a function of a few scalars that depend on q, v
//! and a.
//!
//! τ += Jᵀ f, so that ID changes by −J ∂f − f ∂J. All matrices are dense and row-major, all rows
//! sparse.

use super::sweep::Matrices;

/// A sparse row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub cols: &'a [u32],
    pub values: &'a [f64],
}

impl<'a> Row<'a> {
    pub fn new(cols: &'a [u32], values: &'a [f64]) -> Self {
        Self { cols, values }
    }
    pub fn dot(&self, x: &[f64]) -> f64 {
        self.cols.iter().zip(self.values).map(|(&c, v)| v * x[c as usize]).sum()
    }
}

/// matrix += scale · rowᵀ column.
pub(super) fn add_outer(matrix: &mut [f64], nv: usize, scale: f64, row: Row<'_>, column: Row<'_>) {
    if scale == 0.0 {
        return;
    }
    for (&i, x) in row.cols.iter().zip(row.values) {
        let line = &mut matrix[i as usize * nv..(i as usize + 1) * nv];
        let x = scale * x;
        for (&j, y) in column.cols.iter().zip(column.values) {
            line[j as usize] += x * y;
        }
    }
}

/// −∂f with respect to length, velocity J v and acceleration J a.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stiffness {
    pub length: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

impl Stiffness {
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
    pub fn add(&mut self, scale: f64, other: Stiffness) {
        self.length += scale * other.length;
        self.velocity += scale * other.velocity;
        self.acceleration += scale * other.acceleration;
    }
    /// Adds the contribution of the force to ID along a row that does not depend on q.
    pub fn add_constant_row(&self, J: Row<'_>, nv: usize, out: &mut Matrices) {
        add_outer(&mut out.q, nv, self.length, J, J);
        add_outer(&mut out.v, nv, self.velocity, J, J);
        add_outer(&mut out.a, nv, self.acceleration, J, J);
    }
}
