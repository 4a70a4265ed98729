//! Rank-one terms on top of a factored matrix: the correction (2) of [`discrete`](super::discrete).

use crate::data::Metric;
use crate::model::Model;
use saltus_math::{cholesky, ldl};

/// Factors of 1 + U P⁻¹ Uᵀ, dense, and P⁻¹ Uᵀ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Woodbury {
    count: usize,
    nv: usize,
    /// Rows of U P⁻¹ · count × nv.
    rows: Vec<f64>,
    /// Lower Cholesky factor, by rows · count × count.
    factor: Vec<f64>,
    right: Vec<f64>,
}

/// √w r · x for a term.
fn project(metric: &Metric, k: usize, x: &[f64]) -> f64 {
    let term = &metric.terms[k];
    let span = term.span.range();
    let sum: f64 = metric.col[span.clone()].iter().zip(&metric.value[span]).map(|(&i, r)| r * x[i as usize]).sum();
    term.weight.sqrt() * sum
}

impl Woodbury {
    /// For the terms of a metric whose other part is factored.
    pub fn factor(&mut self, model: &Model, metric: &Metric) {
        (self.count, self.nv) = (metric.terms.len(), model.size.nv);
        let (n, nv) = (self.count, self.nv);
        self.rows.clear();
        self.rows.resize(n * nv, 0.0);
        self.factor.clear();
        self.factor.resize(n * n, 0.0);
        self.right.resize(n, 0.0);
        for (term, row) in metric.terms.iter().zip(self.rows.chunks_exact_mut(nv.max(1))) {
            let span = term.span.range();
            for (&i, r) in metric.col[span.clone()].iter().zip(&metric.value[span]) {
                row[i as usize] += term.weight.sqrt() * r;
            }
            ldl::solve(&model.mass_pattern, &metric.LD, &metric.D_inv, row);
        }
        for i in 0..n {
            for j in 0..=i {
                let product = project(metric, j, &self.rows[i * nv..(i + 1) * nv]);
                self.factor[i * n + j] = product + f64::from(u8::from(i == j));
            }
        }
        // 1 plus something positive: all pivots are at least 1 up to round-off.
        cholesky::factor(n, n, &mut self.factor, 0.5);
    }

    /// From y = P⁻¹ b to (P + Uᵀ U)⁻¹ b.
    pub fn correct(&mut self, metric: &Metric, y: &mut [f64]) {
        let (n, nv) = (self.count, self.nv);
        for i in 0..n {
            self.right[i] = project(metric, i, y);
        }
        cholesky::solve(n, n, &self.factor, &mut self.right);
        for (row, z) in self.rows.chunks_exact(nv.max(1)).zip(&self.right) {
            y.iter_mut().zip(row).for_each(|(y, r)| *y -= z * r);
        }
    }
}
