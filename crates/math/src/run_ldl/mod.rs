//! Sparse factorization H = Lᵀ D L of symmetric matrices whose rows are a few runs of consecutive
//! columns.
//!
//! Hessians of contact problems are the tree-sparse inertia plus a clique of dofs for each
//! constraint. Rows are eliminated from the last up, so that the tree part makes no fill; cliques
//! between branches and trees do. Because the dofs of a chain are consecutive, rows consist of few
//! runs, and all inner loops are over contiguous numbers.

mod pattern;

use crate::kernel::{dot, subtract_rows};
use pattern::Source;

/// Consecutive columns `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// First column.
    pub start: u32,
    /// End: one after the last column.
    pub end: u32,
}

impl Run {
    /// The columns as a range.
    #[inline]
    pub fn range(self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
    /// Their number.
    #[inline]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }
    /// Whether it is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.end == self.start
    }
}

/// A row: its runs (ascending, maximal, the last one ends with the diagonal) and its values.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    first_run: u32,
    nrun: u32,
    first_value: u32,
    nvalue: u32,
}

/// A symmetric matrix, lower triangle by rows, with room for its factors. Keeps its memory when it
/// is rebuilt.
#[derive(Clone, Debug, Default)]
pub struct RunMatrix {
    /// In the order of the rows.
    rows: Vec<Row>,
    runs: Vec<Run>,
    /// Values in the order of elimination: the last row's first.
    value: Vec<f64>,
    d_inv: Vec<f64>,
    // Working memory of `finish`.
    clique_runs: Vec<Run>,
    sources: Vec<Source>,
    first_source: Vec<u32>,
    merge: Vec<Run>,
}

impl RunMatrix {
    /// Number of stored values.
    pub fn nnz(&self) -> usize {
        self.value.len()
    }
    /// Their number.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Sets all values to zero.
    pub fn clear_values(&mut self) {
        self.value.fill(0.0);
    }

    /// The stored values of row `i` in the columns of `run`, which must be part of the pattern.
    /// `hint` is the run of the row where the search starts and is moved on: ask for ascending
    /// runs.
    #[inline]
    pub fn segment(&mut self, i: usize, run: Run, hint: &mut Cursor) -> &mut [f64] {
        let row = self.rows[i];
        let runs = &self.runs[row.first_run as usize..(row.first_run + row.nrun) as usize];
        hint.seek(runs, run.start);
        let at = (row.first_value + hint.offset + (run.start - runs[hint.run as usize].start)) as usize;
        &mut self.value[at..at + run.len()]
    }

    /// Replaces H by its factors: unit lower triangular L off the diagonal, D on it. Pivots below
    /// `min_pivot` are replaced by it; returns whether there was none.
    ///
    /// Rows that are nested (each has the pattern of the one below it but for its diagonal, as
    /// along a chain or in a free body) are eliminated together, up to four: that many times less
    /// traffic to the rows that they update.
    pub fn factor(&mut self, min_pivot: f64) -> bool {
        let mut good = true;
        let mut end = self.rows.len();
        while end > 0 {
            end -= match self.nested(end - 1) {
                4.. => self.eliminate::<4>(end - 1, min_pivot, &mut good),
                2.. => self.eliminate::<2>(end - 1, min_pivot, &mut good),
                _ => self.eliminate::<1>(end - 1, min_pivot, &mut good),
            };
        }
        good
    }

    /// How many rows from `i` up are nested, at most four.
    fn nested(&self, i: usize) -> usize {
        let mut count = 1;
        while count < 4.min(i + 1) {
            let (below, above) = (self.rows[i + 1 - count], self.rows[i - count]);
            let last = self.runs[(below.first_run + below.nrun - 1) as usize];
            if last.len() < 2 || above.nvalue + 1 != below.nvalue {
                break;
            }
            count += 1;
        }
        count
    }

