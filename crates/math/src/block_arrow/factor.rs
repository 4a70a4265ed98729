//! The order of elimination: both ends towards the middle, the middle, the border.
//!
//! ```text
//! front:  t   reaches t+1, t+2, border        back:  t   reaches t−1, t−2, border
//! middle: m   reached by m−1, m−2 of the front and m+2 of the back; reaches m+1, border
//!         m+1 reached by m, m−1 and m+2, m+3; reaches the border
//! ```
//!
//! Front and back are two [`Band`]s that are eliminated independently; the middle continues the
//! band of the front, with what the back takes from it as well. Each band sums for itself what it
//! takes from the corner, so the bits do not depend on how the halves are run.

use super::BlockArrow;
use super::corner::BATCH;
use super::entries::Entries;
use super::layout::{Band, Shape};
use super::panel::{Across, BORDER, Elimination};
use crate::tile::Lanes;

/// The matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositive {
    /// The unknown at whose elimination a pivot was not positive.
    pub unknown: usize,
}

impl core::fmt::Display for NotPositive {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "the matrix is not positive definite at unknown {}", self.unknown)
    }
}

impl core::error::Error for NotPositive {}

/// Runs one after the other: the `join` of [`BlockArrowFactor::factor`] without threads.
pub fn sequential(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    a();
    b();
}

/// Factors of a [`BlockArrow`]; its memory is allocated once.
#[derive(Clone, Debug)]
pub struct BlockArrowFactor {
    pub(super) shape: Shape,
    /// The first half of the knots and the middle, forward.
    pub(super) front: Band,
    /// The second half, backward.
    pub(super) back: Band,
    pub(super) corner: Band,
    /// Of substitution.
    pub(super) work: Vec<f64>,
}

/// The matrix and its shift.
#[derive(Clone, Copy)]
struct Problem<'a> {
    a: &'a BlockArrow,
    shift: &'a [f64],
}

impl BlockArrowFactor {
    /// Memory for matrices of this shape.
    pub fn new(n: usize, count: usize, border: usize) -> Self {
        let shape = Shape::new(n, count, border);
        Self {
            shape,
            front: Band::new(n, shape.front + shape.middle, 0, border),
            back: Band::new(n, shape.back, shape.middle, border),
            corner: Band::dense(border),
            work: Vec::new(),
        }
    }

    /// Factors A + diag(shift).
    ///
    /// `join(a, b)` runs both halves, one after the other ([`sequential`]) or at the same time; the
    /// bits are the same. It must have run both when it returns. Panics where the shapes differ.
    ///
    /// # Errors
    /// The unknown at which the matrix is not positive definite, or not finite.
    pub fn factor<J>(&mut self, a: &BlockArrow, shift: &[f64], join: J) -> Result<(), NotPositive>
    where
        J: FnOnce(&mut (dyn FnMut() + Send), &mut (dyn FnMut() + Send)),
    {
        let shape = self.shape;
        assert_eq!(shape, Shape::new(a.n(), a.count(), a.border()), "the matrix has another shape");
        assert_eq!(shift.len(), a.dim(), "one shift for each unknown");
        let problem = Problem { a, shift };
        // Halves that are not run count as failed.
        let untouched = Err(NotPositive { unknown: 0 });
        let (mut front, mut back) = (untouched, untouched);
        join(&mut || front = problem.factor_front(&shape, &mut self.front), &mut || {
            back = problem.factor_back(&shape, &mut self.back);
        });
        front?;
        back?;
        problem.factor_middle(&shape, &mut self.front, &self.back)?;
        self.factor_corner(&problem)
    }

    /// The border: dense, starts from the corner of A less what was taken from it.
    fn factor_corner(&mut self, problem: &Problem<'_>) -> Result<(), NotPositive> {
        let border = self.shape.border;
        let knots = self.shape.n * self.shape.count;
        let entries = problem.a.corner();
        for (k, own) in self.corner.strips.iter_mut().enumerate() {
            let (strip, i) = (k / border, k % border);
            let taken = (self.front.taken[k].0, self.back.taken[k].0);
            for l in 0..4 {
                let j = 4 * strip + l;
                let entry = if j < border && j >= i { entries[j * border + i] } else { 0.0 };
                own.0[l] = entry + (taken.0[l] + taken.1[l]);
            }
        }
        let elimination = Elimination { k: 0, next: [false; 2], across: None };
        elimination.shift(&mut self.corner, &problem.shift[knots..]);
        elimination.run(&mut self.corner).map_err(|i| NotPositive { unknown: knots + i })
    }
}

