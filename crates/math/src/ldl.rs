//! Tree-sparse factorization M = Lᵀ D L without fill-in [Featherstone2008, §6.5].
//!
//! M is symmetric; only the lower triangle is stored, by rows. Row i holds the columns of i's
//! ancestors in ascending order and ends with the diagonal. Because the ancestors of an ancestor
//! are a prefix of one's own, the update of row j by row i is an axpy of a prefix: contiguous and
//! vectorizable. Cost O(Σ depth²).

use crate::kernel::subtract_rows;
use core::ops::Range;

/// Sparsity of a tree-structured symmetric matrix, lower triangle by rows.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TreePattern {
    /// First entry of each row, and the total count at the end (n + 1).
    pub row_start: Vec<u32>,
    /// Column of each entry; the last of a row is its diagonal.
    pub col: Vec<u32>,
}

impl TreePattern {
    /// Pattern from each row's parent row (`None`: a root). Rows flagged in `diagonal` get their
    /// diagonal only.
    pub fn new(parent: &[Option<u32>], diagonal: &[bool]) -> Self {
        let mut pattern = Self::default();
        let parents = parent.iter().zip(diagonal).map(|(&p, &diagonal)| if diagonal { None } else { p });
        pattern.rebuild(parents);
        pattern
    }
    /// Replaces the pattern by that of these parents, in place: without allocation if it was as
    /// large before.
    pub fn rebuild(&mut self, parent: impl Iterator<Item = Option<u32>>) {
        self.row_start.clear();
        self.col.clear();
        self.row_start.push(0);
        for (i, p) in parent.enumerate() {
            if let Some(p) = p {
                let range = self.range(p as usize);
                self.col.extend_from_within(range);
            }
            self.col.push(i as u32);
            self.row_start.push(self.col.len() as u32);
        }
    }
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.row_start.len().saturating_sub(1)
    }
    /// Whether there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Number of stored entries.
    #[inline]
    pub fn nnz(&self) -> usize {
        self.col.len()
    }
    /// Entries of row `i`.
    #[inline]
    pub fn range(&self, i: usize) -> Range<usize> {
        self.row_start[i] as usize..self.row_start[i + 1] as usize
    }
    /// Position of the diagonal entry of row `i`.
    #[inline]
    pub fn diag(&self, i: usize) -> usize {
        self.row_start[i + 1] as usize - 1
    }
}

/// Replaces M in `a` by its factors: the unit lower triangular L off the diagonal, D on it. `d_inv`
/// receives 1/D. Returns the index of the first pivot below `min_pivot`, which is replaced by
/// `min_pivot`, if there is one.
///
/// Rows are eliminated from the last up. A row and its parent just above it (the normal case along
/// a chain) are eliminated together, which halves the traffic to the rows that they update.
pub fn factor(pattern: &TreePattern, a: &mut [f64], d_inv: &mut [f64], min_pivot: f64) -> Option<usize> {
    let mut bad = None;
    let mut pivot = |i: usize, value: &mut f64| {
        if *value < min_pivot || value.is_nan() {
            *value = min_pivot;
            bad = Some(i);
        }
        1.0 / *value
    };
    let mut end = pattern.len();
    while end > 0 {
        let i = end - 1;
        let range = pattern.range(i);
        let len = range.len();
        let has_parent_above = i > 0 && len > 1 && pattern.col[range.end - 2] as usize == i - 1;
        if has_parent_above && pattern.range(i - 1).len() == len - 1 {
            let (upper, rows) = a[..range.end].split_at_mut(range.start + 1 - len);
            let (first, second) = rows.split_at_mut(len - 1);
            let inv2 = pivot(i, &mut second[len - 1]);
            subtract_rows(first, [second[len - 2] * inv2], [&second[..len - 1]]);
            let inv1 = pivot(i - 1, &mut first[len - 2]);
            (d_inv[i], d_inv[i - 1]) = (inv2, inv1);
            for k in (0..len - 2).rev() {
                let target = &mut upper[pattern.range(pattern.col[range.start + k] as usize)];
                subtract_rows(target, [first[k] * inv1, second[k] * inv2], [&first[..=k], &second[..=k]]);
            }
            first[..len - 2].iter_mut().for_each(|x| *x *= inv1);
            second[..len - 1].iter_mut().for_each(|x| *x *= inv2);
            end -= 2;
        } else {
            let (upper, row) = a[..range.end].split_at_mut(range.start);
            let inv = pivot(i, &mut row[len - 1]);
            d_inv[i] = inv;
            for k in (0..len - 1).rev() {
                let target = &mut upper[pattern.range(pattern.col[range.start + k] as usize)];
                subtract_rows(target, [row[k] * inv], [&row[..=k]]);
            }
            row[..len - 1].iter_mut().for_each(|x| *x *= inv);
            end -= 1;
        }
    }
    bad
}

/// x ← M⁻¹ x from the factors: solve Lᵀ y = x backward, scale by 1/D, solve L x = y forward.
pub fn solve(pattern: &TreePattern, ld: &[f64], d_inv: &[f64], x: &mut [f64]) {
    solve_rows(pattern, ld, d_inv, 0..pattern.len(), x);
}

