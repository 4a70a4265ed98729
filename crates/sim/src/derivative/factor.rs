//! Factorization, from the leaves to the roots, of matrices with the sparsity of a tree and
//! possibly a few couplings.
//!
//! A = U D L, U and L with unit diagonals: dof n − 1 is eliminated first. For a tree there is no
//! fill; if A is also symmetric, U = Lᵀ by `saltus_math::ldl`. For other matrices the nonzero
//! entries are located, including the fill from contacts between branches. Right-hand sides are
//! stored by rows, so that all inner loops are over contiguous numbers, four at a time.

use core::ops::Range;
use saltus_math::ldl::{self, TreePattern};

/// U, D and L.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    n: usize,
    /// 1 / D.
    inverse: Vec<f64>,
    /// Entries of L in row i < n, with their columns: from i n on.
    left: Vec<(u32, f64)>,
    left_count: Vec<u32>,
    /// Entries of U in row j, with their columns: from j n on.
    right: Vec<(u32, f64)>,
    right_count: Vec<u32>,
    /// The remaining Schur complement of A, rows in blocks of four; or the factors of a tree.
    work: Vec<[f64; 4]>,
    tree: Vec<f64>,
    index: Vec<u32>,
    /// A group of columns of a right-hand side.
    packed: Vec<[f64; 4]>,
}

impl Factor {
    fn resize(&mut self, n: usize) {
        self.n = n;
        self.inverse.resize(n, 0.0);
        for (entries, count) in [(&mut self.left, &mut self.left_count), (&mut self.right, &mut self.right_count)] {
            entries.resize(n * n, (0, 0.0));
            count.clear();
            count.resize(n, 0);
        }
    }

    /// Factors a positive definite matrix whose lower triangle is `A` in the pattern of a tree.
    /// False if it is singular.
    pub fn factor_tree(&mut self, tree: &TreePattern, A: &[f64]) -> bool {
        let n = tree.len();
        self.resize(n);
        self.tree.clear();
        self.tree.extend_from_slice(A);
        let bad = ldl::factor(tree, &mut self.tree, &mut self.inverse, f64::MIN_POSITIVE);
        for i in 0..n {
            let row = tree.range(i);
            let above = row.start..row.end - 1;
            self.left_count[i] = above.len() as u32;
            let left = &mut self.left[i * n..][..above.len()];
            for ((entry, &j), &l) in left.iter_mut().zip(&tree.col[above.clone()]).zip(&self.tree[above]) {
                *entry = (j, l);
                push(&mut self.right, &mut self.right_count, j as usize, i, l);
            }
        }
        bad.is_none()
    }

    /// Factors any n × n matrix `A` whose pattern is symmetric. False if a pivot vanishes.
    pub fn factor(&mut self, A: &[f64], n: usize) -> bool {
        let stride = n.div_ceil(4);
        self.resize(n);
        self.work.resize(n * stride, [0.0; 4]);
        for (row, a) in self.work.chunks_exact_mut(stride.max(1)).zip(A.chunks_exact(n.max(1))) {
            row.as_flattened_mut()[..n].copy_from_slice(a);
        }
        (0..n).rev().all(|i| self.eliminate(i))
    }

    /// Eliminates dof i: row i of L, column i of U. False if its pivot vanishes.
    fn eliminate(&mut self, i: usize) -> bool {
        let (n, stride) = (self.n, self.n.div_ceil(4));
        let (above, row) = self.work.split_at_mut(i * stride);
        let row = &row[..stride];
        let pivot = row[i / 4][i % 4];
        let inverse = 1.0 / pivot;
        self.inverse[i] = inverse;
        self.index.resize(n, 0);
        let mut count = 0;
        for (j, (x, line)) in row.as_flattened()[..i].iter().zip(above.chunks_exact(stride)).enumerate() {
            // Branch-free, because a branch would be unpredictable.
            self.index[count] = j as u32;
            count += usize::from((*x != 0.0) | (line[i / 4][i % 4] != 0.0));
        }
        let index = &self.index[..count];
        self.left_count[i] = count as u32;
        // Cheaper than skipping zeros one by one.
        let dense = count * 2 > i;
        let blocks = &row[..i.div_ceil(4)];
        for (left, &j) in self.left[i * n..].iter_mut().zip(index) {
            *left = (j, row.as_flattened()[j as usize] * inverse);
            let target = &mut above[j as usize * stride..][..stride];
            let u = target[i / 4][i % 4] * inverse;
            push(&mut self.right, &mut self.right_count, j as usize, i, u);
            if dense {
                target.iter_mut().zip(blocks).for_each(|(t, x)| subtract(t, u, x));
            } else {
                let (target, row) = (target.as_flattened_mut(), row.as_flattened());
                index.iter().for_each(|&k| target[k as usize] -= u * row[k as usize]);
            }
        }
        pivot != 0.0 && pivot.is_finite()
    }

    /// X ← A⁻¹ X, X stored by rows of `m` numbers each.
    pub fn solve(&mut self, X: &mut [f64], m: usize) {
        // In groups of columns that fit into registers, of about equal width.
        let blocks = m.div_ceil(4);
        let groups = blocks.div_ceil(12);
        let mut at = 0;
        for g in 0..groups {
            let end = blocks * (g + 1) / groups;
            let columns = at..m.min(4 * end);
            at = columns.end;
            match columns.len().div_ceil(4) {
                1 => self.solve_columns::<1>(X, m, columns),
                2 => self.solve_columns::<2>(X, m, columns),
                3 => self.solve_columns::<3>(X, m, columns),
                4 => self.solve_columns::<4>(X, m, columns),
                5 => self.solve_columns::<5>(X, m, columns),
                6 => self.solve_columns::<6>(X, m, columns),
                7 => self.solve_columns::<7>(X, m, columns),
                8 => self.solve_columns::<8>(X, m, columns),
                9 => self.solve_columns::<9>(X, m, columns),
                10 => self.solve_columns::<10>(X, m, columns),
                _ => self.solve_columns::<12>(X, m, columns),
            }
        }
    }

