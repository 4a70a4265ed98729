//! Elimination of one panel: the rows of U of one knot.
//!
//! ```text
//! U_ttᵀ [U_tt U_t,1 U_t,2 U_t,b] = [A_tt A_t,1 A_t,2 A_t,b] − Σ_s U_s,tᵀ [U_s,t U_s,1 U_s,2 U_s,b]      (1)
//! ```
//!
//! with 1 and 2 the next two knots in the order of elimination, b the border, and s the knots already eliminated that
//! reach t. Left-looking: four rows at a time, each tile of the right side starts from the entries of A, loses the sum over
//! s and over the rows above it in one go while it stays in registers, is divided by its 4 × 4 triangle, and is stored once.

use super::entries::Entries;
use crate::tile::{Lanes, Tile, subtract_product};

/// Groups of strips in a panel: its own knot, the next two in the order of elimination, the border.
pub(super) const GROUPS: usize = 4;

/// A panel that was eliminated before and reaches this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub panel: &'a [Lanes],
    /// Its groups that have the columns of this panel's groups.
    pub group: [Option<usize>; GROUPS],
}

/// Where the elimination of a group starts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start<'a> {
    /// The group has no columns.
    Absent,
    /// From entries of A.
    Entries(Entries<'a>),
    /// From what the panel holds.
    Panel,
}

/// One panel to be eliminated.
#[derive(Debug)]
pub(super) struct Elimination<'a> {
    /// Rows of all panels.
    pub rows: usize,
    /// Strips of a knot's group.
    pub block: usize,
    /// Strips of the border's group.
    pub border: usize,
    pub start: [Start<'a>; GROUPS],
    pub sources: &'a [Source<'a>],
    /// Added to the diagonal.
    pub shift: &'a [f64],
}

/// What divides a tile: the triangle T of its four rows and the reciprocals of its diagonal.
struct Triangle<const R: usize> {
    rows: [[f64; 4]; R],
    inverse: [f64; R],
}

