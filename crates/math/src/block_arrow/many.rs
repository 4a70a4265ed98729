//! Substitution with several right sides at once: the numbers of a row are neighbours, so W of them are one vector.

use super::solve::{Part, Substitute, Triangle};

/// W columns, from c on, of a row-major array with m.
pub(super) struct Columns<'a, const W: usize> {
    pub x: &'a mut [f64],
    pub m: usize,
    pub c: usize,
}

impl<const W: usize> Columns<'_, W> {
    #[inline(always)]
    fn row(&self, i: usize) -> [f64; W] {
        let start = i * self.m + self.c;
        let row = &self.x[start..start + W];
        core::array::from_fn(|w| row[w])
    }

    #[inline(always)]
    fn set(&mut self, i: usize, value: [f64; W]) {
        let start = i * self.m + self.c;
        self.x[start..start + W].copy_from_slice(&value);
    }

    /// x_columns − Uᵀ x_rows for the four columns of strip j, over the first `count` rows.
    #[inline(always)]
    fn strip(&self, u: &Part<'_>, rows: usize, columns: usize, j: usize, count: usize) -> [[f64; W]; 4] {
        let exist = (u.columns - 4 * j).min(4);
        let mut sum = [[0.0; W]; 4];
        (0..exist).for_each(|l| sum[l] = self.row(columns + 4 * j + l));
        for (k, u) in u.strip(j)[..count].iter().enumerate() {
            let x = self.row(rows + k);
            for l in 0..4 {
                for w in 0..W {
                    sum[l][w] -= u.0[l] * x[w];
                }
            }
        }
        sum
    }

    /// x_row − U x_columns for one row, over the strips from j on.
    #[inline(always)]
    fn product(&self, u: &Part<'_>, i: usize, row: usize, columns: usize, j: usize) -> [f64; W] {
        let mut sum = self.row(row);
        for j in j..u.columns.div_ceil(4) {
            let own = u.strip(j)[i].0;
            for l in 0..(u.columns - 4 * j).min(4) {
                let x = self.row(columns + 4 * j + l);
                (0..W).for_each(|w| sum[w] -= own[l] * x[w]);
            }
        }
        sum
    }
}

impl<const W: usize> Substitute for Columns<'_, W> {
    fn forward(&mut self, u: Part<'_>, rows: usize, columns: usize) {
        for j in 0..u.columns.div_ceil(4) {
            let sum = self.strip(&u, rows, columns, j, u.rows);
            (0..(u.columns - 4 * j).min(4)).for_each(|l| self.set(columns + 4 * j + l, sum[l]));
        }
    }

    fn backward(&mut self, u: Part<'_>, rows: usize, columns: usize) {
        for i in 0..u.rows {
            let sum = self.product(&u, i, rows + i, columns, 0);
            self.set(rows + i, sum);
        }
    }

    fn divide_transposed(&mut self, Triangle { u, inverse }: Triangle<'_>, at: usize) {
        for j in 0..u.columns.div_ceil(4) {
            let first = 4 * j;
            let mut x = self.strip(&u, at, at, j, first);
            let own = u.strip(j);
            for r in 0..(u.columns - first).min(4) {
                x[r] = x[r].map(|x| x * inverse[first + r]);
                for l in r + 1..4 {
                    (0..W).for_each(|w| x[l][w] -= own[first + r].0[l] * x[r][w]);
                }
                self.set(at + first + r, x[r]);
            }
        }
    }

    fn divide(&mut self, Triangle { u, inverse }: Triangle<'_>, at: usize) {
        for i in (0..u.columns).rev() {
            let mut x = self.product(&u, i, at + i, at, i / 4 + 1);
            let own = u.strip(i / 4)[i].0;
            for l in i + 1..(i / 4 * 4 + 4).min(u.columns) {
                let y = self.row(at + l);
                (0..W).for_each(|w| x[w] -= own[l % 4] * y[w]);
            }
            self.set(at + i, x.map(|x| x * inverse[i]));
        }
    }
}
