//! Entries of A where the elimination wants them: in strips of the upper triangle, from blocks of
//! the lower one.

use crate::tile::{Lanes, transpose};

/// A block of A as the elimination sees it: entry (i, j) with i an eliminated row. Its columns, and
/// in memory its rows and columns, are whole fours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'a> {
    pub data: &'a [f64],
    pub stride: usize,
    /// Entry (i, j) is at `data[j * stride + i]`, not at `data[i * stride + j]`.
    pub transposed: bool,
}

impl Entries<'_> {
    /// Writes the first `rows` rows of a strip of four columns into `target`.
    #[inline(always)]
    pub fn fill(&self, target: &mut [Lanes], strip: usize, rows: usize) {
        let (fours, rest) = target[..rows].as_chunks_mut::<4>();
        let whole = fours.len();
        if self.transposed {
            let column: [&[f64]; 4] =
                core::array::from_fn(|l| &self.data[(4 * strip + l) * self.stride..][..self.stride]);
            let column = column.map(|column| column.as_chunks::<4>().0);
            let square = |i: usize| transpose(column.map(|column| column[i]));
            fours.iter_mut().enumerate().for_each(|(i, four)| *four = square(i));
            if !rest.is_empty() {
                let last = square(whole);
                rest.iter_mut().zip(last).for_each(|(target, row)| *target = row);
            }
        } else {
            for (target, row) in target[..rows].iter_mut().zip(self.data.chunks_exact(self.stride)) {
                *target = Lanes(row.as_chunks().0[strip]);
            }
        }
    }
}
