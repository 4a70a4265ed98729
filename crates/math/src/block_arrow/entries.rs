//! Entries of A where the elimination wants them: as tiles of the upper triangle, from blocks of the lower one.

use crate::tile::{Lanes, Tile, transpose};

/// A block of A as the elimination sees it: entry (i, j) with i a row of the panel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'a> {
    pub data: &'a [f64],
    pub stride: usize,
    /// Entry (i, j) is at `data[j * stride + i]`, not at `data[i * stride + j]`.
    pub transposed: bool,
    /// Number of columns; those up to the next multiple of four are zeros.
    pub columns: usize,
}

impl Entries<'_> {
    /// Rows i.. and columns j.. .
    #[inline(always)]
    pub fn tile<const R: usize, const C: usize>(&self, i: usize, j: usize) -> Tile<R, C> {
        let mut out = [[Lanes::ZERO; C]; R];
        for c in 0..C {
            let part = self.square(i, j + 4 * c);
            for r in 0..R {
                out[r][c] = part[r];
            }
        }
        out
    }

    /// Four rows from i and four columns from j.
    #[inline(always)]
    fn square(&self, i: usize, j: usize) -> [Lanes; 4] {
        if self.transposed {
            transpose(core::array::from_fn(|l| if j + l < self.columns { self.four(j + l, i) } else { [0.0; 4] }))
        } else {
            core::array::from_fn(|r| Lanes(self.four(i + r, j)))
        }
    }

    #[inline(always)]
    fn four(&self, row: usize, column: usize) -> [f64; 4] {
        let start = row * self.stride + column;
        self.data.get(start..).and_then(|x| x.first_chunk()).copied().unwrap_or([0.0; 4])
    }
}
