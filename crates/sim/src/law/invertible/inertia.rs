//! Operations on A = J M⁻¹ Jᵀ that the forward solver needs: products, and solutions of Newton's
//! equations.

use super::dense::Dense;
use super::response::Block;
use super::rows::Rows;

/// Access to A, as a matrix or by dofs.
pub trait Inertia {
    /// A_ii.
    fn diagonal(&self, row: usize) -> f64;
    /// y = A x.
    fn mul(&mut self, x: &[f64], y: &mut Vec<f64>);
    /// y = A x for an x that is nonzero only in rows of normals.
    fn mul_normals(&mut self, rows: &Rows, x: &[f64], y: &mut Vec<f64>);
    /// Factors 1 + Lᵀ (A + A G A) L; false if round-off makes it indefinite. L has a block per
    /// group; G is diagonal and nonzero only in rows of normals.
    fn factor(&mut self, rows: &Rows, L: &[Block], G: &[f64]) -> bool;
    /// y += (1 + Lᵀ (A + A G A) L)⁻¹ b, approximately.
    fn add_solution(&mut self, rows: &Rows, L: &[Block], b: &[f64], y: &mut [f64]);
}

/// A as a matrix.
#[derive(Clone, Debug, Default)]
pub struct DenseInertia {
    A: Dense,
    H: Dense,
    x: Vec<f64>,
}

impl DenseInertia {
    /// From A.
    pub fn new(A: Dense) -> Self {
        Self { A, ..Self::default() }
    }
}

impl Inertia for DenseInertia {
    fn diagonal(&self, row: usize) -> f64 {
        self.A.row(row)[row]
    }
    fn mul(&mut self, x: &[f64], y: &mut Vec<f64>) {
        self.A.mul(x, y);
    }
    fn mul_normals(&mut self, rows: &Rows, x: &[f64], y: &mut Vec<f64>) {
        self.A.mul_some(&rows.normals, x, y);
    }
    fn factor(&mut self, rows: &Rows, L: &[Block], G: &[f64]) -> bool {
        let n = rows.len();
        let H = &mut self.H;
        H.resize(n);
        for i in 0..n {
            H.row_mut(i)[..=i].copy_from_slice(&self.A.row(i)[..=i]);
        }
        // A G A, four normals at a time.
        H.add_squares(&self.A, rows.normals.iter().map(|&k| (k as usize, G[k as usize])));
        for i in 0..n {
            for j in i + 1..n {
                let value = H.row(j)[i];
                H.row_mut(i)[j] = value;
            }
        }
        // Lᵀ K L, first the columns, then the rows.
        for (group, L) in rows.groups.iter().zip(L) {
            let (start, dim) = (group.start as usize, group.dim as usize);
            for i in 0..n {
                let own = &mut H.row_mut(i)[start..start + dim];
                let old: [f64; 6] = core::array::from_fn(|k| own.get(k).copied().unwrap_or(0.0));
                for (c, own) in own.iter_mut().enumerate() {
                    *own = (0..dim).map(|k| old[k] * L[k][c]).sum();
                }
            }
        }
        for (group, L) in rows.groups.iter().zip(L) {
            let (start, dim) = (group.start as usize, group.dim as usize);
            for j in 0..n {
                let old: [f64; 6] = core::array::from_fn(|k| if k < dim { H.row(start + k)[j] } else { 0.0 });
                for c in 0..dim {
                    H.row_mut(start + c)[j] = (0..dim).map(|k| old[k] * L[k][c]).sum();
                }
            }
        }
        for i in 0..n {
            H.row_mut(i)[i] += 1.0;
        }
        H.factor().is_ok()
    }
    fn add_solution(&mut self, _: &Rows, _: &[Block], b: &[f64], y: &mut [f64]) {
        self.x.clear();
        self.x.extend_from_slice(b);
        self.H.solve(&mut self.x);
        y.iter_mut().zip(&self.x).for_each(|(y, x)| *y += x);
    }
}
