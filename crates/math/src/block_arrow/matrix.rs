//! The matrix: blocks of each knot side by side in memory, so that threads can fill knots
//! independently.

use crate::kernel::dot;

/// Symmetric: `count` blocks of size n, block-pentadiagonal, and a dense border of `border` rows.
///
/// Blocks have [`stride`](Self::stride) rows of that many numbers; those beyond n have no meaning
/// and start as zeros.
#[derive(Clone, Debug)]
pub struct BlockArrow {
    n: usize,
    count: usize,
    border: usize,
    stride: usize,
    /// For each knot t the blocks (t, t), (t, t−1), (t, t−2) and (border, t), the last with rows up
    /// to a multiple of four.
    knots: Vec<f64>,
    corner: Vec<f64>,
}

/// The blocks of one knot t. Of knots without t−1 or t−2 those blocks are present but have no
/// meaning.
#[derive(Debug)]
pub struct KnotBlocks<'a> {
    /// (t, t), of which the lower triangle counts.
    pub diag: &'a mut [f64],
    /// (t, t−1).
    pub lower1: &'a mut [f64],
    /// (t, t−2).
    pub lower2: &'a mut [f64],
    /// Rows of the border, columns of t.
    pub border: &'a mut [f64],
}

impl BlockArrow {
    /// The zero matrix.
    pub fn new(n: usize, count: usize, border: usize) -> Self {
        let stride = n.next_multiple_of(4);
        let knots = vec![0.0; count * stride * (3 * stride + border.next_multiple_of(4))];
        Self { n, count, border, stride, knots, corner: vec![0.0; border * border] }
    }

    /// Unknowns of a knot.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of knots.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Rows of the border.
    pub fn border(&self) -> usize {
        self.border
    }

    /// Number of unknowns: n · count + border.
    pub fn dim(&self) -> usize {
        self.n * self.count + self.border
    }

    /// Distance of rows in blocks: n, rounded up to a multiple of four.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.knots.fill(0.0);
        self.corner.fill(0.0);
    }

    /// Numbers of one knot.
    fn per_knot(&self) -> usize {
        self.stride * (3 * self.stride + self.border.next_multiple_of(4))
    }

    fn block_start(&self, t: usize, s: usize) -> usize {
        assert!(t < self.count && s <= t && t - s <= 2, "block ({t}, {s}) is outside of the band");
        t * self.per_knot() + (t - s) * self.stride * self.stride
    }

    /// Block (t, s), t−2 ≤ s ≤ t, row-major with [`stride`](Self::stride); of diagonal blocks the
    /// lower triangle counts.
    pub fn block(&self, t: usize, s: usize) -> &[f64] {
        let start = self.block_start(t, s);
        &self.knots[start..start + self.stride * self.stride]
    }

    /// Block (t, s), to be filled.
    pub fn block_mut(&mut self, t: usize, s: usize) -> &mut [f64] {
        let start = self.block_start(t, s);
        &mut self.knots[start..start + self.stride * self.stride]
    }

    /// Rows of the border, columns of knot t: border × n, row-major with [`stride`](Self::stride).
    pub fn border_block(&self, t: usize) -> &[f64] {
        &self.border_rows(t)[..self.border * self.stride]
    }

    /// Rows of the border, columns of knot t, to be filled.
    pub fn border_block_mut(&mut self, t: usize) -> &mut [f64] {
        let start = t * self.per_knot() + 3 * self.stride * self.stride;
        &mut self.knots[start..start + self.border * self.stride]
    }

    /// [`border_block`](Self::border_block) with rows of zeros up to a multiple of four.
    pub(super) fn border_rows(&self, t: usize) -> &[f64] {
        let per_knot = self.per_knot();
        &self.knots[t * per_knot + 3 * self.stride * self.stride..(t + 1) * per_knot]
    }

    /// border × border, row-major without padding; the lower triangle counts.
    pub fn corner(&self) -> &[f64] {
        &self.corner
    }

    /// The corner, to be filled.
    pub fn corner_mut(&mut self) -> &mut [f64] {
        &mut self.corner
    }

    /// All blocks but the corner, knot by knot, as disjoint pieces that threads can fill at the
    /// same time.
    pub fn knots_mut(&mut self) -> impl Iterator<Item = KnotBlocks<'_>> {
        let (block, border, per_knot) = (self.stride * self.stride, self.stride * self.border, self.per_knot());
        // `max`: chunks of no numbers are not allowed.
        self.knots.chunks_exact_mut(per_knot.max(1)).map(move |knot| {
            let (diag, rest) = knot.split_at_mut(block);
            let (lower1, rest) = rest.split_at_mut(block);
            let (lower2, rest) = rest.split_at_mut(block);
            KnotBlocks { diag, lower1, lower2, border: &mut rest[..border] }
        })
    }

    /// y = A x.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        let (n, stride, knots) = (self.n, self.stride, self.n * self.count);
        y[..self.dim()].fill(0.0);
        for t in 0..self.count {
            add_symmetric(self.block(t, t), stride, &x[t * n..(t + 1) * n], &mut y[t * n..(t + 1) * n]);
            for s in t.saturating_sub(2)..t {
                let (ys, yt) = y.split_at_mut(t * n);
                let (ys, yt) = (&mut ys[s * n..(s + 1) * n], &mut yt[..n]);
                add_both(self.block(t, s), stride, [&x[t * n..(t + 1) * n], &x[s * n..(s + 1) * n]], [yt, ys]);
            }
            let (yt, yb) = y[..self.dim()].split_at_mut(knots);
            let (xt, yt) = (&x[t * n..(t + 1) * n], &mut yt[t * n..(t + 1) * n]);
            add_both(self.border_block(t), stride, [&x[knots..], xt], [yb, yt]);
        }
        let dim = self.dim();
        add_symmetric(&self.corner, self.border, &x[knots..dim], &mut y[knots..dim]);
    }

    /// The diagonal of A.
    pub fn diagonal(&self, d: &mut [f64]) {
        let (own, border) = d[..self.dim()].split_at_mut(self.n * self.count);
        for t in 0..self.count {
            let block = self.block(t, t);
            (0..self.n).for_each(|i| own[t * self.n + i] = block[i * self.stride + i]);
        }
        border.iter_mut().enumerate().for_each(|(i, d)| *d = self.corner[i * self.border + i]);
    }
}

/// y += A x with the lower triangle of A.
fn add_symmetric(a: &[f64], stride: usize, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        let row = &a[i * stride..i * stride + i + 1];
        y[i] += dot(row, &x[..i + 1]);
        y[..i].iter_mut().zip(row).for_each(|(y, a)| *y += a * x[i]);
    }
}

/// y₀ += A x₁ and y₁ += Aᵀ x₀.
fn add_both(a: &[f64], stride: usize, x: [&[f64]; 2], y: [&mut [f64]; 2]) {
    let [rows, columns] = y;
    for (i, y) in rows.iter_mut().enumerate() {
        let row = &a[i * stride..i * stride + columns.len()];
        *y += dot(row, x[1]);
        columns.iter_mut().zip(row).for_each(|(y, a)| *y += a * x[0][i]);
    }
}
