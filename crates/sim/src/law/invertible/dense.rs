//! A = J M⁻¹ Jᵀ as a matrix.

use super::rows::Error;
use saltus_math::cholesky;

/// Rows are padded to a multiple of this.
const BLOCK: usize = 4;
/// Relative asymmetry and negative pivots that are attributed to round-off.
const ROUND_OFF: f64 = 1e-9;
/// Maximum number of entries of a matrix: 1 GiB.
const MAX_VALUES: usize = 1 << 27;

/// A symmetric positive semidefinite matrix.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    n: usize,
    stride: usize,
    values: Vec<f64>,
}

impl Dense {
    /// From n × n numbers. The error names the first entry that is not finite, is not symmetric, or
    /// makes the matrix indefinite.
    pub fn new(n: usize, values: &[f64]) -> Result<Self, Error> {
        let expected = n.saturating_mul(n);
        if values.len() != expected || expected > MAX_VALUES {
            return Err(Error::Size { what: "A", expected: expected.min(MAX_VALUES), found: values.len() });
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::Value { what: "A", row: k / n, expected: "finite", found: values[k] });
        }
        let size = |i: usize, j: usize| (values[i * n + i].abs() * values[j * n + j].abs()).sqrt();
        let mut dense = Self::zeros(n);
        for row in 0..n {
            for col in 0..n {
                let (upper, lower) = (values[row * n + col], values[col * n + row]);
                if (upper - lower).abs() > ROUND_OFF * size(row, col).max(upper.abs()) {
                    return Err(Error::NotSymmetric { row, col, upper, lower });
                }
                dense.values[row * dense.stride + col] = 0.5 * (upper + lower);
            }
        }
        dense.check_semidefinite()?;
        Ok(dense)
    }
    /// All zero.
    pub fn zeros(n: usize) -> Self {
        let mut dense = Self::default();
        dense.resize(n);
        dense
    }
    /// Sets the size; all entries become 0.
    pub fn resize(&mut self, n: usize) {
        self.n = n;
        self.stride = n.next_multiple_of(BLOCK);
        self.values.clear();
        self.values.resize(n * self.stride, 0.0);
    }
    /// Number of rows.
    #[inline]
    pub fn n(&self) -> usize {
        self.n
    }
    /// A row.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.stride..i * self.stride + self.n]
    }
    /// A row, mutable.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..i * self.stride + self.n]
    }
    #[inline]
    fn padded(&self, i: usize) -> &[[f64; BLOCK]] {
        self.values[i * self.stride..(i + 1) * self.stride].as_chunks().0
    }
    /// y += Σ s_i A_i over the rows in `which`, four at a time. y has `stride` entries.
    #[inline]
    fn add_rows(&self, which: impl ExactSizeIterator<Item = usize>, s: impl Fn(usize) -> f64, y: &mut [f64]) {
        let y = y.as_chunks_mut::<BLOCK>().0;
        let mut which = which;
        while which.len() > 0 {
            let mut rows = [self.padded(0); BLOCK];
            let mut factors = [0.0; BLOCK];
            for k in 0..BLOCK {
                if let Some(i) = which.next() {
                    (rows[k], factors[k]) = (self.padded(i), s(i));
                }
            }
            let m = y.len();
            let [a, b, c, d] = rows.map(|r| &r[..m]);
            for j in 0..m {
                for k in 0..BLOCK {
                    let one = factors[1].mul_add(b[j][k], factors[0].mul_add(a[j][k], y[j][k]));
                    y[j][k] = factors[3].mul_add(d[j][k], factors[2].mul_add(c[j][k], one));
                }
            }
        }
    }
    /// y = A x. `y` is resized to include padding.
    pub fn mul(&self, x: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.resize(self.stride, 0.0);
        self.add_rows(0..self.n, |i| x[i], y);
        y.truncate(self.n);
    }
    /// y = Σ x_k `A_which[k]`, with x by rows of A.
    pub fn mul_some(&self, which: &[u32], x: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.resize(self.stride, 0.0);
        self.add_rows(which.iter().map(|&i| i as usize), |i| x[i], y);
        y.truncate(self.n);
    }
    /// Lower triangle += Σ s A_k A_kᵀ over the rows (k, s) of `A`.
    pub(super) fn add_squares(&mut self, A: &Dense, which: impl Iterator<Item = (usize, f64)>) {
        for (k, s) in which {
            let row = A.row(k);
            for i in 0..self.n {
                let scale = s * row[i];
                for (h, a) in self.row_mut(i)[..=i].iter_mut().zip(row) {
                    *h += scale * a;
                }
            }
        }
    }
    fn check_semidefinite(&self) -> Result<(), Error> {
        let largest = (0..self.n).map(|i| self.row(i)[i].abs()).fold(0.0, f64::max);
        let mut shifted = self.clone();
        for i in 0..self.n {
            shifted.row_mut(i)[i] += ROUND_OFF * largest.max(f64::MIN_POSITIVE);
        }
        match shifted.factor() {
            Ok(()) => Ok(()),
            Err((row, pivot)) => Err(Error::NotSemidefinite { row, pivot }),
        }
    }
    /// A = L Lᵀ in place of the lower triangle. Fails with the first row whose pivot is not
    /// positive.
    pub fn factor(&mut self) -> Result<(), (usize, f64)> {
        cholesky::factor(self.n, self.stride, &mut self.values, f64::MIN_POSITIVE).map_or(Ok(()), Err)
    }
    /// x ← A⁻¹ x with the factors.
    pub fn solve(&self, x: &mut [f64]) {
        cholesky::solve(self.n, self.stride, &self.values, x);
    }
}
