//! Unilateral rows by Lemke's pivoting: exact, dense, for small scenes. Friction is a pyramid.
//!
//! With x = J V₀ − c + (J K Jᵀ + R) f: a one-sided row is 0 ≤ f ⟂ x ≥ 0. A row with |f| ≤ bound is
//! three unknowns, f = β₊ − β₋ and λ ≥ 0, with w₊ = x + λ, w₋ = −x + λ, w_λ = bound − β₊ − β₋.

use crate::Error;
use crate::rows::{Bound, Rows};
use crate::six::Six;
use crate::sweeps::Outcome;
use saltus_sim::law::lcp::Tableau;

/// The problem and its tableau; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Direct {
    tableau: Tableau,
    M: Vec<f64>,
    q: Vec<f64>,
    /// First unknown of each row.
    unknown: Vec<usize>,
    /// What one row does to the links.
    response: Vec<Six>,
}

impl Direct {
    /// Impulses of the rows from `first` on for velocities V without them.
    pub fn solve(&mut self, rows: &mut Rows, first: usize, lane: usize, V: &[Six]) -> Result<Outcome, Error> {
        let count = rows.len() - first;
        let mut n = 0;
        self.unknown.clear();
        for row in &rows.rows[first..] {
            self.unknown.push(n);
            n += if row.bound == Bound::OneSided { 1 } else { 3 };
        }
        for (numbers, size) in [(&mut self.M, n * n), (&mut self.q, n)] {
            numbers.clear();
            numbers.resize(size, 0.0);
        }
        (0..count).for_each(|j| self.fill_column(rows, first, j, V.len()));
        (0..count).for_each(|i| self.fill_right_side(rows, first, i, lane, V));
        let pivots = self.tableau.solve_dense(&self.M, &self.q).ok_or(Error::Pivoting { rows: count, time: 0.0 })?;
        let z = self.tableau.z();
        for (row, &k) in rows.rows[first..].iter_mut().zip(&self.unknown) {
            row.force[lane] = if row.bound == Bound::OneSided { z[k] } else { z[k] - z[k + 1] };
        }
        Ok(Outcome { sweeps: pivots, change: 0.0, converged: true })
    }

    /// Columns of row j: those of A = J K Jᵀ + R.
    fn fill_column(&mut self, rows: &Rows, first: usize, j: usize, links: usize) {
        let n = self.q.len();
        self.response.clear();
        self.response.resize(links, Six::ZERO);
        for block in rows.responses(first + j) {
            self.response[block.link as usize] = block.value;
        }
        let of = self.unknown[j];
        let two_sided = rows.rows[first + j].bound != Bound::OneSided;
        for (i, &k) in self.unknown.iter().enumerate() {
            let own = if i == j { rows.rows[first + i].compliance } else { 0.0 };
            let a = rows.velocity(first + i, &self.response) + own;
            let signs: &[f64] = if rows.rows[first + i].bound == Bound::OneSided { &[1.0] } else { &[1.0, -1.0] };
            for (r, sign) in signs.iter().enumerate() {
                self.M[(k + r) * n + of] = sign * a;
                if two_sided {
                    self.M[(k + r) * n + of + 1] = -sign * a;
                }
            }
        }
    }

    /// The right-hand side of row i, and its bounds.
    fn fill_right_side(&mut self, rows: &Rows, first: usize, i: usize, lane: usize, V: &[Six]) {
        let (row, n, k) = (&rows.rows[first + i], self.q.len(), self.unknown[i]);
        let (M, q) = (&mut self.M, &mut self.q);
        let x = rows.velocity(first + i, V) - row.target[lane];
        q[k] = x;
        if row.bound == Bound::OneSided {
            return;
        }
        q[k + 1] = -x;
        (M[k * n + k + 2], M[(k + 1) * n + k + 2]) = (1.0, 1.0);
        (M[(k + 2) * n + k], M[(k + 2) * n + k + 1]) = (-1.0, -1.0);
        match row.bound {
            Bound::Constant(most) => q[k + 2] = most,
            Bound::Friction { mu, normal } => M[(k + 2) * n + self.unknown[normal as usize - first]] = mu,
            Bound::OneSided | Bound::None => {}
        }
    }
}
