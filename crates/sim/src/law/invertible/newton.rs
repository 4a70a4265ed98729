//! Newton's equations (1 + Lᵀ K L) y = b, K = A + A G A, with iterative refinement.
//!
//! Factors may be those of an approximate matrix, or y a small difference of large numbers; the
//! residual is solved for again until it is small.

use super::inertia::Inertia;
use super::response::{self, Block};
use super::rows::Rows;

/// Largest residual relative to the solution, and maximum number of solutions.
const REFINED: f64 = 1e-3;
const REFINEMENTS: usize = 5;

/// Working memory, by rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    rest: Vec<f64>,
    x: Vec<f64>,
    product: Vec<f64>,
}

impl Newton {
    /// Solves for y with the right-hand side b that `right` writes; false if round-off makes the
    /// matrix indefinite.
    pub fn solve(
        &mut self,
        rows: &Rows,
        A: &mut impl Inertia,
        L: &[Block],
        G: &[f64],
        right: impl Fn(&mut [f64]),
        y: &mut [f64],
    ) -> bool {
        if !A.factor(rows, L, G) {
            return false;
        }
        self.rest.resize(y.len(), 0.0);
        self.x.resize(y.len(), 0.0);
        right(&mut self.rest);
        y.fill(0.0);
        for _ in 0..REFINEMENTS {
            A.add_solution(rows, L, &self.rest, y);
            right(&mut self.rest);
            self.subtract_product(rows, A, L, G, y);
            if size(&self.rest) <= REFINED * size(y) {
                break;
            }
        }
        y.iter().all(|y| y.is_finite())
    }

    /// rest −= (1 + Lᵀ K L) y.
    fn subtract_product(&mut self, rows: &Rows, A: &mut impl Inertia, L: &[Block], G: &[f64], y: &[f64]) {
        let Self { rest, x, product } = self;
        rest.iter_mut().zip(y).for_each(|(rest, y)| *rest -= y);
        response::mul(rows, L, y, x);
        A.mul(x, product);
        response::subtract_transposed(rows, L, product, rest);
        for (x, (product, G)) in x.iter_mut().zip(product.iter().zip(G)) {
            *x = G * product;
        }
        A.mul_normals(rows, x, product);
        response::subtract_transposed(rows, L, product, rest);
    }
}

/// Maximum norm.
pub(super) fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| x.abs().max(m))
}
