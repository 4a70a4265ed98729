//! Substitution: (A + shift) x = b as Uᵀ y = b in the order of elimination, then U x = y in the
//! reverse order.
//!
//! ```text
//! y_t = U_ttᵀ⁻¹ (b_t − Σ_s U_stᵀ y_s)      over the s that reach t                   (1)
//! x_t = U_tt⁻¹ y_t,   y_s −= U_st x_t      for the s that reach t                   (2)
//! ```
//!
//! Front and back are independent as in the factors, so that two threads can work on them, each
//! with what it keeps in its cache. The numbers are arranged for that, those of the back in their
//! order of elimination; each half has a border of its own, and sums for itself what its knots take
//! from it:
//!
//! ```text
//! front | middle | border | back, reversed | border of the back
//! ```

use super::factor::BlockArrowFactor;
use super::layout::Band;
use super::side::Side;
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

    /// The rows of knots in the border's strips.
    fn border_part(&self, knots: Range<usize>) -> Part<'_> {
        let strips = &self.strips[self.border(0) + knots.start * self.n..];
        Part { strips, stride: self.border_stride, rows: self.n * knots.len(), columns: self.border }
    }

    /// (1) for the knots, whose numbers `x` begins with, and what they take from the border, which
    /// starts at `border`.
    fn forward(&self, knots: Range<usize>, x: &mut Side<'_>, border: usize) {
        let n = self.n;
        for k in knots.clone() {
            let start = self.missing(k);
            x.forward(self.part(k, start..2 * n), k * n + start - 2 * n, k * n);
            x.divide_transposed(self.triangle(k), k * n);
        }
        if self.border > 0 {
            x.forward(self.border_part(knots.clone()), knots.start * n, border);
        }
    }

    /// (2) for the knots, after the border.
    fn backward(&self, knots: Range<usize>, x: &mut Side<'_>, border: usize) {
        let n = self.n;
        if self.border > 0 {
            x.backward(self.border_part(knots.clone()), knots.start * n, border);
        }
        for k in knots.rev() {
            x.divide(self.triangle(k), k * n);
            let start = self.missing(k);
            x.backward(self.part(k, start..2 * n), k * n + start - 2 * n, k * n);
        }
    }
}

impl BlockArrowFactor {
    /// x ← (A + shift)⁻¹ x. `join` as in [`factor`](Self::factor).
    pub fn solve<J>(&mut self, x: &mut [f64], join: J)
    where
        J: Fn(&mut (dyn FnMut() + Send), &mut (dyn FnMut() + Send)),
    {
        let shape = self.shape;
        let (knots, first) = (shape.n * shape.count, shape.n * (shape.front + shape.middle));
        assert_eq!(x.len(), knots + shape.border, "one number for each unknown");
        let mut work = core::mem::take(&mut self.work);
        work.clear();
        work.extend_from_slice(&x[..first]);
        work.extend_from_slice(&x[knots..]);
        x[first..knots].rchunks_exact(shape.n.max(1)).for_each(|knot| work.extend_from_slice(knot));
        work.resize(knots + 2 * shape.border, 0.0);

        self.substitute(&mut work, &join);

        x[..first].copy_from_slice(&work[..first]);
        x[knots..].copy_from_slice(&work[first..first + shape.border]);
        let back = work[first + shape.border..].chunks_exact(shape.n.max(1));
        x[first..knots].rchunks_exact_mut(shape.n.max(1)).zip(back).for_each(|(x, y)| x.copy_from_slice(y));
        self.work = work;
    }

    /// (1) and (2) for all knots and the border.
    fn substitute(&self, x: &mut [f64], join: &impl Fn(&mut (dyn FnMut() + Send), &mut (dyn FnMut() + Send))) {
        let shape = self.shape;
        let border = shape.n * (shape.front + shape.middle);
        let back = border + shape.border;
        let back_border = back + shape.n * shape.back;
        let halves = |x: &mut [f64], work: fn(&Band, Range<usize>, &mut Side<'_>, usize)| {
            let (front, rest) = x.split_at_mut(back);
            let (mut front, mut rest) = (Side { x: front }, Side { x: rest });
            join(&mut || work(&self.front, 0..shape.front, &mut front, border), &mut || {
                work(&self.back, 0..shape.back, &mut rest, back_border - back);
            });
        };
        halves(x, Band::forward);
        let (own, other) = x.split_at_mut(back_border);
        own[border..back].iter_mut().zip(&*other).for_each(|(own, other)| *own += other);
        self.substitute_middle(&mut Side { x }, border, back);
        let (own, other) = x.split_at_mut(back_border);
        other.copy_from_slice(&own[border..back]);
        halves(x, Band::backward);
    }

    /// (1) and (2) for the knots in the middle, which the back reaches too, and the corner.
    fn substitute_middle(&self, x: &mut Side<'_>, border: usize, back: usize) {
        let (n, shape) = (self.shape.n, self.shape);
        let middle = shape.front..shape.front + shape.middle;
        // Rows of the back that reach knot t of the middle, and the first number they belong to.
        let across = |t: usize| {
            let (k, end) = if t + 1 == middle.end { (shape.back, 2 * n) } else { (shape.back + 1, n) };
            let start = self.back.missing(k);
            (self.back.part(k, start..end), back + k * n + start - 2 * n)
        };
        for t in middle.clone() {
            if shape.back > 0 {
                let (u, rows) = across(t);
                x.forward(u, rows, t * n);
            }
            self.front.forward(t..t + 1, x, border);
        }
        if shape.border > 0 {
            x.divide_transposed(self.corner.triangle(0), border);
            x.divide(self.corner.triangle(0), border);
        }
        for t in middle.clone().rev() {
            self.front.backward(t..t + 1, x, border);
            if shape.back > 0 {
                let (u, rows) = across(t);
                x.backward(u, rows, t * n);
            }
        }
    }
}
