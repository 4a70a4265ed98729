//! Rank-one terms on top of a factored matrix: the correction (2) of [`inertia`](super).

use super::{Term, Terms};
use crate::model::Model;
use saltus_math::{cholesky, ldl};

/// Factors of 1 + U P⁻¹ Uᵀ, dense, and P⁻¹ Uᵀ.
#[derive(Clone, Debug, Default)]
pub(super) struct Woodbury {
    count: usize,
    nv: usize,
    /// Rows of U P⁻¹ · count × nv.
    rows: Vec<f64>,
    /// Lower Cholesky factor, by rows · count × count.
    factor: Vec<f64>,
    /// Right-hand side and solution · count.
    right: Vec<f64>,
}

/// √w r · x.
fn project(term: Term, x: &[f64]) -> f64 {
    term.weight.sqrt() * term.project(x)
}

impl Woodbury {
    /// For terms on top of the matrix that has the factors `LD` and `D_inv`.
    pub fn factor(&mut self, model: &Model, terms: &Terms, LD: &[f64], D_inv: &[f64]) {
        (self.count, self.nv) = (terms.len(), model.size.nv);
        let (n, nv) = (self.count, self.nv);
        self.rows.clear();
        self.rows.resize(n * nv, 0.0);
        self.factor.clear();
        self.factor.resize(n * n, 0.0);
        self.right.resize(n, 0.0);
        for (term, row) in terms.iter().zip(self.rows.chunks_exact_mut(nv.max(1))) {
            for (&i, r) in term.cols.iter().zip(term.values) {
                row[i as usize] += term.weight.sqrt() * r;
            }
            ldl::solve(&model.mass_pattern, LD, D_inv, row);
        }
        for i in 0..n {
            for j in 0..=i {
                let product = project(terms.get(j), &self.rows[i * nv..(i + 1) * nv]);
                self.factor[i * n + j] = product + f64::from(u8::from(i == j));
            }
        }
        // 1 plus something positive: all pivots are at least 1 up to round-off.
        cholesky::factor(n, n, &mut self.factor, 0.5);
    }

    /// From y = P⁻¹ b to (P + Uᵀ U)⁻¹ b.
    pub fn correct(&mut self, terms: &Terms, y: &mut [f64]) {
        let (n, nv) = (self.count, self.nv);
        for (right, term) in self.right.iter_mut().zip(terms.iter()) {
            *right = project(term, y);
        }
        cholesky::solve(n, n, &self.factor, &mut self.right);
        for (row, z) in self.rows.chunks_exact(nv.max(1)).zip(&self.right) {
            y.iter_mut().zip(row).for_each(|(y, r)| *y -= z * r);
        }
    }
}
