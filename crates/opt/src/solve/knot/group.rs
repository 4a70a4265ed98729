//! Rows of few columns, gathered until they are worth a product: Hessians of feet have dozens of
//! rows with the same columns, those of one leg, and one product of small matrices is several times
//! faster than adding them up row by row.

use super::lines::Line;
use saltus_math::gram::{Gram, Weighted};

/// Most rows that wait.
const MOST: usize = 24;
/// Rows of so few columns are added by themselves.
const FEW: usize = 6;

#[derive(Clone, Debug)]
pub(super) struct Group {
    ld: usize,
    /// Whole rows with their weights, and the columns in which any of them is not zero.
    rows: Vec<f64>,
    weight: Vec<f64>,
    columns: Vec<usize>,
    marked: Vec<bool>,
    /// The columns as runs of consecutive ones.
    runs: Vec<(usize, usize)>,
    /// The same rows with these columns only, and their product.
    packed: Vec<f64>,
    product: Vec<f64>,
}

impl Group {
    pub fn new(ld: usize) -> Self {
        Self {
            ld,
            rows: vec![0.0; MOST * ld],
            weight: Vec::with_capacity(MOST),
            columns: Vec::with_capacity(ld),
            marked: vec![false; ld],
            runs: Vec::with_capacity(ld),
            packed: Vec::new(),
            product: Vec::new(),
        }
    }

    /// Adds weight lineᵀ line to the lower triangle of the Hessian, now or later.
    pub fn add(&mut self, line: &Line, weight: f64, gram: &mut Gram, hessian: &mut [f64]) {
        if line.touched.len() <= FEW {
            add_entries(line, weight, self.ld, hessian);
            return;
        }
        let new = line.touched.iter().filter(|&&column| !self.marked[column]).count();
        // Rows of other columns would fill the product with zeros.
        if self.weight.len() == MOST || 2 * new > line.touched.len() {
            self.flush(gram, hessian);
        }
        let row = &mut self.rows[self.weight.len() * self.ld..][..self.ld];
        for &column in &line.touched {
            row[column] = line.values[column];
            if !self.marked[column] {
                self.marked[column] = true;
                self.columns.push(column);
            }
        }
        self.weight.push(weight);
    }

    /// Adds what waits.
    pub fn flush(&mut self, gram: &mut Gram, hessian: &mut [f64]) {
        let Self { ld, rows, weight, columns, marked, runs, packed, product } = self;
        let (ld, count, width) = (*ld, weight.len(), columns.len());
        if count == 0 {
            return;
        }
        columns.sort_unstable();
        find_runs(columns, runs);
        let wide = width.next_multiple_of(4);
        packed.resize(count * wide, 0.0);
        for (row, packed) in rows.chunks_exact_mut(ld).zip(packed.chunks_exact_mut(wide)) {
            let mut at = 0;
            for &(first, end) in runs.iter() {
                packed[at..at + end - first].copy_from_slice(&row[first..end]);
                row[first..end].fill(0.0);
                at += end - first;
            }
        }
        product.resize(width * wide, 0.0);
        gram.set(Weighted { rows: count, cols: width, a: packed, stride: wide, w: weight }, product, wide);
        for (i, (&column, from)) in columns.iter().zip(product.chunks_exact(wide)).enumerate() {
            let row = &mut hessian[column * ld..(column + 1) * ld];
            let mut at = 0;
            for &(first, end) in runs.iter() {
                let end = end.min(column + 1);
                if at > i {
                    break;
                }
                row[first..end].iter_mut().zip(&from[at..]).for_each(|(h, f)| *h += f);
                at += end - first;
            }
        }
        columns.drain(..).for_each(|column| marked[column] = false);
        weight.clear();
    }
}

/// Sorted columns as runs of consecutive ones.
fn find_runs(columns: &[usize], runs: &mut Vec<(usize, usize)>) {
    runs.clear();
    for &column in columns {
        match runs.last_mut() {
            Some((_, end)) if *end == column => *end += 1,
            _ => runs.push((column, column + 1)),
        }
    }
}

/// Entry by entry.
fn add_entries(line: &Line, weight: f64, ld: usize, hessian: &mut [f64]) {
    for (k, &a) in line.touched.iter().enumerate() {
        for &b in &line.touched[..=k] {
            let (row, column) = (a.max(b), a.min(b));
            hessian[row * ld + column] += weight * line.values[a] * line.values[b];
        }
    }
}
