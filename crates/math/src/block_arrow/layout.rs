//! Where numbers of U are: strips of four columns that hold all rows that reach them, one after the
//! other.
//!
//! A knot is reached by the two before it in the order of elimination. The strips of its columns
//! have 3n rows: those of the knot two steps before, of the one before, and its own. Strips of the
//! border have the rows of all knots. So a row has the same distance from the rows above it in all
//! strips, and each sum of the elimination, whatever number of knots it goes over, is one walk down
//! two strips.

use crate::tile::Lanes;

/// Number of knots and unknowns, and which knots are eliminated in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub n: usize,
    pub count: usize,
    pub border: usize,
    /// Knots that are eliminated forward: 0, 1, … .
    pub front: usize,
    /// Knots that are eliminated backward: count − 1, count − 2, … .
    pub back: usize,
    /// Knots between them, eliminated last: two, or as many as there are.
    pub middle: usize,
}

impl Shape {
    pub fn new(n: usize, count: usize, border: usize) -> Self {
        let (front, middle) = (count.saturating_sub(2) / 2, count.min(2));
        Self { n, count, border, front, back: count - front - middle, middle }
    }
}

/// The strips of consecutive knots, in their order of elimination, and of the border.
#[derive(Clone, Debug)]
pub(super) struct Band {
    pub strips: Vec<Lanes>,
    /// Reciprocals of the diagonal of U.
    pub inverse: Vec<f64>,
    /// What these knots take from the corner, strips of `border` rows.
    pub taken: Vec<Lanes>,
    pub n: usize,
    pub border: usize,
    /// Rows in the strips of a knot above its own: 2n.
    pub above: usize,
    /// First number of the border's strips.
    border_start: usize,
    /// Distance of the border's strips.
    pub border_stride: usize,
}

impl Band {
    /// `knots` that are eliminated, and `reached` more that they reach.
    pub fn new(n: usize, knots: usize, reached: usize, border: usize) -> Self {
        let border_start = 3 * n * n.div_ceil(4) * (knots + reached);
        // Strips that lie a multiple of 4 KiB apart would compete for the same lines of the
        // first-level cache.
        let rows = n * knots;
        let border_stride = rows + (3 * n + 128 - rows % 128) % 128;
        let strips = border.div_ceil(4);
        Self {
            strips: vec![Lanes::ZERO; border_start + border_stride * strips],
            inverse: vec![0.0; rows],
            taken: vec![Lanes::ZERO; strips * border],
            n,
            border,
            above: 2 * n,
            border_start,
            border_stride,
        }
    }

    /// A dense matrix: one knot with no rows above.
    pub fn dense(n: usize) -> Self {
        let strips = vec![Lanes::ZERO; n * n.div_ceil(4)];
        let border_start = strips.len();
        let (inverse, taken) = (vec![0.0; n], Vec::new());
        Self { strips, inverse, taken, n, border: 0, above: 0, border_start, border_stride: 0 }
    }

    /// Strips of a knot.
    pub fn block(&self) -> usize {
        self.n.div_ceil(4)
    }

    /// Length of the strips of a knot.
    pub fn rows(&self) -> usize {
        self.above + self.n
    }

    /// Rows in the strips of knot k that do not exist: those of knots before the first.
    pub fn missing(&self, k: usize) -> usize {
        self.above.saturating_sub(k * self.n)
    }

    /// Place of a strip of knot k.
    #[inline(always)]
    pub fn knot(&self, k: usize, strip: usize) -> usize {
        (k * self.block() + strip) * self.rows()
    }

    /// Place of a strip of the border.
    #[inline(always)]
    pub fn border(&self, strip: usize) -> usize {
        self.border_start + strip * self.border_stride
    }
}
