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
    /// x[columns] −= Uᵀ x[rows].
    fn forward(&mut self, u: Part<'_>, rows: usize, columns: usize);
    /// x[rows] −= U x[columns].
    fn backward(&mut self, u: Part<'_>, rows: usize, columns: usize);
    /// x ← U⁻ᵀ x.
    fn divide_transposed(&mut self, u: Triangle<'_>, at: usize);
    /// x ← U⁻¹ x.
    fn divide(&mut self, u: Triangle<'_>, at: usize);
}

impl<'a> Part<'a> {
    /// A strip and what its last row needs: as many rows as there are.
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

/// One right side.
struct One<'a> {
    x: &'a mut [f64],
}

impl One<'_> {
    /// The four numbers of strip j of columns that start at `at`; zeros beyond the last.
    #[inline(always)]
    fn lanes(&self, u: &Part<'_>, at: usize, j: usize) -> Lanes {
        Lanes::load(&self.x[at + 4 * j..], u.columns - 4 * j)
    }

    #[inline(always)]
    fn set_lanes(&mut self, u: &Part<'_>, at: usize, j: usize, value: Lanes) {
        value.store(&mut self.x[at + 4 * j..], u.columns - 4 * j);
    }

    /// C strips of [`Substitute::forward`], each a chain of sums of its own. Returns C.
    #[inline(never)]
    fn forward_strips<const C: usize>(&mut self, u: &Part<'_>, rows: usize, columns: usize, j: usize) -> usize {
        let mut sum: [Lanes; C] = core::array::from_fn(|c| self.lanes(u, columns, j + c));
        let strips: [&[Lanes]; C] = core::array::from_fn(|c| u.strip(j + c));
        let x = &self.x[rows..rows + u.rows];
        let strips = strips.map(|strip| &strip[..x.len()]);
        for (k, x) in x.iter().enumerate() {
            for c in 0..C {
                sum[c].subtract(*x, strips[c][k]);
            }
        }
        (0..C).for_each(|c| self.set_lanes(u, columns, j + c, sum[c]));
        C
    }

    /// C strips of [`Substitute::backward`]. Returns C.
    #[inline(never)]
    fn backward_strips<const C: usize>(&mut self, u: &Part<'_>, rows: usize, columns: usize, j: usize) -> usize {
        let x: [Lanes; C] = core::array::from_fn(|c| self.lanes(u, columns, j + c));
        let strips: [&[Lanes]; C] = core::array::from_fn(|c| u.strip(j + c));
        let target = &mut self.x[rows..rows + u.rows];
        let strips = strips.map(|strip| &strip[..target.len()]);
        for (k, target) in target.iter_mut().enumerate() {
            let mut sum = Lanes::ZERO;
            for c in 0..C {
                sum.add_product(strips[c][k], x[c]);
            }
            *target -= sum.sum();
        }
        C
    }
}

/// The triangle of strip j and its reciprocals, zeros where there are fewer than four rows.
#[inline(always)]
fn square(Triangle { u, inverse }: &Triangle<'_>, j: usize) -> ([Lanes; 4], Lanes) {
    let (rows, inverse) = (&u.strip(j)[4 * j..], &inverse[4 * j..]);
    match (rows.first_chunk(), inverse.first_chunk()) {
        (Some(rows), Some(inverse)) => (*rows, Lanes(*inverse)),
        _ => {
            let mut out = [Lanes::ZERO; 4];
            out.iter_mut().zip(rows).for_each(|(out, row)| *out = *row);
            (out, Lanes::load(inverse, inverse.len()))
        }
    }
}

impl Substitute for One<'_> {
    fn forward(&mut self, u: Part<'_>, rows: usize, columns: usize) {
        let strips = u.columns.div_ceil(4);
        let mut j = 0;
        while j < strips {
            j += match strips - j {
                1 => self.forward_strips::<1>(&u, rows, columns, j),
                2 => self.forward_strips::<2>(&u, rows, columns, j),
                3 => self.forward_strips::<3>(&u, rows, columns, j),
                4 => self.forward_strips::<4>(&u, rows, columns, j),
                5 => self.forward_strips::<5>(&u, rows, columns, j),
                6 => self.forward_strips::<6>(&u, rows, columns, j),
                7 => self.forward_strips::<7>(&u, rows, columns, j),
                _ => self.forward_strips::<8>(&u, rows, columns, j),
            };
        }
    }

    fn backward(&mut self, u: Part<'_>, rows: usize, columns: usize) {
        let strips = u.columns.div_ceil(4);
        let mut j = 0;
        while j < strips {
            j += match strips - j {
                1 => self.backward_strips::<1>(&u, rows, columns, j),
                2 => self.backward_strips::<2>(&u, rows, columns, j),
                3 => self.backward_strips::<3>(&u, rows, columns, j),
                4 => self.backward_strips::<4>(&u, rows, columns, j),
                5 => self.backward_strips::<5>(&u, rows, columns, j),
                6 => self.backward_strips::<6>(&u, rows, columns, j),
                7 => self.backward_strips::<7>(&u, rows, columns, j),
                _ => self.backward_strips::<8>(&u, rows, columns, j),
            };
        }
    }

    fn divide_transposed(&mut self, triangle: Triangle<'_>, at: usize) {
        let u = triangle.u;
        let strips = u.columns.div_ceil(4);
        for j in 0..strips {
            let (own, inverse) = square(&triangle, j);
            let mut x = self.lanes(&u, at, j);
            for r in 0..4 {
                x.0[r] *= inverse.0[r];
                for l in 0..4 {
                    if l > r {
                        x.0[l] -= own[r].0[l] * x.0[r];
                    }
                }
            }
            self.set_lanes(&u, at, j, x);
            for other in j + 1..strips {
                let mut y = self.lanes(&u, at, other);
                let rows = &u.strip(other)[4 * j..4 * j + 4];
                (0..4).for_each(|r| y.subtract(x.0[r], rows[r]));
                self.set_lanes(&u, at, other, y);
            }
        }
    }

    fn divide(&mut self, triangle: Triangle<'_>, at: usize) {
        let u = triangle.u;
        for j in (0..u.columns.div_ceil(4)).rev() {
            let (own, inverse) = square(&triangle, j);
            let mut x = self.lanes(&u, at, j);
            for r in (0..4).rev() {
                for l in 0..4 {
                    if l > r {
                        x.0[r] -= own[r].0[l] * x.0[l];
                    }
                }
                x.0[r] *= inverse.0[r];
            }
            self.set_lanes(&u, at, j, x);
            // What these four take from the rows above.
            let (above, rows) = (&mut self.x[at..at + 4 * j], &u.strip(j)[..4 * j]);
            for (y, row) in above.iter_mut().zip(rows) {
                let mut sum = Lanes::ZERO;
                sum.add_product(*row, x);
                *y -= sum.sum();
            }
        }
    }
}
