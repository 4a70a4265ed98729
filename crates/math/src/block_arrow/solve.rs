//! Substitution: (A + shift) x = b as Uᵀ y = b in the order of elimination, then U x = y in the reverse order.
//!
//! ```text
//! y_t = U_ttᵀ⁻¹ b_t,   b_s −= U_tsᵀ y_t  for the s that t reaches                    (1)
//! x_t = U_tt⁻¹ (y_t − Σ_s U_ts x_s)                                                  (2)
//! ```

use super::factor::{BlockArrowFactor, Shape};
use crate::tile::Lanes;

/// The rows of U of one knot or of the border, and where its unknowns are.
#[derive(Clone, Copy)]
struct Rows<'a> {
    panel: &'a [Lanes],
    inverse: &'a [f64],
    /// First unknown.
    at: usize,
    /// Groups of columns: first strip, first unknown, number of unknowns.
    groups: [[usize; 3]; 3],
}

impl BlockArrowFactor {
    /// x ← (A + shift)⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_many(x, 1);
    }

    /// x ← (A + shift)⁻¹ x for m right sides: x is dim × m, row-major.
    pub fn solve_many(&self, x: &mut [f64], m: usize) {
        assert_eq!(x.len(), self.inverse.len() * m, "one row for each unknown");
        let mut c = 0;
        while c < m {
            c += match m - c {
                8.. => self.columns::<8>(x, m, c),
                4.. => self.columns::<4>(x, m, c),
                _ => self.columns::<1>(x, m, c),
            };
        }
    }

    /// W right sides from column c on. Returns W.
    fn columns<const W: usize>(&self, x: &mut [f64], m: usize, c: usize) -> usize {
        let mut columns = Columns::<W> { x, m, c };
        (0..=self.shape.count).for_each(|k| columns.forward(&self.rows(k)));
        (0..=self.shape.count).rev().for_each(|k| columns.backward(&self.rows(k)));
        W
    }

    /// The k-th rows in the order of elimination; the border's are last.
    fn rows(&self, k: usize) -> Rows<'_> {
        let Shape { n, count, border, block, front, middle } = self.shape;
        let knots = n * count;
        if k == count {
            return Rows { panel: &self.corner, inverse: &self.inverse[knots..], at: knots, groups: [[0; 3]; 3] };
        }
        let back = count - front - middle;
        // Knot, next and next but one.
        let [t, next, next2] = if k < front {
            [k, k + 1, k + 2]
        } else if k < front + back {
            let t = count - 1 - (k - front);
            [t, t - 1, t - 2]
        } else {
            let t = k - back;
            [t, if t + 1 < front + middle { t + 1 } else { count }, count]
        };
        let width = |t| if t < count { n } else { 0 };
        let size = self.shape.panel();
        Rows {
            panel: &self.panels[t * size..(t + 1) * size],
            inverse: &self.inverse[t * n..(t + 1) * n],
            at: t * n,
            groups: [[block, next * n, width(next)], [2 * block, next2 * n, width(next2)], [3 * block, knots, border]],
        }
    }
}

impl Rows<'_> {
    /// Entry (k, j) of the columns that begin with strip `first`.
    #[inline(always)]
    fn entry(&self, first: usize, k: usize, j: usize) -> f64 {
        self.panel[(first + j / 4) * self.inverse.len() + k].0[j % 4]
    }
}

/// W columns of a row-major array.
struct Columns<'a, const W: usize> {
    x: &'a mut [f64],
    m: usize,
    c: usize,
}

impl<const W: usize> Columns<'_, W> {
    #[inline(always)]
    fn row(&self, i: usize) -> [f64; W] {
        let start = i * self.m + self.c;
        core::array::from_fn(|w| self.x[start + w])
    }

    #[inline(always)]
    fn set(&mut self, i: usize, value: [f64; W]) {
        let start = i * self.m + self.c;
        self.x[start..start + W].copy_from_slice(&value);
    }

    /// (1)
    fn forward(&mut self, u: &Rows<'_>) {
        let n = u.inverse.len();
        for i in 0..n {
            let sum = self.reduce(u, 0, i, u.at + i, i);
            self.set(u.at + i, sum.map(|x| x * u.inverse[i]));
        }
        for [first, at, width] in u.groups {
            for j in 0..width {
                let sum = self.reduce(u, first, j, at + j, n);
                self.set(at + j, sum);
            }
        }
    }

    /// x_row − Σ_k U_k,j x_k over the first `count` rows of u.
    #[inline(always)]
    fn reduce(&self, u: &Rows<'_>, first: usize, j: usize, row: usize, count: usize) -> [f64; W] {
        let mut sum = self.row(row);
        for k in 0..count {
            let (a, x) = (u.entry(first, k, j), self.row(u.at + k));
            (0..W).for_each(|w| sum[w] -= a * x[w]);
        }
        sum
    }

    /// (2)
    fn backward(&mut self, u: &Rows<'_>) {
        let n = u.inverse.len();
        for i in (0..n).rev() {
            let mut sum = self.row(u.at + i);
            let own = [0, u.at, n];
            for (from, [first, at, width]) in [(i + 1, own), (0, u.groups[0]), (0, u.groups[1]), (0, u.groups[2])] {
                for j in from..width {
                    let (a, x) = (u.entry(first, i, j), self.row(at + j));
                    (0..W).for_each(|w| sum[w] -= a * x[w]);
                }
            }
            self.set(u.at + i, sum.map(|x| x * u.inverse[i]));
        }
    }
}
