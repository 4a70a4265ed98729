//! The order of elimination: both ends towards the middle, the middle, the border.
//!
//! With `count` knots, `front` of them are eliminated forward (0, 1, …), `back` backward (count−1, count−2, …), and the
//! one or two between last. A panel reaches the next two in its own order, so front and back meet in the middle only:
//!
//! ```text
//! front:  t   reaches t+1, t+2, border        back:  t   reaches t−1, t−2, border
//! middle: m   reached by m−1, m−2 of the front and m+2 of the back; reaches m+1, border
//!         m+1 reached by m, m−1 and m+2, m+3; reaches the border
//! ```
//!
//! Each half adds what it takes from the corner to its own sum, so the bits do not depend on how the halves are run.

use super::BlockArrow;
use super::entries::Entries;
use super::panel::{Elimination, Source, Start, subtract_gram};
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

/// Sizes, and which knots belong to which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub n: usize,
    pub count: usize,
    pub border: usize,
    /// Strips of a block.
    pub block: usize,
    /// Knots that are eliminated forward.
    pub front: usize,
    /// Knots in the middle: two, or as many as there are.
    pub middle: usize,
}

impl Shape {
    fn new(n: usize, count: usize, border: usize) -> Self {
        Self { n, count, border, block: n.div_ceil(4), front: count.saturating_sub(2) / 2, middle: count.min(2) }
    }

    /// Strips of a panel, the border's last.
    pub fn strips(&self) -> usize {
        3 * self.block + self.border.div_ceil(4)
    }

    /// Numbers of a panel, in fours.
    pub fn panel(&self) -> usize {
        self.strips() * self.n
    }
}

/// Factors of a [`BlockArrow`]; its memory is allocated once.
#[derive(Clone, Debug)]
pub struct BlockArrowFactor {
    pub(super) shape: Shape,
    /// Rows of U, a panel for each knot: strips of the knot itself, of the next two in its order, of the border.
    pub(super) panels: Vec<Lanes>,
    /// Rows of U of the border.
    pub(super) corner: Vec<Lanes>,
    /// Reciprocals of the diagonal of U.
    pub(super) inverse: Vec<f64>,
    /// What front and back take from the corner.
    taken: [Vec<Lanes>; 2],
}

/// One half of the elimination.
struct Half<'a> {
    a: &'a BlockArrow,
    shape: Shape,
    shift: &'a [f64],
    /// Panels of this half, by knot.
    panels: &'a mut [Lanes],
    inverse: &'a mut [f64],
    taken: &'a mut [Lanes],
    /// First knot of this half.
    first: usize,
    failed: Option<usize>,
}

impl BlockArrowFactor {
    /// Memory for matrices of this shape.
    pub fn new(n: usize, count: usize, border: usize) -> Self {
        let shape = Shape::new(n, count, border);
        let corner = vec![Lanes::ZERO; border.div_ceil(4) * border];
        Self {
            shape,
            panels: vec![Lanes::ZERO; shape.panel() * count],
            inverse: vec![0.0; n * count + border],
            taken: [corner.clone(), corner.clone()],
            corner,
        }
    }

    /// Factors A + diag(shift).
    ///
    /// `join(a, b)` runs both halves, one after the other ([`sequential`]) or at the same time; the bits are the same. It
    /// must have run both when it returns. Panics where the shapes differ.
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
        let Shape { n, front, middle, .. } = shape;
        let split = front + middle;

