//! What eliminated rows take from the corner: Uᵀ U of their border columns.

use super::layout::Band;
use crate::tile::{Lanes, Tile, subtract_product};
use core::ops::Range;

/// Rows after which a band should bring its corner up to date: enough for long sums, few enough for
/// the first-level cache.
pub(super) const BATCH: usize = 64;

impl Band {
    /// taken −= Uᵀ U over rows of the border's strips; upper triangle.
    pub fn take(&mut self, rows: Range<usize>) {
        let strips = self.border.div_ceil(4);
        for own in 0..strips {
            let mut strip = own;
            while strip < strips {
                strip += match strips - strip {
                    1 => self.take_tile::<1>(&rows, own, strip),
                    _ => self.take_tile::<2>(&rows, own, strip),
                };
            }
        }
    }

    /// Four rows of C strips. Returns C.
    #[inline(always)]
    fn take_tile<const C: usize>(&mut self, rows: &Range<usize>, own: usize, strip: usize) -> usize {
        let size = self.border;
        let first = 4 * own;
        let count = (size - first).min(4);
        let mut tile: Tile<4, C> = [[Lanes::ZERO; C]; 4];
        for r in 0..count {
            for c in 0..C {
                tile[r][c] = self.taken[(strip + c) * size + first + r];
            }
        }
        let part = |strip| &self.strips[self.border(strip) + rows.start..self.border(strip) + rows.end];
        subtract_product(&mut tile, part(own), core::array::from_fn(|c| part(strip + c)));
        for r in 0..count {
            for c in 0..C {
                self.taken[(strip + c) * size + first + r] = tile[r][c];
            }
        }
        C
    }
}