impl Elimination<'_> {
    /// (1). `inverse` are the reciprocals of the diagonal of U. Err: the row whose pivot is not positive.
    pub fn run(&self, panel: &mut [Lanes], inverse: &mut [f64]) -> Result<(), usize> {
        for i in (0..self.rows).step_by(4) {
            match self.rows - i {
                1 => self.rows::<1>(i, panel, inverse)?,
                2 => self.rows::<2>(i, panel, inverse)?,
                3 => self.rows::<3>(i, panel, inverse)?,
                _ => self.rows::<4>(i, panel, inverse)?,
            }
        }
        Ok(())
    }

    fn strips(&self, group: usize) -> usize {
        match self.start[group] {
            Start::Absent => 0,
            _ if group + 1 == GROUPS => self.border,
            _ => self.block,
        }
    }

    #[inline(always)]
    fn start<const R: usize, const C: usize>(
        &self,
        group: usize,
        strip: usize,
        i: usize,
        panel: &[Lanes],
    ) -> Tile<R, C> {
        match &self.start[group] {
            Start::Absent => [[Lanes::ZERO; C]; R],
            Start::Entries(entries) => entries.tile(i, 4 * strip),
            Start::Panel => {
                let first = (group * self.block + strip) * self.rows + i;
                core::array::from_fn(|r| core::array::from_fn(|c| panel[first + c * self.rows + r]))
            }
        }
    }

    /// R rows from i on, a multiple of four.
    fn rows<const R: usize>(&self, i: usize, panel: &mut [Lanes], inverse: &mut [f64]) -> Result<(), usize> {
        let mut tile: Tile<R, 1> = self.start(0, i / 4, i, panel);
        for r in 0..R {
            tile[r][0].0[r] += self.shift[i + r];
        }
        self.subtract(&mut tile, 0, i / 4, i, panel);
        let triangle = factor_square(&mut tile).map_err(|r| i + r)?;
        inverse[i..i + R].copy_from_slice(&triangle.inverse);
        self.store(&tile, i / 4, i, panel);
        for group in 0..GROUPS {
            let strips = self.strips(group);
            let mut strip = if group == 0 { i / 4 + 1 } else { 0 };
            while strip < strips {
                strip += match strips - strip {
                    1 => self.tile::<R, 1>(group, strip, i, panel, &triangle),
                    2 | 4 => self.tile::<R, 2>(group, strip, i, panel, &triangle),
                    _ => self.tile::<R, 3>(group, strip, i, panel, &triangle),
                };
            }
        }
        Ok(())
    }

    /// C strips of a group, off the diagonal. Returns C.
    #[inline(always)]
    fn tile<const R: usize, const C: usize>(
        &self,
        group: usize,
        strip: usize,
        i: usize,
        panel: &mut [Lanes],
        triangle: &Triangle<R>,
    ) -> usize {
        let mut tile: Tile<R, C> = self.start(group, strip, i, panel);
        self.subtract(&mut tile, group, strip, i, panel);
        for r in 0..R {
            for c in 0..C {
                let mut own = tile[r][c];
                own.scale(triangle.inverse[r]);
                tile[r][c] = own;
                for below in r + 1..R {
                    tile[below][c].subtract(triangle.rows[r][below], own);
                }
            }
        }
        self.store(&tile, group * self.block + strip, i, panel);
        C
    }

    /// What eliminated panels and the rows above take away.
    #[inline(always)]
    fn subtract<const R: usize, const C: usize>(
        &self,
        tile: &mut Tile<R, C>,
        group: usize,
        strip: usize,
        i: usize,
        panel: &[Lanes],
    ) {
        let rows = self.rows;
        for source in self.sources {
            let (Some(own), Some(other)) = (source.group[0], source.group[group]) else { continue };
            let a = &source.panel[(own * self.block + i / 4) * rows..][..rows];
            let first = other * self.block + strip;
            subtract_product(tile, a, core::array::from_fn(|c| &source.panel[(first + c) * rows..][..rows]));
        }
        let a = &panel[(i / 4) * rows..][..i];
        subtract_product(tile, a, core::array::from_fn(|c| &panel[(group * self.block + strip + c) * rows..][..i]));
    }

    #[inline(always)]
    fn store<const R: usize, const C: usize>(&self, tile: &Tile<R, C>, strip: usize, i: usize, panel: &mut [Lanes]) {
        for c in 0..C {
            let place = &mut panel[(strip + c) * self.rows + i..][..R];
            for r in 0..R {
                place[r] = tile[r][c];
            }
        }
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
        own.0[..r].fill(0.0);
        own.0[r] = root;
        tile[r][0] = own;
        for below in r + 1..R {
            tile[below][0].subtract(own.0[below], own);
        }
    }
    Ok(Triangle { rows: core::array::from_fn(|r| tile[r][0].0), inverse })
}

/// corner −= Uᵀ U over the rows of the strips `u` of a panel; upper triangle. The corner is strips of `size` rows.
pub(super) fn subtract_gram(corner: &mut [Lanes], size: usize, u: &[Lanes], rows: usize) {
    let strips = size.div_ceil(4);
    for own in 0..strips {
        let mut strip = own;
        while strip < strips {
            strip += match strips - strip {
                1 => gram_tile::<1>(corner, size, u, rows, [own, strip]),
                2 | 4 => gram_tile::<2>(corner, size, u, rows, [own, strip]),
                _ => gram_tile::<3>(corner, size, u, rows, [own, strip]),
            };
        }
    }
}

#[inline(always)]
fn gram_tile<const C: usize>(
    corner: &mut [Lanes],
    size: usize,
    u: &[Lanes],
    rows: usize,
    [own, strip]: [usize; 2],
) -> usize {
    let i = 4 * own;
    let count = (size - i).min(4);
    let mut tile: Tile<4, C> = [[Lanes::ZERO; C]; 4];
    for r in 0..count {
        for c in 0..C {
            tile[r][c] = corner[(strip + c) * size + i + r];
        }
    }
    let a = &u[own * rows..][..rows];
    subtract_product(&mut tile, a, core::array::from_fn(|c| &u[(strip + c) * rows..][..rows]));
    for r in 0..count {
        for c in 0..C {
            corner[(strip + c) * size + i + r] = tile[r][c];
        }
    }
    C
}