        let (front_panels, rest) = self.panels.split_at_mut(front * shape.panel());
        let (_, back_panels) = rest.split_at_mut(middle * shape.panel());
        let (front_inverse, rest) = self.inverse.split_at_mut(front * n);
        let back_inverse = &mut rest[middle * n..(shape.count - front) * n];
        let [front_taken, back_taken] = &mut self.taken;
        let half =
            |first, panels, inverse, taken| Half { a, shape, shift, panels, inverse, taken, first, failed: None };
        let mut front_half = half(0, front_panels, front_inverse, front_taken);
        let mut back_half = half(split, back_panels, back_inverse, back_taken);
        join(&mut || front_half.forward(), &mut || back_half.backward());
        if let Some(unknown) = front_half.failed.or(back_half.failed) {
            return Err(NotPositive { unknown });
        }
        self.factor_middle(a, shift)?;
        self.factor_corner(a, shift)
    }

    /// The knots between front and back.
    fn factor_middle(&mut self, a: &BlockArrow, shift: &[f64]) -> Result<(), NotPositive> {
        let shape = self.shape;
        let (front, size) = (shape.front, shape.panel());
        if shape.middle == 0 {
            return Ok(());
        }
        let (before, rest) = self.panels.split_at_mut(front * size);
        let (first, rest) = rest.split_at_mut(size);
        let (second, after) = rest.split_at_mut((shape.middle - 1) * size);
        // Of the front: one and two before the middle; of the back: one and two behind.
        let nth = |panels, k: usize| panel_of(panels, size, k);
        let near = front.checked_sub(1).and_then(|k| nth(before, k));
        let far = front.checked_sub(2).and_then(|k| nth(before, k));
        let (behind, beyond) = (nth(after, 0), nth(after, 1));

        let inverse = &mut self.inverse[front * shape.n..];
        let (first_inverse, second_inverse) = inverse.split_at_mut(shape.n);
        let mut knot = Knot { a, shape, t: front, shift };
        let next = if shape.middle == 2 { lower(a, front + 1, front) } else { Start::Absent };
        let sources = [source(near, NEAR), source(far, FAR), source(behind, ACROSS)];
        knot.eliminate([next, Start::Absent], &sources, first, first_inverse)?;
        subtract_gram(&mut self.taken[0], shape.border, &first[3 * shape.block * shape.n..], shape.n);
        if shape.middle == 2 {
            knot.t += 1;
            let sources = [source(Some(first), LAST), source(near, FAR), source(behind, LAST), source(beyond, FAR)];
            knot.eliminate([Start::Absent; 2], &sources, second, second_inverse)?;
            subtract_gram(&mut self.taken[0], shape.border, &second[3 * shape.block * shape.n..], shape.n);
        }
        Ok(())
    }

    /// The border: one panel that starts from the corner of A and what was taken from it.
    fn factor_corner(&mut self, a: &BlockArrow, shift: &[f64]) -> Result<(), NotPositive> {
        let border = self.shape.border;
        let knots = self.shape.n * self.shape.count;
        let [front, back] = &self.taken;
        for (k, own) in self.corner.iter_mut().enumerate() {
            let (strip, i) = (k / border, k % border);
            for l in 0..4 {
                let j = 4 * strip + l;
                let entry = if j < border && j >= i { a.corner()[j * border + i] } else { 0.0 };
                own.0[l] = entry + (front[k].0[l] + back[k].0[l]);
            }
        }
        let start = [Start::Panel, Start::Absent, Start::Absent, Start::Absent];
        let shift = &shift[knots..];
        let elimination =
            Elimination { rows: border, block: border.div_ceil(4), border: 0, start, sources: &[], shift };
        elimination.run(&mut self.corner, &mut self.inverse[knots..]).map_err(|i| NotPositive { unknown: knots + i })
    }
}

/// The groups of a panel one step earlier that have this panel's columns: knot, next, next but one, border.
const NEAR: [Option<usize>; 4] = [Some(1), Some(2), None, Some(3)];
/// The same of the panel two steps earlier.
const FAR: [Option<usize>; 4] = [Some(2), None, None, Some(3)];
/// The same of a panel one step earlier, where there is no next knot.
const LAST: [Option<usize>; 4] = [Some(1), None, None, Some(3)];
/// The same of the last panel of the back for the first knot of the middle: its next but one and its next.
const ACROSS: [Option<usize>; 4] = [Some(2), Some(1), None, Some(3)];

/// A source that may be missing, with no groups then.
fn source(panel: Option<&[Lanes]>, group: [Option<usize>; 4]) -> Source<'_> {
    panel.map_or(Source { panel: &[], group: [None; 4] }, |panel| Source { panel, group })
}

