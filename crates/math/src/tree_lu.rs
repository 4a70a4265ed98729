//! Tree-sparse matrices that are not symmetric, and their factorization without fill-in.
//!
//! The pattern is that of [`ldl`](crate::ldl), taken both below and above the diagonal. Rows are
//! eliminated from the last up, A = U L with U unit upper triangular: as for the symmetric factors,
//! a row updates rows of ancestors only.

use crate::ldl::TreePattern;

/// A square matrix with a tree's sparsity. Position k of row i holds entry (i, j) in `lower` and
/// entry (j, i) in `upper`, j the column at k; diagonal entries are in `lower`, and those of
/// `upper` are unused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeMatrix {
    /// Below the diagonal, and the diagonal · by rows of the pattern.
    pub lower: Vec<f64>,
    /// Above the diagonal: where `lower` has (i, j), this has (j, i).
    pub upper: Vec<f64>,
}

impl TreeMatrix {
    /// Zero, of the pattern's size. Keeps its memory.
    pub fn reset(&mut self, pattern: &TreePattern) {
        for x in [&mut self.lower, &mut self.upper] {
            x.clear();
            x.resize(pattern.nnz(), 0.0);
        }
    }

    /// A += weight · rᵀ r inside the pattern, r sparse with ascending columns.
    pub fn add_outer(&mut self, pattern: &TreePattern, weight: f64, cols: &[u32], values: &[f64]) {
        for (&i, &ri) in cols.iter().zip(values) {
            if ri == 0.0 {
                continue;
            }
            let row = pattern.range(i as usize);
            // Both column lists ascend: merge them.
            let mut k = row.start;
            for (&j, &rj) in cols.iter().zip(values) {
                while k < row.end && pattern.col[k] < j {
                    k += 1;
                }
                if k < row.end && pattern.col[k] == j {
                    self.lower[k] += weight * ri * rj;
                    self.upper[k] += weight * ri * rj;
                }
            }
        }
    }

    /// Replaces A by its factors; `pivot_inv` receives the inverse pivots. Returns the index of the
    /// last pivot of a magnitude below `min_pivot`, which is replaced by `min_pivot`, if there is
    /// one.
    pub fn factor(&mut self, pattern: &TreePattern, pivot_inv: &mut [f64], min_pivot: f64) -> Option<usize> {
        let mut bad = None;
        for i in (0..pattern.len()).rev() {
            let range = pattern.range(i);
            let diag = range.end - 1;
            let (lower_above, lower) = self.lower.split_at_mut(range.start);
            let (upper_above, upper) = self.upper.split_at_mut(range.start);
            let n = range.len() - 1;
            let pivot = &mut lower[n];
            if pivot.abs() < min_pivot || pivot.is_nan() {
                *pivot = min_pivot;
                bad = Some(i);
            }
            let inv = 1.0 / *pivot;
            pivot_inv[i] = inv;
            upper[..n].iter_mut().for_each(|u| *u *= inv);
            for k in 0..n {
                let row = pattern.range(pattern.col[range.start + k] as usize);
                let (u, l) = (upper[k], lower[k]);
                for (target, l) in lower_above[row.clone()].iter_mut().zip(&lower[..=k]) {
                    *target -= u * l;
                }
                for (target, u) in upper_above[row].iter_mut().zip(&upper[..k]) {
                    *target -= u * l;
                }
            }
            debug_assert_eq!(diag - range.start, n);
        }
        bad
    }

    /// x ← A⁻¹ x from the factors.
    pub fn solve(&self, pattern: &TreePattern, pivot_inv: &[f64], x: &mut [f64]) {
        for i in (0..pattern.len()).rev() {
            let (range, xi) = (pattern.row_start[i] as usize..pattern.diag(i), x[i]);
            for (&u, &j) in self.upper[range.clone()].iter().zip(&pattern.col[range]) {
                x[j as usize] -= u * xi;
            }
        }
        for i in 0..pattern.len() {
            let range = pattern.row_start[i] as usize..pattern.diag(i);
            let sum: f64 =
                self.lower[range.clone()].iter().zip(&pattern.col[range]).map(|(&l, &j)| l * x[j as usize]).sum();
            x[i] = (x[i] - sum) * pivot_inv[i];
        }
    }

    /// y = A x.
    pub fn mul(&self, pattern: &TreePattern, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for i in 0..pattern.len() {
            let mut yi = y[i] + self.lower[pattern.diag(i)] * x[i];
            for k in pattern.row_start[i] as usize..pattern.diag(i) {
                let j = pattern.col[k] as usize;
                yi += self.lower[k] * x[j];
                y[j] += self.upper[k] * x[i];
            }
            y[i] = yi;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (TreePattern, TreeMatrix) {
        let parent =
            [None, Some(0), Some(1), Some(1), Some(3), Some(0), None, None, Some(7), Some(8), Some(9), Some(10)];
        let pattern = TreePattern::new(&parent, &[false; 12]);
        let mut a = TreeMatrix::default();
        a.reset(&pattern);
        for i in 0..pattern.len() {
            for k in pattern.range(i) {
                a.lower[k] = if k == pattern.diag(i) { 6.0 + i as f64 } else { (k as f64).sin() };
                a.upper[k] = (2.0 * k as f64).cos();
            }
        }
        (pattern, a)
    }

    #[test]
    fn factors_solve_what_the_matrix_multiplies() {
        let (pattern, a) = example();
        let n = pattern.len();
        let x: Vec<f64> = (0..n).map(|i| (i as f64 + 0.3).cos()).collect();
        let (mut y, mut factors, mut inv) = (vec![0.0; n], a.clone(), vec![0.0; n]);
        a.mul(&pattern, &x, &mut y);
        // Entry by entry, against the definition of the storage.
        let mut dense = vec![0.0; n * n];
        for i in 0..n {
            for k in pattern.range(i) {
                let j = pattern.col[k] as usize;
                dense[j * n + i] = a.upper[k];
                dense[i * n + j] = a.lower[k];
            }
        }
        for i in 0..n {
            let row: f64 = (0..n).map(|j| dense[i * n + j] * x[j]).sum();
            assert!((row - y[i]).abs() < 1e-13, "{i}");
        }
        assert_eq!(factors.factor(&pattern, &mut inv, 1e-15), None);
        factors.solve(&pattern, &inv, &mut y);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-13), "{x:?} {y:?}");
    }

    #[test]
    fn outer_products_stay_inside_the_pattern() {
        let (pattern, mut a) = example();
        a.reset(&pattern);
        // 2 and 4 are on different branches below 1.
        a.add_outer(&pattern, 2.0, &[1, 2, 4], &[1.0, 3.0, 5.0]);
        let at = |i: usize, j: u32| pattern.range(i).find(|&k| pattern.col[k] == j);
        assert_eq!(at(4, 2), None);
        assert_eq!(a.lower[at(4, 1).unwrap()], 10.0);
        assert_eq!(a.upper[at(2, 1).unwrap()], 6.0);
        assert_eq!(a.lower[pattern.diag(4)], 50.0);
        assert_eq!(a.lower.iter().filter(|x| **x != 0.0).count(), 5);
    }

    #[test]
    fn a_vanishing_pivot_is_reported_and_replaced() {
        let (pattern, mut a) = example();
        a.lower[pattern.diag(11)] = 0.0;
        let mut inv = vec![0.0; 12];
        assert_eq!(a.factor(&pattern, &mut inv, 0.5), Some(11));
        assert_eq!(inv[11], 2.0);
    }
}