impl<'a> Problem<'a> {
    /// Knots 0, 1, … .
    fn factor_front(&self, shape: &Shape, band: &mut Band) -> Result<(), NotPositive> {
        band.taken.fill(Lanes::ZERO);
        let mut taken = 0;
        for t in 0..shape.front {
            self.eliminate(t, t, [Some(self.columns(t + 1, t)), Some(self.columns(t + 2, t))], None, band)?;
            self.take(&mut taken, (t + 1) * shape.n, t + 1 == shape.front, band);
        }
        Ok(())
    }

    /// Knots count − 1, count − 2, … .
    fn factor_back(&self, shape: &Shape, band: &mut Band) -> Result<(), NotPositive> {
        band.taken.fill(Lanes::ZERO);
        let mut taken = 0;
        for k in 0..shape.back {
            let t = shape.count - 1 - k;
            // With a single knot of the back and none of the front, t − 2 exists: the middle has
            // two.
            self.eliminate(t, k, [Some(self.rows(t, t - 1)), Some(self.rows(t, t - 2))], None, band)?;
            self.take(&mut taken, (k + 1) * shape.n, k + 1 == shape.back, band);
        }
        Ok(())
    }

    /// The knots between.
    fn factor_middle(&self, shape: &Shape, front: &mut Band, back: &Band) -> Result<(), NotPositive> {
        let n = shape.n;
        for t in shape.front..shape.front + shape.middle {
            let last = t + 1 == shape.front + shape.middle;
            let next = (!last).then(|| self.columns(t + 1, t));
            let across = (shape.back > 0).then(|| {
                // In the order of the back the last knot of the middle comes first, and the other
                // after it.
                let (k, end) = if last { (shape.back, 2 * n) } else { (shape.back + 1, n) };
                Across { band: back, k, rows: back.missing(k)..end }
            });
            self.eliminate(t, t, [next, None], across, front)?;
        }
        front.take(shape.front * n..(shape.front + shape.middle) * n);
        Ok(())
    }

    /// Knot t, the k-th of its band.
    fn eliminate(
        &self,
        t: usize,
        k: usize,
        next: [Option<Entries<'_>>; 2],
        across: Option<Across<'_>>,
        band: &mut Band,
    ) -> Result<(), NotPositive> {
        let Self { a, shift } = *self;
        let n = a.n();
        let elimination = Elimination { k, next: next.map(|next| next.is_some()), across };
        elimination.fill(band, 0, self.columns(t, t));
        elimination.shift(band, &shift[t * n..(t + 1) * n]);
        for (g, entries) in next.into_iter().enumerate() {
            if let Some(entries) = entries {
                elimination.fill(band, 1 + g, entries);
            }
        }
        let border = Entries { data: a.border_rows(t), stride: a.stride(), transposed: true };
        elimination.fill(band, BORDER, border);
        elimination.run(band).map_err(|i| NotPositive { unknown: t * n + i })
    }

    /// Takes rows from `taken` to `end` from the corner, if they are many or the last.
    fn take(&self, taken: &mut usize, end: usize, last: bool, band: &mut Band) {
        if last || end - *taken >= BATCH {
            band.take(*taken..end);
            *taken = end;
        }
    }

    /// Block (t, s) for the elimination of s, whose rows are columns of the block.
    fn columns(&self, t: usize, s: usize) -> Entries<'a> {
        Entries { data: self.a.block(t, s), stride: self.a.stride(), transposed: true }
    }

    /// Block (t, s) for the elimination of t.
    fn rows(&self, t: usize, s: usize) -> Entries<'a> {
        Entries { data: self.a.block(t, s), stride: self.a.stride(), transposed: false }
    }
}