fn panel_of(panels: &[Lanes], size: usize, k: usize) -> Option<&[Lanes]> {
    panels.get(k * size..(k + 1) * size)
}

/// Block (t, s) where the panel is that of s: its rows are columns of the block.
fn lower(a: &BlockArrow, t: usize, s: usize) -> Start<'_> {
    Start::Entries(Entries { data: a.block(t, s), stride: a.stride(), transposed: true, columns: a.n() })
}

/// Block (t, s) where the panel is that of t.
fn upper(a: &BlockArrow, t: usize, s: usize) -> Start<'_> {
    Start::Entries(Entries { data: a.block(t, s), stride: a.stride(), transposed: false, columns: a.n() })
}

/// A knot that is to be eliminated.
struct Knot<'a> {
    a: &'a BlockArrow,
    shape: Shape,
    t: usize,
    shift: &'a [f64],
}

impl Knot<'_> {
    fn eliminate(
        &self,
        [next, next2]: [Start<'_>; 2],
        sources: &[Source<'_>],
        panel: &mut [Lanes],
        inverse: &mut [f64],
    ) -> Result<(), NotPositive> {
        let Self { a, shape, t, shift } = *self;
        let n = shape.n;
        let data = a.border_block(t);
        let border = Entries { data, stride: a.stride(), transposed: true, columns: shape.border };
        let elimination = Elimination {
            rows: n,
            block: shape.block,
            border: shape.border.div_ceil(4),
            start: [lower(a, t, t), next, next2, Start::Entries(border)],
            sources,
            shift: &shift[t * n..(t + 1) * n],
        };
        elimination.run(panel, &mut inverse[..n]).map_err(|i| NotPositive { unknown: t * n + i })
    }
}

impl Half<'_> {
    /// The first half: 0, 1, … .
    fn forward(&mut self) {
        self.taken.fill(Lanes::ZERO);
        let size = self.shape.panel();
        for k in 0..self.inverse.len() / self.shape.n.max(1) {
            let (before, rest) = self.panels.split_at_mut(k * size);
            let near = k.checked_sub(1).and_then(|k| panel_of(before, size, k));
            let far = k.checked_sub(2).and_then(|k| panel_of(before, size, k));
            let t = self.first + k;
            let next = [lower(self.a, t + 1, t), lower(self.a, t + 2, t)];
            let inverse = &mut self.inverse[k * self.shape.n..];
            let knot = Knot { a: self.a, shape: self.shape, t, shift: self.shift };
            let result = knot.eliminate(next, &[source(near, NEAR), source(far, FAR)], &mut rest[..size], inverse);
            if let Err(e) = result {
                self.failed = Some(e.unknown);
                return;
            }
            self.take(k);
        }
    }

    /// The second half: count − 1, count − 2, … .
    fn backward(&mut self) {
        self.taken.fill(Lanes::ZERO);
        let size = self.shape.panel();
        for k in (0..self.inverse.len() / self.shape.n.max(1)).rev() {
            let (rest, after) = self.panels.split_at_mut((k + 1) * size);
            let (near, far) = (panel_of(after, size, 0), panel_of(after, size, 1));
            let t = self.first + k;
            let next = [upper(self.a, t, t - 1), upper(self.a, t, t - 2)];
            let inverse = &mut self.inverse[k * self.shape.n..];
            let knot = Knot { a: self.a, shape: self.shape, t, shift: self.shift };
            let panel = &mut rest[k * size..];
            if let Err(e) = knot.eliminate(next, &[source(near, NEAR), source(far, FAR)], panel, inverse) {
                self.failed = Some(e.unknown);
                return;
            }
            self.take(k);
        }
    }

    /// What panel k takes from the corner.
    fn take(&mut self, k: usize) {
        let Shape { n, border, block, .. } = self.shape;
        let size = self.shape.panel();
        subtract_gram(self.taken, border, &self.panels[k * size + 3 * block * n..(k + 1) * size], n);
    }
}