    /// The same for at most 4 B columns.
    fn solve_columns<const B: usize>(&mut self, X: &mut [f64], m: usize, columns: Range<usize>) {
        let n = self.n;
        self.packed.resize(n * B, [0.0; 4]);
        let (rows, _) = self.packed.as_chunks_mut::<B>();
        for j in (0..n).rev() {
            let (row, below) = rows[j..].split_at_mut(1);
            let sum = read::<B>(&X[j * m..][columns.clone()]);
            row[0] = subtract_rows(sum, &self.right[j * n..][..self.right_count[j] as usize], below, j + 1);
        }
        for i in 0..n {
            let (above, row) = rows.split_at_mut(i);
            let mut sum = row[0];
            let inverse = self.inverse[i];
            for b in 0..B {
                for k in 0..4 {
                    sum[b][k] *= inverse;
                }
            }
            let sum = subtract_rows(sum, &self.left[i * n..][..self.left_count[i] as usize], above, 0);
            row[0] = sum;
            write(&sum, &mut X[i * m..][columns.clone()]);
        }
    }
}

/// Adds an entry in row j, column i.
#[inline]
fn push(entries: &mut [(u32, f64)], count: &mut [u32], j: usize, i: usize, value: f64) {
    let n = count.len();
    let end = &mut count[j];
    entries[j * n + *end as usize] = (i as u32, value);
    *end += 1;
}

/// sum − Σ value · row over the entries; `rows` begin at number `first`.
#[inline(always)] // Otherwise the sums go through memory.
fn subtract_rows<const B: usize>(
    mut sum: [[f64; 4]; B],
    entries: &[(u32, f64)],
    rows: &[[[f64; 4]; B]],
    first: usize,
) -> [[f64; 4]; B] {
    for &(k, value) in entries {
        let x = &rows[k as usize - first];
        for b in 0..B {
            subtract(&mut sum[b], value, &x[b]);
        }
    }
    sum
}

/// Blocks of at most 4 B numbers. The remainder is copied number by number: a copy of unknown
/// length would go through memory.
#[inline(always)]
fn read<const B: usize>(x: &[f64]) -> [[f64; 4]; B] {
    let mut row = [[0.0; 4]; B];
    let (blocks, tail) = x.as_chunks::<4>();
    for b in 0..B {
        if let Some(block) = blocks.get(b) {
            row[b] = *block;
        }
    }
    for k in 0..3 {
        if let Some(x) = tail.get(k) {
            row[B - 1][k] = *x;
        }
    }
    row
}

#[inline(always)]
fn write<const B: usize>(row: &[[f64; 4]; B], x: &mut [f64]) {
    let (blocks, tail) = x.as_chunks_mut::<4>();
    for b in 0..B {
        if let Some(block) = blocks.get_mut(b) {
            *block = row[b];
        }
    }
    for k in 0..3 {
        if let Some(x) = tail.get_mut(k) {
            *x = row[B - 1][k];
        }
    }
}

/// t −= s x.
#[inline]
fn subtract(t: &mut [f64; 4], s: f64, x: &[f64; 4]) {
    for k in 0..4 {
        t[k] = (-s).mul_add(x[k], t[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_solve() {
        let n = 9;
        // A chain with a branch, and one coupling between branches; not symmetric.
        let coupled =
            |i: usize, j: usize| (i <= 5 && j <= 5) || (i.min(j) <= 2) || (i > 5 && j > 5) || (i, j) == (7, 4);
        let mut A = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                if coupled(i, j) && coupled(j, i) {
                    A[i * n + j] = ((3 * i + 5 * j) as f64).sin() + if i == j { 6.0 } else { 0.0 };
                }
            }
        }
        let mut factor = Factor::default();
        assert!(factor.factor(&A, n));
        let m = 3;
        let X: Vec<f64> = (0..n * m).map(|k| (k as f64).cos()).collect();
        let mut Y = X.clone();
        factor.solve(&mut Y, m);
        for i in 0..n {
            for c in 0..m {
                let sum: f64 = (0..n).map(|j| A[i * n + j] * Y[j * m + c]).sum();
                assert!((sum - X[i * m + c]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn both_ways_agree_on_a_tree() {
        let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(0), Some(5)];
        let (n, tree) = (parents.len(), TreePattern::new(&parents, &[false; 7]));
        let mut lower: Vec<f64> = (0..tree.nnz()).map(|k| (k as f64).sin()).collect();
        (0..n).for_each(|i| lower[tree.diag(i)] = 5.0 + i as f64);
        let mut A = vec![0.0; n * n];
        ldl::to_dense(&tree, &lower, &mut A);
        let (mut one, mut other) = (Factor::default(), Factor::default());
        assert!(one.factor(&A, n) && other.factor_tree(&tree, &lower));
        for m in [1, 4, 6, 17, 50, 75] {
            let mut X: Vec<f64> = (0..n * m).map(|k| (k as f64).cos()).collect();
            let mut Y = X.clone();
            one.solve(&mut X, m);
            other.solve(&mut Y, m);
            assert!(X.iter().zip(&Y).all(|(x, y)| (x - y).abs() < 1e-14));
        }
        assert!(!one.factor(&[0.0], 1) && !other.factor_tree(&TreePattern::new(&[None], &[false]), &[0.0]));
    }
}
