//! One tile of the elimination: what the rows above take away, then division by the triangle of its
//! own rows.
//!
//! All in one function that is not inlined, so that the tile stays in registers from its load to
//! its store.

use crate::tile::{Lanes, Tile, subtract_rows};
use core::ops::Range;

/// What divides the tiles of R rows: U of these rows and columns, and the reciprocals of its
/// diagonal.
pub(super) struct Triangle<const R: usize> {
    pub rows: [[f64; 4]; R],
    pub inverse: [f64; R],
}

/// Reduces the R rows that follow `rows` in the strips at `origin`. `own` is the strip of the
/// columns that are those rows.
#[inline(never)]
pub(super) fn reduce<const R: usize, const C: usize>(
    strips: &mut [Lanes],
    own: usize,
    origin: [usize; C],
    rows: Range<usize>,
    triangle: &Triangle<R>,
) {
    let mut tile: Tile<R, C> = load(strips, own, origin, &rows);
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
    store(strips, origin, rows.end, &tile);
}

/// The same for strips of which the first has the diagonal: finds the triangle, and zeros below it.
/// Err: the row of a pivot that is not positive.
#[inline(never)]
pub(super) fn reduce_first<const R: usize, const C: usize>(
    strips: &mut [Lanes],
    own: usize,
    origin: [usize; C],
    rows: Range<usize>,
    triangle: &mut Triangle<R>,
) -> Result<(), usize> {
    let mut tile: Tile<R, C> = load(strips, own, origin, &rows);
    for r in 0..R {
        let pivot = tile[r][0].0[r];
        // NaN is not positive either.
        if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&pivot) {
            return Err(r);
        }
        // √p · (1/p) and not 1/√p: root and division do not wait for each other.
        let root = pivot.sqrt();
        let inverse = root * (1.0 / pivot);
        for c in 0..C {
            tile[r][c].scale(inverse);
        }
        tile[r][0].0[r] = root;
        triangle.inverse[r] = inverse;
        triangle.rows[r] = tile[r][0].0;
        for below in 0..R {
            if below > r {
                for c in 0..C {
                    let own = tile[r][c];
                    tile[below][c].subtract(triangle.rows[r][below], own);
                }
            }
        }
    }
    for r in 0..R {
        for l in 0..r {
            tile[r][0].0[l] = 0.0;
        }
    }
    store(strips, origin, rows.end, &tile);
    Ok(())
}

#[inline(always)]
fn load<const R: usize, const C: usize>(
    strips: &[Lanes],
    own: usize,
    origin: [usize; C],
    rows: &Range<usize>,
) -> Tile<R, C> {
    let part = origin.map(|origin| &strips[origin + rows.start..origin + rows.end + R]);
    let len = rows.len();
    let mut tile = core::array::from_fn(|r| core::array::from_fn(|c| part[c][len + r]));
    subtract_rows(&mut tile, &strips[own + rows.start..own + rows.end], part);
    tile
}

#[inline(always)]
fn store<const R: usize, const C: usize>(strips: &mut [Lanes], origin: [usize; C], row: usize, tile: &Tile<R, C>) {
    for c in 0..C {
        let target = &mut strips[origin[c] + row..origin[c] + row + R];
        for r in 0..R {
            target[r] = tile[r][c];
        }
    }
}
