//! The dense product that assembles Hessians: c += Aᵀ diag(w) A, row-major with strides.
//!
//! It is made of tiles of four rows of c (see `tile`). What a tile walks down is first packed into
//! strips, DEPTH rows of up to PANEL strips at a time; packing is a small part of the work because
//! each strip is then used many times. The strips are kept from product to product: to clear them
//! takes as long as a product of few rows.

use crate::tile::{Lanes, Tile, subtract_rows};

/// Maximum number of rows that are packed at once.
const DEPTH: usize = 24;
/// Number of strips that are packed at once.
const PANEL: usize = 16;

/// Working memory for products.
#[derive(Clone, Debug)]
pub struct Gram {
    packed: Packed,
    /// −w times four columns of the rows that are packed.
    scaled: [Lanes; DEPTH],
}

/// Strips of DEPTH rows, of which the first `depth` count.
#[derive(Clone, Debug)]
struct Packed {
    strips: Vec<[Lanes; DEPTH]>,
    depth: usize,
}

/// The part of c that a tile is added to, or that it replaces.
struct Target<'a> {
    c: &'a mut [f64],
    replace: bool,
    stride: usize,
    /// First row.
    row: usize,
    /// Rows that exist, up to four.
    rows: usize,
    /// Columns that exist.
    columns: usize,
}

/// A, its number of rows and columns, its stride, and the weights of its rows.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<'a> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Values, row by row.
    pub a: &'a [f64],
    /// Distance between rows in memory.
    pub stride: usize,
    /// Weights of the rows.
    pub w: &'a [f64],
}

impl Default for Gram {
    fn default() -> Self {
        let packed = Packed { strips: vec![[Lanes::ZERO; DEPTH]; PANEL], depth: 0 };
        Self { packed, scaled: [Lanes::ZERO; DEPTH] }
    }
}

impl Gram {
    /// c += Aᵀ diag(w) A, lower triangle; c is `cols` × `cols` with stride `ldc`.
    ///
    /// Rows with w = 0 are skipped, whatever they hold. In the 4 × 4 blocks on the diagonal the
    /// upper triangle is written too.
    pub fn add(&mut self, factor: Weighted<'_>, c: &mut [f64], ldc: usize) {
        self.product(factor, c, ldc, false);
    }

    /// c = Aᵀ diag(w) A, like [`add`](Self::add) but replacing c.
    pub fn set(&mut self, factor: Weighted<'_>, c: &mut [f64], ldc: usize) {
        if factor.w[..factor.rows].iter().all(|w| *w == 0.0) {
            for (i, row) in c.chunks_mut(ldc).enumerate().take(factor.cols) {
                row[..(i + 1).next_multiple_of(4).min(factor.cols)].fill(0.0);
            }
        }
        self.product(factor, c, ldc, true);
    }

    fn product(&mut self, factor: Weighted<'_>, c: &mut [f64], ldc: usize, mut replace: bool) {
        let Weighted { rows, cols, a, stride, w } = factor;
        let Self { packed, scaled } = self;
        let most = even_depth(w[..rows].iter().filter(|w| **w != 0.0).count());
        let mut row = 0;
        while row < rows {
            // The next rows that count.
            let mut chosen = [0; DEPTH];
            let mut depth = 0;
            while row < rows && depth < most {
                if w[row] != 0.0 {
                    chosen[depth] = row;
                    depth += 1;
                }
                row += 1;
            }
            if depth == 0 {
                break;
            }
            packed.depth = depth;
            for first in (0..cols).step_by(4 * PANEL) {
                let end = cols.min(first + 4 * PANEL);
                for (k, r) in chosen[..depth].iter().enumerate() {
                    packed.set_row(k, &a[r * stride + first..r * stride + end]);
                }
                for i in (first..cols).step_by(4) {
                    let count = (cols - i).min(4);
                    for (own, r) in scaled.iter_mut().zip(&chosen[..depth]) {
                        *own = Lanes::load(&a[r * stride + i..r * stride + cols], count);
                        own.scale(-w[*r]);
                    }
                    let columns = end.min(i + count);
                    let mut target = Target { c, replace, stride: ldc, row: i, rows: count, columns };
                    target.add(&scaled[..depth], packed, first);
                }
            }
            replace = false;
        }
    }
}

/// Rows at once such that `rows` are done in as few parts as possible, of about the same size. At
/// least one.
fn even_depth(rows: usize) -> usize {
    rows.div_ceil(rows.div_ceil(DEPTH).max(1)).clamp(1, DEPTH)
}

