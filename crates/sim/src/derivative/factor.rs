//! Dense matrices with the sparsity of a tree and a few couplings: factorization from the leaves to the roots.
//!
//! A = U L: dof n − 1 is eliminated first. Along a tree this makes no fill, and entries that are zero cost nothing; what
//! contacts between branches fill in is found on the way. Right-hand sides are rows, so that all inner loops are over
//! contiguous numbers.

/// Factors of A, in place: L with its diagonal below, U (unit) above.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    pub n: usize,
    pub A: Vec<f64>,
    inverse: Vec<f64>,
    /// Columns j < i of each row i that are not zero.
    start: Vec<u32>,
    col: Vec<u32>,
    /// The same by columns.
    below_start: Vec<u32>,
    below: Vec<u32>,
}

impl Factor {
    /// Factors `A`, which was filled by the caller; the pattern must be symmetric. False if a pivot vanishes.
    pub fn factor(&mut self, n: usize) -> bool {
        self.n = n;
        self.inverse.resize(n, 0.0);
        // Rows are found from the last to the first; their lists are stored in that order.
        self.start.clear();
        self.start.resize(n + 1, 0);
        self.col.clear();
        for i in (0..n).rev() {
            let first = self.col.len();
            let (above, row) = self.A.split_at_mut(i * n);
            let row = &row[..n];
            let pivot = row[i];
            if pivot == 0.0 || !pivot.is_finite() {
                return false;
            }
            let inverse = 1.0 / pivot;
            self.inverse[i] = inverse;
            for j in 0..i {
                if row[j] != 0.0 || above[j * n + i] != 0.0 {
                    self.col.push(j as u32);
                }
            }
            self.start[i] = first as u32;
            let list = &self.col[first..];
            let dense = list.len() * 2 > i;
            for &j in list {
                let target = &mut above[j as usize * n..(j as usize + 1) * n];
                let u = target[i] * inverse;
                target[i] = u;
                if dense {
                    // Shorter than skipping zeros one by one.
                    for (t, r) in target[..i].iter_mut().zip(&row[..i]) {
                        *t = (-u).mul_add(*r, *t);
                    }
                } else {
                    for &k in list {
                        target[k as usize] -= u * row[k as usize];
                    }
                }
            }
        }
        self.transpose_lists();
        true
    }

    fn list(&self, i: usize) -> &[u32] {
        // Row i ends where row i − 1, which was found next, begins.
        let end = if i == 0 { self.col.len() } else { self.start[i - 1] as usize };
        &self.col[self.start[i] as usize..end]
    }

    /// Rows i > j whose list has j, for each j.
    fn transpose_lists(&mut self) {
        let n = self.n;
        self.below.resize(self.col.len(), 0);
        self.below_start.clear();
        self.below_start.resize(n + 1, 0);
        for &j in &self.col {
            self.below_start[j as usize + 1] += 1;
        }
        for j in 0..n {
            self.below_start[j + 1] += self.below_start[j];
        }
        // Fill from the front; starts move to the ends and are moved back.
        for i in 0..n {
            let end = if i == 0 { self.col.len() } else { self.start[i - 1] as usize };
            for k in self.start[i] as usize..end {
                let j = self.col[k] as usize;
                self.below[self.below_start[j] as usize] = i as u32;
                self.below_start[j] += 1;
            }
        }
        self.below_start.copy_within(0..n, 1);
        if let Some(first) = self.below_start.first_mut() {
            *first = 0;
        }
    }

    /// X ← A⁻¹ X for the rows of X, `m` numbers each.
    pub fn solve(&self, X: &mut [f64], m: usize) {
        let n = self.n;
        for j in (0..n).rev() {
            let (row, below) = X[j * m..].split_at_mut(m);
            let list = &self.below[self.below_start[j] as usize..self.below_start[j + 1] as usize];
            gather(row, &self.A[j * n..(j + 1) * n], list, below, j + 1);
        }
        for i in 0..n {
            let (above, row) = X.split_at_mut(i * m);
            let row = &mut row[..m];
            gather(row, &self.A[i * n..(i + 1) * n], self.list(i), above, 0);
            let inverse = self.inverse[i];
            row.iter_mut().for_each(|x| *x *= inverse);
        }
    }
}

/// target −= Σ coefficient[k] · (row k of `rows`, whose first is number `first`) over the list, four rows at a time.
fn gather(target: &mut [f64], coefficient: &[f64], list: &[u32], rows: &[f64], first: usize) {
    let m = target.len();
    let row = |k: u32| {
        let k = k as usize;
        &rows[(k - first) * m..(k - first + 1) * m]
    };
    let (fours, rest) = list.as_chunks::<4>();
    for four in fours {
        let s = four.map(|k| -coefficient[k as usize]);
        let [a, b, c, d] = four.map(row);
        for ((((t, a), b), c), d) in target.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *t = s[3].mul_add(*d, s[2].mul_add(*c, s[1].mul_add(*b, s[0].mul_add(*a, *t))));
        }
    }
    for &k in rest {
        let s = -coefficient[k as usize];
        for (t, x) in target.iter_mut().zip(row(k)) {
            *t = s.mul_add(*x, *t);
        }
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
        let mut factor = Factor { A: A.clone(), ..Factor::default() };
        assert!(factor.factor(n));
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
}
