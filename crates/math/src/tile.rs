//! The register tile that all dense kernels share.
//!
//! Matrices are kept as *strips*: four neighbouring columns, row after row, so that a strip is a
//! plain slice of [`Lanes`]. A product Aᵀ B is then a walk down one strip of A and a few strips of
//! B at once, with all sums in registers: no strides, no bounds to check, and loads that never
//! cross a cache line.

/// Four numbers of one row.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(crate) struct Lanes(pub [f64; 4]);

impl Lanes {
    pub const ZERO: Self = Self([0.0; 4]);

    /// self −= s · b.
    #[inline(always)]
    pub fn subtract(&mut self, s: f64, b: Self) {
        for l in 0..4 {
            self.0[l] -= s * b.0[l];
        }
    }

    /// self += b ∘ c.
    #[inline(always)]
    pub fn add_product(&mut self, b: Self, c: Self) {
        for l in 0..4 {
            self.0[l] += b.0[l] * c.0[l];
        }
    }

    /// Sum of the four.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + c) + (b + d)
    }

    #[inline(always)]
    pub fn scale(&mut self, s: f64) {
        for l in 0..4 {
            self.0[l] *= s;
        }
    }

    /// The first `count` numbers at `x`, then zeros.
    #[inline(always)]
    pub fn load(x: &[f64], count: usize) -> Self {
        if let (true, Some(x)) = (count >= 4, x.first_chunk::<4>()) {
            return Self(*x);
        }
        let mut out = [0.0; 4];
        for (out, x) in out.iter_mut().zip(x).take(count) {
            *out = *x;
        }
        Self(out)
    }

    /// Writes the first `count` numbers to `x`.
    #[inline(always)]
    pub fn store(self, x: &mut [f64], count: usize) {
        if let (true, Some(x)) = (count >= 4, x.first_chunk_mut::<4>()) {
            *x = self.0;
            return;
        }
        for (x, own) in x.iter_mut().zip(self.0).take(count) {
            *x = own;
        }
    }
}

/// The transpose of a 4 × 4 block.
#[inline(always)]
pub(crate) fn transpose(rows: [[f64; 4]; 4]) -> [Lanes; 4] {
    let [a, b, c, d] = rows;
    core::array::from_fn(|l| Lanes([a[l], b[l], c[l], d[l]]))
}

/// R rows of C strips.
pub(crate) type Tile<const R: usize, const C: usize> = [[Lanes; C]; R];

/// tile −= Aᵀ B over the rows of the strip `a`; of A the first R columns count. The strips `b` are
/// at least as long.
///
/// For use in small functions only: among much other code the sums would not all get registers.
#[inline(always)]
pub(crate) fn subtract_rows<const R: usize, const C: usize>(tile: &mut Tile<R, C>, a: &[Lanes], b: [&[Lanes]; C]) {
    let b = b.map(|strip| &strip[..a.len()]);
    let mut sum = *tile;
    for (k, a) in a.iter().enumerate() {
        for c in 0..C {
            let b = b[c][k];
            for r in 0..R {
                sum[r][c].subtract(a.0[r], b);
            }
        }
    }
    *tile = sum;
}

/// [`subtract_rows`] as a function of its own.
#[inline(never)]
pub(crate) fn subtract_product<const R: usize, const C: usize>(tile: &mut Tile<R, C>, a: &[Lanes], b: [&[Lanes]; C]) {
    subtract_rows(tile, a, b);
}
