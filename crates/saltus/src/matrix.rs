//! The matrix type of results.

use core::ops::{Index, IndexMut};

/// A dense matrix in row-major order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, values: vec![0.0; rows * cols] }
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Row `i`. Panics if `i` is out of range.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }
    /// All numbers, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// All numbers, row by row.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
    /// The product with a vector. Panics if the length of the vector is not the number of columns.
    pub fn mul(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.cols, "expected a vector of length {}", self.cols);
        (0..self.rows).map(|i| self.row(i).iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.cols..(i + 1) * self.cols][j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.cols..(i + 1) * self.cols][j]
    }
}
