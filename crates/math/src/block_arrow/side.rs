//! What substitution does with one part of U.
//!
//! Forward each strip is a chain of sums, so up to eight strips go side by side; backward each row
//! is a sum over strips.

use super::solve::{Part, Triangle};
use crate::tile::Lanes;

/// The right side, which becomes the solution.
pub(super) struct Side<'a> {
    pub x: &'a mut [f64],
}

impl Side<'_> {
    /// The four numbers of strip j of columns that start at `at`; zeros beyond the last.
    #[inline(always)]
    fn lanes(&self, u: &Part<'_>, at: usize, j: usize) -> Lanes {
        Lanes::load(&self.x[at + 4 * j..], u.columns - 4 * j)
    }

    #[inline(always)]
    fn set_lanes(&mut self, u: &Part<'_>, at: usize, j: usize, value: Lanes) {
        value.store(&mut self.x[at + 4 * j..], u.columns - 4 * j);
    }

    /// C strips of [`forward`](Self::forward), each a chain of sums of its own. Returns C.
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

    /// C strips of [`backward`](Self::backward). Returns C.
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

impl Side<'_> {
    /// `x[columns] −= Uᵀ x[rows]`.
    pub fn forward(&mut self, u: Part<'_>, rows: usize, columns: usize) {
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

    /// `x[rows] −= U x[columns]`.
    pub fn backward(&mut self, u: Part<'_>, rows: usize, columns: usize) {
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

    /// x ← U⁻ᵀ x.
    pub fn divide_transposed(&mut self, triangle: Triangle<'_>, at: usize) {
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

    /// x ← U⁻¹ x.
    pub fn divide(&mut self, triangle: Triangle<'_>, at: usize) {
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