    /// Eliminates `W` nested rows from `i` up; returns `W`.
    fn eliminate<const W: usize>(&mut self, i: usize, min_pivot: f64, good: &mut bool) -> usize {
        let Self { rows, runs, value, d_inv, .. } = self;
        let row = rows[i];
        let own = &runs[row.first_run as usize..(row.first_run + row.nrun) as usize];
        let (n, at) = (row.nvalue as usize, row.first_value as usize);
        let base = at + W * n - W * (W - 1) / 2;
        let (head, tail) = value.split_at_mut(base);
        // Values of the rows, the lowest and longest first; they follow each other in memory.
        let mut rest = &mut head[at..];
        let mut block: [&mut [f64]; W] = core::array::from_fn(|r| rest.split_off_mut(..n - r).unwrap_or_default());
        let mut inv = [0.0; W];
        for r in 0..W {
            let diagonal = &mut block[r][n - r - 1];
            if *diagonal < min_pivot || diagonal.is_nan() {
                *diagonal = min_pivot;
                *good = false;
            }
            inv[r] = 1.0 / *diagonal;
            d_inv[i - r] = inv[r];
            let (done, above) = block.split_at_mut(r + 1);
            for (q, target) in above.iter_mut().enumerate() {
                let len = target.len();
                subtract_rows(target, [done[r][n - r - 2 - q] * inv[r]], [&done[r][..len]]);
            }
        }
        let source: [&[f64]; W] = core::array::from_fn(|r| &*block[r]);
        for_each_column(own, (i + 1 - W) as u32, |k, index, run_of_k| {
            let s: [f64; W] = core::array::from_fn(|r| source[r][index] * inv[r]);
            let target = rows[k];
            let target_runs = &runs[target.first_run as usize..(target.first_run + target.nrun) as usize];
            let target = &mut tail[target.first_value as usize - base..][..target.nvalue as usize];
            update(own, run_of_k, index, target_runs, |from, to| {
                let part = core::array::from_fn(|r| &source[r][from.clone()]);
                subtract_rows(&mut target[to..to + from.len()], s, part);
            });
        });
        for (r, row) in block.into_iter().enumerate() {
            row[..n - r - 1].iter_mut().for_each(|x| *x *= inv[r]);
        }
        W
    }

    /// x ← H⁻¹ x from the factors.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.rows.len();
        for i in (0..n).rev() {
            let xi = x[i];
            if xi == 0.0 {
                continue;
            }
            let (runs, values) = self.row(i);
            let mut at = 0;
            for run in runs {
                let end = run.end.min(i as u32);
                let len = (end - run.start) as usize;
                subtract_rows(&mut x[run.start as usize..end as usize], [xi], [&values[at..at + len]]);
                at += run.len();
            }
        }
        for i in 0..n {
            let (runs, values) = self.row(i);
            let mut at = 0;
            let mut sum = 0.0;
            for run in runs {
                let end = run.end.min(i as u32);
                let len = (end - run.start) as usize;
                sum += dot(&values[at..at + len], &x[run.start as usize..end as usize]);
                at += run.len();
            }
            x[i] = x[i] * self.d_inv[i] - sum;
        }
    }

    #[inline]
    fn row(&self, i: usize) -> (&[Run], &[f64]) {
        let row = self.rows[i];
        (
            &self.runs[row.first_run as usize..(row.first_run + row.nrun) as usize],
            &self.value[row.first_value as usize..(row.first_value + row.nvalue) as usize],
        )
    }

    /// Writes the matrix into `dense`, row major, n × n, both triangles.
    pub fn to_dense(&self, dense: &mut [f64]) {
        let n = self.len();
        dense.fill(0.0);
        for i in 0..n {
            let (runs, values) = self.row(i);
            for (j, v) in runs.iter().flat_map(|r| r.range()).zip(values) {
                dense[i * n + j] = *v;
                dense[j * n + i] = *v;
            }
        }
    }
}

/// Place in the runs of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    run: u32,
    offset: u32,
}

