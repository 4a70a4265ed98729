//! Elimination of one knot: its rows of U.
//!
//! ```text
//! U_ttᵀ [U_tt U_t,1 U_t,2 U_t,b] = [A_tt A_t,1 A_t,2 A_t,b] − Σ_s U_s,tᵀ [U_s,t U_s,1 U_s,2 U_s,b]      (1)
//! ```
//!
//! with 1 and 2 the next two knots in the order of elimination, b the border, and s the knots
//! already eliminated that reach t. Left-looking: four rows at a time, each tile of the right side,
//! which holds entries of A at first, loses the sum over s and over the rows above it in one go
//! while it stays in registers (`reduce`), is divided by its 4 × 4 triangle, and is stored once.

use super::entries::Entries;
use super::layout::Band;
use super::reduce::{Triangle, reduce, reduce_first};
use crate::tile::{Lanes, Tile, subtract_product};
use core::ops::Range;

/// Groups of columns: the knot itself, the next two in the order of elimination, the border.
const GROUPS: usize = 4;
pub(super) const BORDER: usize = 3;

/// Knots of the other band that reach this one.
#[derive(Clone, Debug)]
pub(super) struct Across<'a> {
    pub band: &'a Band,
    /// The knot's place in the order of that band; the next knot comes one before it.
    pub k: usize,
    /// Rows in the strips of k that reach it.
    pub rows: Range<usize>,
}

/// The k-th knot of a band, to be eliminated.
#[derive(Debug)]
pub(super) struct Elimination<'a> {
    pub k: usize,
    /// Whether there are a next knot and one after it.
    pub next: [bool; 2],
    pub across: Option<Across<'a>>,
}

impl Elimination<'_> {
    /// Writes entries of A into the strips of a group, where [`run`](Self::run) reduces them.
    pub fn fill(&self, band: &mut Band, group: usize, entries: Entries<'_>) {
        for strip in 0..self.strips(band, group) {
            let first = self.origin(band, group, strip) + band.above;
            // Of the diagonal block the upper triangle.
            let rows = if group == 0 { band.n.min(4 * strip + 4) } else { band.n };
            entries.fill(&mut band.strips[first..first + rows], strip, rows);
        }
    }

    /// Adds to the diagonal, after [`fill`](Self::fill).
    pub fn shift(&self, band: &mut Band, shift: &[f64]) {
        for (i, shift) in shift.iter().enumerate() {
            let first = self.origin(band, 0, i / 4) + band.above;
            band.strips[first + i].0[i % 4] += shift;
        }
    }

    /// (1). Err: the row whose pivot is not positive.
    pub fn run(&self, band: &mut Band) -> Result<(), usize> {
        if let Some(across) = &self.across {
            self.subtract_across(across, band);
        }
        for i in (0..band.n).step_by(4) {
            match band.n - i {
                1 => self.rows::<1>(i, band)?,
                2 => self.rows::<2>(i, band)?,
                3 => self.rows::<3>(i, band)?,
                _ => self.rows::<4>(i, band)?,
            }
        }
        Ok(())
    }

    /// R rows from i on, a multiple of four.
    fn rows<const R: usize>(&self, i: usize, band: &mut Band) -> Result<(), usize> {
        let own = band.knot(self.k, i / 4);
        let mut triangle = Triangle { rows: [[0.0; 4]; R], inverse: [0.0; R] };
        for group in 0..GROUPS {
            let strips = self.strips(band, group);
            // A group of knots is not reached by the first of the rows.
            let unreached = if group == BORDER { 0 } else { group * band.n };
            let rows = band.missing(self.k).max(unreached)..band.above + i;
            let mut strip = 0;
            if group == 0 {
                let pair = [own, band.knot(self.k, i / 4 + 1)];
                strip = i / 4 + 2;
                let pivots = match strips > i / 4 + 1 {
                    true => reduce_first(&mut band.strips, own, pair, rows.clone(), &mut triangle),
                    false => reduce_first(&mut band.strips, own, [own], rows.clone(), &mut triangle),
                };
                pivots.map_err(|r| i + r)?;
            }
            while strip < strips {
                let pair = [0, 1].map(|c| self.origin(band, group, strip + c));
                match strips - strip {
                    1 => reduce(&mut band.strips, own, [pair[0]], rows.clone(), &triangle),
                    _ => reduce(&mut band.strips, own, pair, rows.clone(), &triangle),
                }
                strip += 2;
            }
        }
        let first = self.k * band.n + i;
        band.inverse[first..first + R].copy_from_slice(&triangle.inverse);
        Ok(())
    }

    /// Strips of a group.
    #[inline(always)]
    fn strips(&self, band: &Band, group: usize) -> usize {
        match group {
            1 | 2 if !self.next[group - 1] => 0,
            BORDER => band.border.div_ceil(4),
            _ => band.block(),
        }
    }

    /// Where row 0 of this knot's strips is in a strip of a group.
    #[inline(always)]
    fn origin(&self, band: &Band, group: usize, strip: usize) -> usize {
        match group {
            BORDER => band.border(strip) + self.k * band.n - band.above,
            _ => band.knot(self.k + group, strip) - group * band.n,
        }
    }

    /// What knots of the other band take away.
    fn subtract_across(&self, across: &Across<'_>, band: &mut Band) {
        let Across { band: other, k, rows } = across;
        for i in (0..band.n).step_by(4) {
            let a = &other.strips[other.knot(*k, i / 4)..][rows.clone()];
            let count = (band.n - i).min(4);
            for group in 0..GROUPS {
                let first = if group == 0 { i / 4 } else { 0 };
                for strip in first..self.strips(band, group) {
                    let origin = match group {
                        BORDER => other.border(strip) + k * other.n - other.above,
                        group => other.knot(k - group, strip) + group * other.n,
                    };
                    let target = self.origin(band, group, strip) + band.above + i;
                    let target = &mut band.strips[target..target + count];
                    let mut tile: Tile<4, 1> = [[Lanes::ZERO]; 4];
                    tile.iter_mut().zip(&*target).for_each(|(tile, own)| tile[0] = *own);
                    subtract_product(&mut tile, a, [&other.strips[origin + rows.start..origin + rows.end]]);
                    target.iter_mut().zip(tile).for_each(|(own, tile)| *own = tile[0]);
                }
            }
        }
    }
}