/// [`solve`] for the rows of whole trees; `x` starts at the first of them.
pub fn solve_rows(pattern: &TreePattern, ld: &[f64], d_inv: &[f64], rows: Range<usize>, x: &mut [f64]) {
    let base = rows.start;
    for i in rows.clone().rev() {
        let xi = x[i - base];
        if xi == 0.0 {
            continue;
        }
        let (start, diag) = (pattern.row_start[i] as usize, pattern.row_start[i + 1] as usize - 1);
        for (&l, &j) in ld[start..diag].iter().zip(&pattern.col[start..diag]) {
            x[j as usize - base] -= l * xi;
        }
    }
    for (x, d) in x.iter_mut().zip(&d_inv[rows.clone()]) {
        *x *= d;
    }
    for i in rows {
        let (start, diag) = (pattern.row_start[i] as usize, pattern.row_start[i + 1] as usize - 1);
        let (l, col) = (ld[start..diag].chunks_exact(4), pattern.col[start..diag].chunks_exact(4));
        let tail: f64 = l.remainder().iter().zip(col.remainder()).map(|(l, &j)| l * x[j as usize - base]).sum();
        // Four sums side by side: one alone would wait for each addition.
        let mut sum = [0.0; 4];
        for (l, c) in l.zip(col) {
            for k in 0..4 {
                sum[k] += l[k] * x[c[k] as usize - base];
            }
        }
        x[i - base] -= (sum[0] + sum[1]) + (sum[2] + sum[3]) + tail;
    }
}

/// y = M x for the stored lower triangle.
pub fn mul(pattern: &TreePattern, a: &[f64], x: &[f64], y: &mut [f64]) {
    mul_rows(pattern, a, 0..pattern.len(), x, y);
}

/// [`mul`] for the rows of whole trees; `x` and `y` start at the first of them.
pub fn mul_rows(pattern: &TreePattern, a: &[f64], rows: Range<usize>, x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    let base = rows.start;
    for i in rows {
        let (start, diag) = (pattern.row_start[i] as usize, pattern.row_start[i + 1] as usize - 1);
        let xi = x[i - base];
        let mut yi = y[i - base] + a[diag] * xi;
        for (&m, &j) in a[start..diag].iter().zip(&pattern.col[start..diag]) {
            yi += m * x[j as usize - base];
            y[j as usize - base] += m * xi;
        }
        y[i - base] = yi;
    }
}

/// Writes the symmetric matrix into `dense`, row major, n × n.
pub fn to_dense(pattern: &TreePattern, a: &[f64], dense: &mut [f64]) {
    let n = pattern.len();
    dense.fill(0.0);
    for i in 0..n {
        for k in pattern.range(i) {
            let j = pattern.col[k] as usize;
            dense[i * n + j] = a[k];
            dense[j * n + i] = a[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern with branches, roots and a diagonal-only row, and a positive definite matrix on
    /// it.
    fn example() -> (TreePattern, Vec<f64>) {
        let parent =
            [None, Some(0), Some(1), Some(1), Some(3), Some(0), None, None, Some(7), Some(8), Some(9), Some(10)];
        let mut diagonal = [false; 12];
        diagonal[6] = true;
        let pattern = TreePattern::new(&parent, &diagonal);
        let mut a = vec![0.0; pattern.nnz()];
        for i in 0..pattern.len() {
            for k in pattern.range(i) {
                a[k] = if k == pattern.diag(i) { 6.0 + i as f64 } else { (k as f64).sin() };
            }
        }
        (pattern, a)
    }

    fn dense(pattern: &TreePattern, a: &[f64]) -> Vec<f64> {
        let mut m = vec![0.0; pattern.len() * pattern.len()];
        to_dense(pattern, a, &mut m);
        m
    }

    #[test]
    fn rows_hold_the_ancestors() {
        let (pattern, _) = example();
        assert_eq!(pattern.col[pattern.range(4)], [0, 1, 3, 4]);
        assert_eq!(pattern.col[pattern.range(5)], [0, 5]);
        assert_eq!(pattern.col[pattern.range(6)], [6]);
        assert_eq!(pattern.col[pattern.range(11)], [7, 8, 9, 10, 11]);
        assert_eq!((pattern.len(), pattern.is_empty()), (12, false));
    }

    #[test]
    fn factors_multiply_to_the_matrix_and_solve_it() {
        let (pattern, a) = example();
        let n = pattern.len();
        let (mut ld, mut d_inv) = (a.clone(), vec![0.0; n]);
        assert_eq!(factor(&pattern, &mut ld, &mut d_inv, 1e-15), None);
        let (m, f) = (dense(&pattern, &a), dense(&pattern, &ld));
        for i in 0..n {
            for j in 0..n {
                let l = |k: usize, i: usize| {
                    if k == i {
                        1.0
                    } else if k > i {
                        f[k * n + i]
                    } else {
                        0.0
                    }
                };
                let product: f64 = (0..n).map(|k| l(k, i) * f[k * n + k] * l(k, j)).sum();
                assert!((product - m[i * n + j]).abs() < 1e-13, "{i} {j}");
            }
        }
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut y = vec![0.0; n];
        mul(&pattern, &a, &x, &mut y);
        for i in 0..n {
            let row: f64 = (0..n).map(|j| m[i * n + j] * x[j]).sum();
            assert!((y[i] - row).abs() < 1e-13);
        }
        solve(&pattern, &ld, &d_inv, &mut y);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-14));
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_reported_and_replaced() {
        let (pattern, mut a) = example();
        a[pattern.diag(11)] = -1.0;
        let mut d_inv = vec![0.0; 12];
        assert_eq!(factor(&pattern, &mut a, &mut d_inv, 0.5), Some(11));
        assert_eq!(a[pattern.diag(11)], 0.5);
        assert!(d_inv.iter().all(|d| d.is_finite()));
    }
}