impl Cursor {
    #[inline]
    fn seek(&mut self, runs: &[Run], col: u32) {
        while runs[self.run as usize].end <= col {
            self.offset += runs[self.run as usize].end - runs[self.run as usize].start;
            self.run += 1;
        }
    }
}

/// Calls `f(column, index of its value, index of its run)` for all columns below `end`.
#[inline]
fn for_each_column(runs: &[Run], end: u32, mut f: impl FnMut(usize, usize, usize)) {
    let mut index = 0;
    for (r, run) in runs.iter().enumerate() {
        for k in run.start..run.end.min(end) {
            f(k as usize, index, r);
            index += 1;
        }
    }
}

/// Calls `f(values of the source, first value of the target)` for the runs of a source row up to
/// value `index`, which lies in its run `last`. The target contains all these columns.
#[inline]
fn update(
    source: &[Run],
    last: usize,
    index: usize,
    target: &[Run],
    mut f: impl FnMut(core::ops::Range<usize>, usize),
) {
    let mut at = 0;
    let mut cursor = Cursor::default();
    for (r, run) in source[..=last].iter().enumerate() {
        cursor.seek(target, run.start);
        let to = if r == last { index + 1 } else { at + run.len() };
        let place = cursor.offset + (run.start - target[cursor.run as usize].start);
        f(at..to, place as usize);
        at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(columns: &[u32]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for &c in columns {
            match runs.last_mut() {
                Some(run) if run.end == c => run.end += 1,
                _ => runs.push(Run { start: c, end: c + 1 }),
            }
        }
        runs
    }

    /// A tree of 14 dofs with cliques across its branches; values make it diagonally dominant.
    fn example() -> (RunMatrix, Vec<f64>) {
        let cliques: [&[u32]; 9] = [
            &[0, 1, 2, 3],
            &[0, 1, 2, 4, 5],
            &[0, 1, 2, 6],
            &[7, 8, 9],
            &[10, 11, 12, 13],
            &[3, 4, 5],
            &[5, 8, 9],
            &[2, 12],
            &[0, 1, 2, 3],
        ];
        let mut h = RunMatrix::default();
        h.begin(14);
        for c in cliques {
            h.add_clique(runs(c).into_iter());
        }
        h.finish();
        h.clear_values();
        let mut dense = vec![0.0; 14 * 14];
        for (k, clique) in cliques.iter().enumerate() {
            for (a, &i) in clique.iter().enumerate() {
                let mut cursor = Cursor::default();
                for run in runs(&clique[..=a]) {
                    let segment = h.segment(i as usize, run, &mut cursor);
                    for (v, j) in segment.iter_mut().zip(run.range()) {
                        let x = if i as usize == j { 5.0 } else { ((k + 3 * i as usize + 7 * j) as f64).sin() };
                        *v += x;
                        dense[i as usize * 14 + j] += x;
                        if i as usize != j {
                            dense[j * 14 + i as usize] += x;
                        }
                    }
                }
            }
        }
        (h, dense)
    }

    #[test]
    fn factors_solve_the_matrix() {
        let (mut h, dense) = example();
        let mut stored = vec![0.0; 14 * 14];
        h.to_dense(&mut stored);
        assert_eq!(stored, dense);
        assert!(h.factor(1e-15));
        let x: Vec<f64> = (0..14).map(|i| (i as f64).cos()).collect();
        let mut y: Vec<f64> = (0..14).map(|i| (0..14).map(|j| dense[i * 14 + j] * x[j]).sum()).collect();
        h.solve(&mut y);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-13), "{x:?} {y:?}");
    }

    #[test]
    fn a_bad_pivot_is_reported() {
        let (mut h, _) = example();
        h.clear_values();
        assert!(!h.factor(1e-3));
        let mut x = vec![1.0; 14];
        h.solve(&mut x);
        assert!(x.iter().all(|x| x.is_finite()));
    }
}
