//! Substitution: (A + shift) x = b as Uᵀ y = b in the order of elimination, then U x = y in the reverse order.
//!
//! ```text
//! y_t = U_ttᵀ⁻¹ (b_t − Σ_s U_stᵀ y_s)      over the s that reach t                   (1)
//! x_t = U_tt⁻¹ y_t,   y_s −= U_st x_t      for the s that reach t                   (2)
//! ```
//!
//! The knots of the back are put into their order of elimination first, so that the rows of all strips are consecutive
//! numbers of x.

use super::factor::BlockArrowFactor;
use super::layout::Band;
use super::many::Columns;
use super::one::One;
use crate::tile::Lanes;
use core::ops::Range;

/// Part of U: the same rows of neighbouring strips.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    strips: &'a [Lanes],
    stride: usize,
    pub rows: usize,
    pub columns: usize,
}

/// Diagonal block of U.
#[derive(Clone, Copy)]
pub(super) struct Triangle<'a> {
    pub u: Part<'a>,
    pub inverse: &'a [f64],
}

/// What substitution does to one or several right sides; `x` are all numbers.
pub(super) trait Substitute {
    /// `x[columns] −= Uᵀ x[rows]`.
    fn forward(&mut self, u: Part<'_>, rows: usize, columns: usize);
    /// `x[rows] −= U x[columns]`.
    fn backward(&mut self, u: Part<'_>, rows: usize, columns: usize);
    /// x ← U⁻ᵀ x.
    fn divide_transposed(&mut self, u: Triangle<'_>, at: usize);
    /// x ← U⁻¹ x.
    fn divide(&mut self, u: Triangle<'_>, at: usize);
}

impl<'a> Part<'a> {
    /// Strip j.
    #[inline(always)]
    pub fn strip(&self, j: usize) -> &'a [Lanes] {
        &self.strips[j * self.stride..j * self.stride + self.rows]
    }
}

impl Band {
    /// Rows of the strips of knot k.
    fn part(&self, k: usize, rows: Range<usize>) -> Part<'_> {
        let strips = &self.strips[self.knot(k, 0) + rows.start..];
        Part { strips, stride: self.rows(), rows: rows.len(), columns: self.n }
    }

    fn triangle(&self, k: usize) -> Triangle<'_> {
        let u = self.part(k, self.above..self.rows());
        Triangle { u, inverse: &self.inverse[k * self.n..(k + 1) * self.n] }
    }

    /// All rows of the border's strips.
    fn border_part(&self) -> Part<'_> {
        let strips = &self.strips[self.border(0)..];
        Part { strips, stride: self.border_stride, rows: self.n * self.knots, columns: self.border }
    }
}

impl BlockArrowFactor {
    /// x ← (A + shift)⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.dim(), "one number for each unknown");
        self.reverse_back(x, 1);
        self.substitute(&mut One { x });
        self.reverse_back(x, 1);
    }

    /// x ← (A + shift)⁻¹ x for m right sides: x is dim × m, row-major.
    pub fn solve_many(&self, x: &mut [f64], m: usize) {
        assert_eq!(x.len(), self.dim() * m, "one row for each unknown");
        self.reverse_back(x, m);
        let mut c = 0;
        while c < m {
            c += match m - c {
                8.. => self.columns::<8>(x, m, c),
                4.. => self.columns::<4>(x, m, c),
                _ => self.columns::<1>(x, m, c),
            };
        }
        self.reverse_back(x, m);
    }

    fn dim(&self) -> usize {
        self.shape.n * self.shape.count + self.shape.border
    }

    /// W right sides from column c on. Returns W.
    fn columns<const W: usize>(&self, x: &mut [f64], m: usize, c: usize) -> usize {
        self.substitute(&mut Columns::<W> { x, m, c });
        W
    }

    /// Reverses the order of the knots of the back.
    fn reverse_back(&self, x: &mut [f64], m: usize) {
        let knot = self.shape.n * m;
        let (start, end) = ((self.shape.front + self.shape.middle) * knot, self.shape.count * knot);
        let (first, second) = x[start..end].split_at_mut(self.shape.back / 2 * knot);
        let second = second.rchunks_exact_mut(knot.max(1));
        first.chunks_exact_mut(knot.max(1)).zip(second).for_each(|(a, b)| a.swap_with_slice(b));
    }

    /// (1) and (2) for all knots and the border.
    fn substitute(&self, x: &mut impl Substitute) {
        let n = self.shape.n;
        let middle = self.shape.front..self.shape.front + self.shape.middle;
        // First unknown of the back and of the border.
        let (back, border) = (middle.end * n, self.shape.count * n);
        let own = |band: &Band, k: usize| (band.missing(k), 2 * n);
        // Rows of the back that reach knot t of the middle, and the first unknown they belong to.
        let across = |t: usize| {
            let (k, end) = if t + 1 == middle.end { (self.shape.back, 2 * n) } else { (self.shape.back + 1, n) };
            let start = self.back.missing(k);
            (self.back.part(k, start..end), back + k * n + start - 2 * n)
        };

        for k in 0..self.shape.back {
            let (start, end) = own(&self.back, k);
            x.forward(self.back.part(k, start..end), back + k * n + start - 2 * n, back + k * n);
            x.divide_transposed(self.back.triangle(k), back + k * n);
        }
        for t in 0..middle.end {
            let (start, end) = own(&self.front, t);
            x.forward(self.front.part(t, start..end), t * n + start - 2 * n, t * n);
            if t >= middle.start && self.shape.back > 0 {
                let (u, rows) = across(t);
                x.forward(u, rows, t * n);
            }
            x.divide_transposed(self.front.triangle(t), t * n);
        }
        if self.shape.border > 0 {
            x.forward(self.front.border_part(), 0, border);
            x.forward(self.back.border_part(), back, border);
            x.divide_transposed(self.corner.triangle(0), border);
            x.divide(self.corner.triangle(0), border);
            x.backward(self.front.border_part(), 0, border);
            x.backward(self.back.border_part(), back, border);
        }
        for t in (0..middle.end).rev() {
            x.divide(self.front.triangle(t), t * n);
            let (start, end) = own(&self.front, t);
            x.backward(self.front.part(t, start..end), t * n + start - 2 * n, t * n);
            if t >= middle.start && self.shape.back > 0 {
                let (u, rows) = across(t);
                x.backward(u, rows, t * n);
            }
        }
        for k in (0..self.shape.back).rev() {
            x.divide(self.back.triangle(k), back + k * n);
            let (start, end) = own(&self.back, k);
            x.backward(self.back.part(k, start..end), back + k * n + start - 2 * n, back + k * n);
        }
    }
}
