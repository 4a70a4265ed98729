//! Elimination of one knot: its rows of U.
//!
//! ```text
//! U_ttᵀ [U_tt U_t,1 U_t,2 U_t,b] = [A_tt A_t,1 A_t,2 A_t,b] − Σ_s U_s,tᵀ [U_s,t U_s,1 U_s,2 U_s,b]      (1)
//! ```
//!
//! with 1 and 2 the next two knots in the order of elimination, b the border, and s the knots already eliminated that
//! reach t. Left-looking: four rows at a time, each tile of the right side, which holds entries of A at first, loses the sum over
//! s and over the rows above it in one go while it stays in registers, is divided by its 4 × 4 triangle, and is stored once.

use super::entries::Entries;
use super::layout::Band;
use crate::tile::{Tile, subtract_product};
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

/// What divides a tile: the triangle of its four rows and the reciprocals of its diagonal.
struct Triangle<const R: usize> {
    rows: [[f64; 4]; R],
    inverse: [f64; R],
}

/// Rows i.. of the C strips from `strip` of a group.
#[derive(Clone, Copy)]
struct Place {
    group: usize,
    strip: usize,
    i: usize,
}

impl Elimination<'_> {
    /// Writes entries of A into the strips of a group, above which they are then reduced.
    pub fn fill(&self, band: &mut Band, group: usize, entries: Entries<'_>) {
        let strips = if group == BORDER { band.border.div_ceil(4) } else { band.block() };
        for strip in 0..strips {
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
        let place = Place { group: 0, strip: i / 4, i };
        let mut tile: Tile<R, 1> = self.reduced(place, band);
        let triangle = factor_square(&mut tile).map_err(|r| i + r)?;
        let first = self.k * band.n + i;
        band.inverse[first..first + R].copy_from_slice(&triangle.inverse);
        self.store(&tile, place, band);
        for group in 0..GROUPS {
            let strips = match group {
                1 | 2 if !self.next[group - 1] => continue,
                BORDER => band.border.div_ceil(4),
                _ => band.block(),
            };
            let mut strip = if group == 0 { i / 4 + 1 } else { 0 };
            while strip < strips {
                let place = Place { group, strip, i };
                strip += match strips - strip {
                    1 => self.divided::<R, 1>(place, band, &triangle),
                    2 | 4 => self.divided::<R, 2>(place, band, &triangle),
                    _ => self.divided::<R, 3>(place, band, &triangle),
                };
            }
        }
        Ok(())
    }

    /// C strips off the diagonal. Returns C.
    #[inline(always)]
    fn divided<const R: usize, const C: usize>(&self, place: Place, band: &mut Band, triangle: &Triangle<R>) -> usize {
        let mut tile: Tile<R, C> = self.reduced(place, band);
        for r in 0..R {
            for c in 0..C {
                tile[r][c].scale(triangle.inverse[r]);
            }
            // All rows, so that the loop has a constant length and the tile stays in registers.
            for below in 0..R {
                if below > r {
                    for c in 0..C {
                        let own = tile[r][c];
                        tile[below][c].subtract(triangle.rows[r][below], own);
                    }
                }
            }
        }
        self.store(&tile, place, band);
        C
    }

    /// Where row 0 of this knot's strips is in a strip of a group.
    #[inline(always)]
    fn origin(&self, band: &Band, group: usize, strip: usize) -> usize {
        match group {
            BORDER => band.border(strip) + self.k * band.n - band.above,
            _ => band.knot(self.k + group, strip) - group * band.n,
        }
    }

    /// What the strips hold less what the rows above take away.
    #[inline(always)]
    fn reduced<const R: usize, const C: usize>(&self, place: Place, band: &Band) -> Tile<R, C> {
        let Place { group, strip, i } = place;
        let origin: [usize; C] = core::array::from_fn(|c| self.origin(band, group, strip + c));
        let end = band.above + i;
        let part = origin.map(|origin| &band.strips[origin + end..origin + end + R]);
        let mut tile: Tile<R, C> = core::array::from_fn(|r| core::array::from_fn(|c| part[c][r]));
        if let Some(across) = &self.across {
            across.subtract(&mut tile, place);
        }
        // A group of knots is not reached by the first of the rows.
        let unreached = if group == BORDER { 0 } else { group * band.n };
        let rows = band.missing(self.k).max(unreached)..end;
        let own = band.knot(self.k, i / 4);
        let a = &band.strips[own + rows.start..own + rows.end];
        subtract_product(&mut tile, a, origin.map(|b| &band.strips[b + rows.start..b + rows.end]));
        tile
    }

    #[inline(always)]
    fn store<const R: usize, const C: usize>(&self, tile: &Tile<R, C>, place: Place, band: &mut Band) {
        let first = band.above + place.i;
        for c in 0..C {
            let origin = self.origin(band, place.group, place.strip + c);
            let target = &mut band.strips[origin + first..origin + first + R];
            for r in 0..R {
                target[r] = tile[r][c];
            }
        }
    }
}

impl Across<'_> {
    #[inline(always)]
    fn subtract<const R: usize, const C: usize>(&self, tile: &mut Tile<R, C>, place: Place) {
        let Self { band, k, rows } = self;
        let origin = |c| match place.group {
            BORDER => band.border(place.strip + c) + k * band.n - band.above,
            group => band.knot(k - group, place.strip + c) + group * band.n,
        };
        let own = band.knot(*k, place.i / 4);
        let b = core::array::from_fn(|c| &band.strips[origin(c) + rows.start..origin(c) + rows.end]);
        subtract_product(tile, &band.strips[own + rows.start..own + rows.end], b);
    }
}

/// Cholesky of a square of R rows, upper triangle; what is below becomes zero. Err: the row of a pivot that is not positive.
#[inline(always)]
fn factor_square<const R: usize>(tile: &mut Tile<R, 1>) -> Result<Triangle<R>, usize> {
    let mut inverse = [0.0; R];
    for r in 0..R {
        let pivot = tile[r][0].0[r];
        // NaN is not positive either.
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return Err(r);
        }
        let root = pivot.sqrt();
        inverse[r] = 1.0 / root;
        let mut own = tile[r][0];
        own.scale(inverse[r]);
        for l in 0..4 {
            if l < r {
                own.0[l] = 0.0;
            }
        }
        own.0[r] = root;
        tile[r][0] = own;
        for below in 0..R {
            if below > r {
                tile[below][0].subtract(own.0[below], own);
            }
        }
    }
    Ok(Triangle { rows: core::array::from_fn(|r| tile[r][0].0), inverse })
}