impl Packed {
    #[inline(always)]
    fn set_row(&mut self, k: usize, row: &[f64]) {
        let (fours, tail) = row.as_chunks::<4>();
        for (strip, four) in self.strips.iter_mut().zip(fours) {
            strip[k] = Lanes(*four);
        }
        if !tail.is_empty() {
            self.strips[fours.len()][k] = Lanes::load(tail, tail.len());
        }
    }
}

impl Target<'_> {
    /// c −= aᵀ · packed, whose first column is `first`.
    fn add(&mut self, a: &[Lanes], packed: &Packed, first: usize) {
        let width = self.columns - first;
        let mut strip = 0;
        while 4 * strip < width {
            let b = |c: usize| &packed.strips[strip + c][..packed.depth];
            let start = self.row * self.stride + first + 4 * strip;
            let c = &mut self.c[start..];
            strip += match (self.rows, width - 4 * strip) {
                (4, 8..) => add_whole(c, self.stride, a, [b(0), b(1)], self.replace),
                (4, 4..8) => add_whole(c, self.stride, a, [b(0)], self.replace),
                (rows, width) => add_part(c, self.stride, a, b(0), [rows, width.min(4)], self.replace),
            };
        }
    }
}

/// c −= Aᵀ B, or c = −Aᵀ B, four rows. Returns C.
#[inline(never)]
fn add_whole<const C: usize>(c: &mut [f64], stride: usize, a: &[Lanes], b: [&[Lanes]; C], replace: bool) -> usize {
    let mut tile: Tile<4, C> = [[Lanes::ZERO; C]; 4];
    if !replace {
        for r in 0..4 {
            let row = &c[r * stride..r * stride + 4 * C];
            (0..C).for_each(|c| tile[r][c] = Lanes::load(&row[4 * c..], 4));
        }
    }
    subtract_rows(&mut tile, a, b);
    for r in 0..4 {
        let row = &mut c[r * stride..r * stride + 4 * C];
        (0..C).for_each(|c| tile[r][c].store(&mut row[4 * c..], 4));
    }
    C
}

/// The same where fewer than four rows or columns exist. Returns 1.
#[inline(never)]
fn add_part(
    c: &mut [f64],
    stride: usize,
    a: &[Lanes],
    b: &[Lanes],
    [rows, columns]: [usize; 2],
    replace: bool,
) -> usize {
    let mut tile: Tile<4, 1> = [[Lanes::ZERO]; 4];
    if !replace {
        for r in 0..rows {
            tile[r][0] = Lanes::load(&c[r * stride..r * stride + columns], columns);
        }
    }
    subtract_rows(&mut tile, a, [b]);
    for r in 0..rows {
        tile[r][0].store(&mut c[r * stride..r * stride + columns], columns);
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, seed: usize) -> Vec<f64> {
        (0..n).map(|k| ((k * 7919 + seed * 104729 + 13) % 1009) as f64 / 500.0 - 1.0).collect()
    }

    #[test]
    fn the_gram_matrix_is_the_sum_of_its_rows() {
        let mut gram = Gram::default();
        for (rows, cols) in
            [(0, 5), (1, 1), (3, 2), (6, 54), (17, 7), (16, 64), (40, 63), (33, 81), (19, 120), (5, 133)]
        {
            let (lda, ldc) = (cols + 3, cols + 2);
            let mut a = numbers(rows * lda, 1);
            let mut w = numbers(rows, 2);
            for r in (0..rows).step_by(3) {
                w[r] = 0.0;
                a[r * lda..(r + 1) * lda].fill(f64::NAN);
            }
            let before = numbers(cols * ldc, 3);
            let mut c = before.clone();
            let factor = Weighted { rows, cols, a: &a, stride: lda, w: &w };
            gram.add(factor, &mut c, ldc);
            let mut alone = vec![f64::NAN; cols * ldc];
            gram.set(factor, &mut alone, ldc);
            for i in 0..cols {
                for j in 0..ldc {
                    let term = |r: usize| if w[r] == 0.0 { 0.0 } else { w[r] * a[r * lda + i] * a[r * lda + j] };
                    let expected = before[i * ldc + j] + (0..rows).map(term).sum::<f64>();
                    if j <= i {
                        assert!((c[i * ldc + j] - expected).abs() < 1e-12, "{rows} {cols}");
                        let only = expected - before[i * ldc + j];
                        assert!((alone[i * ldc + j] - only).abs() < 1e-12, "{rows} {cols}");
                    } else if j / 4 > i / 4 || j >= cols {
                        assert_eq!(c[i * ldc + j], before[i * ldc + j], "{rows} {cols}");
                    }
                }
            }
        }
    }
}
