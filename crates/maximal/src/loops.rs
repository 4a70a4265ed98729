//! Loops: equalities on top of the trees, by their Schur complement.
//!
//! With T the solve of the trees and E the rows of equalities, (1) Σ = E T Eᵀ + R, (2) f = Σ⁻¹ (c −
//! E V_tree), V = V_tree + T Eᵀ f. Rows that depend on those before them (planar loops closed in
//! space have such) get no impulse; whether they are satisfied all the same is checked after the
//! solve.

use crate::rows::{Block, Rows};
use crate::six::Six;
use crate::tree::Tree;

/// Share of its diagonal below which a pivot of Σ counts as zero.
const DEPENDENT: f64 = 1e-9;

/// Factors of Σ and the responses of the equalities' rows.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    n: usize,
    /// T Eᵀ · n × links.
    response: Vec<Six>,
    /// Cholesky factor of Σ · n × n; zero rows where dependent.
    L: Vec<f64>,
    f: Vec<f64>,
    links: usize,
}

impl Loops {
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Factors for the equalities of `rows`. Needs the factors of the trees; `all` lists all links.
    pub fn factor(&mut self, tree: &mut Tree, rows: &Rows, all: &[u32], links: usize) {
        self.n = rows.end_bilateral - rows.end_soft;
        self.links = links;
        let n = self.n;
        self.response.clear();
        self.response.resize(n * links, Six::ZERO);
        self.L.clear();
        self.L.resize(n * n, 0.0);
        self.f.clear();
        self.f.resize(n, 0.0);
        for e in 0..n {
            tree.respond(rows.blocks(rows.end_soft + e), all, &mut self.response[e * links..(e + 1) * links]);
        }
        for i in 0..n {
            let row = rows.end_soft + i;
            for j in 0..=i {
                let own = if i == j { rows.rows[row].compliance } else { 0.0 };
                self.L[i * n + j] = rows.velocity(row, &self.response[j * links..(j + 1) * links]) + own;
            }
        }
        self.factor_schur();
    }

    fn factor_schur(&mut self) {
        let n = self.n;
        for i in 0..n {
            let diagonal = self.L[i * n + i];
            for j in 0..=i {
                let mut sum = self.L[i * n + j];
                for k in 0..j {
                    sum -= self.L[i * n + k] * self.L[j * n + k];
                }
                self.L[i * n + j] = match i == j {
                    true if sum > DEPENDENT * diagonal => sum.sqrt(),
                    true => 0.0,
                    false if self.L[j * n + j] > 0.0 => sum / self.L[j * n + j],
                    false => 0.0,
                };
            }
        }
    }

    /// V ← V + T Eᵀ f (2) for a solution V of the trees and the right-hand sides of a lane; f into
    /// the rows' forces.
    pub fn correct(&mut self, lane: usize, V: &mut [Six], rows: &mut Rows) {
        self.find(|row| rows.rows[row].target[lane], V, rows);
        for i in 0..self.n {
            rows.rows[rows.end_soft + i].force[lane] = self.f[i];
        }
        self.add(V);
    }

    /// V that unit impulses on `blocks` make on all links.
    pub fn respond(&mut self, tree: &mut Tree, blocks: &[Block], all: &[u32], V: &mut [Six], rows: &Rows) {
        tree.respond(blocks, all, V);
        self.find(|_| 0.0, V, rows);
        self.add(V);
    }

    /// f = Σ⁻¹ (c − E V).
    fn find(&mut self, target: impl Fn(usize) -> f64, V: &[Six], rows: &Rows) {
        let n = self.n;
        for i in 0..n {
            let row = rows.end_soft + i;
            self.f[i] = target(row) - rows.velocity(row, V);
        }
        for i in 0..n {
            let pivot = self.L[i * n + i];
            let sum: f64 = (0..i).map(|k| self.L[i * n + k] * self.f[k]).sum();
            self.f[i] = if pivot > 0.0 { (self.f[i] - sum) / pivot } else { 0.0 };
        }
        for i in (0..n).rev() {
            let pivot = self.L[i * n + i];
            let sum: f64 = (i + 1..n).map(|k| self.L[k * n + i] * self.f[k]).sum();
            self.f[i] = if pivot > 0.0 { (self.f[i] - sum) / pivot } else { 0.0 };
        }
    }

    /// V += T Eᵀ f.
    fn add(&self, V: &mut [Six]) {
        for (f, response) in self.f.iter().zip(self.response.chunks_exact(self.links.max(1))) {
            V.iter_mut().zip(response).for_each(|(V, x)| V.add_scaled(*f, x));
        }
    }

    /// The equality row that got no impulse and is violated the most: its index and |E V − c|.
    pub fn contradiction(&self, lane: usize, V: &[Six], rows: &Rows) -> Option<(usize, f64)> {
        let n = self.n;
        let violated =
            |i: usize| (rows.velocity(rows.end_soft + i, V) - rows.rows[rows.end_soft + i].target[lane]).abs();
        (0..n)
            .filter(|&i| self.L[i * n + i] == 0.0)
            .map(|i| (rows.end_soft + i, violated(i)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }
}
