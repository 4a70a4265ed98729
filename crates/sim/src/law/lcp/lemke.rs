//! Lemke's complementary pivoting [CottlePangStone1992, §4.4]: w = M z + q, w ≥ 0, z ≥ 0, w·z = 0.
//!
//! A row with a bounded force has three unknowns: f = β₊ − β₋, and λ ≥ 0 with
//!   w₊ = x + λ,  w₋ = −x + λ,  w_λ = bound − β₊ − β₋.
//! For friction the matrix is copositive, so the method finds a solution whenever one exists in
//! that class.

use super::{Bound, ContactSpace, is_immobile};

/// Maximum number of unknowns: for more, pivoting takes too long to be useful.
const MAX_UNKNOWNS: usize = 1500;
/// Entries below this fraction of the largest entry of their column are not used as pivots.
const SMALL: f64 = 1e-11;

/// A solution of a linear complementarity problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Complementarity {
    /// The solution.
    pub z: Vec<f64>,
    /// Number of pivots.
    pub pivots: u32,
}

/// Solves w = M z + q, 0 ≤ w ⟂ z ≥ 0 for a dense row-major M. None if the method ends on a ray (no
/// solution, or M is in a class that it cannot treat), or if the numbers are not finite or their
/// count is wrong.
pub fn solve_lcp(M: &[f64], q: &[f64]) -> Option<Complementarity> {
    let mut tableau = Tableau::default();
    let pivots = tableau.solve_dense(M, q)?;
    Some(Complementarity { z: tableau.z, pivots })
}

/// Tableau with columns w (n), z (n), z₀, q: B⁻¹ (w − M z − d z₀) = B⁻¹ q. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Tableau {
    n: usize,
    values: Vec<f64>,
    /// Basic variable of each row.
    basis: Vec<usize>,
    z: Vec<f64>,
    pivot_row: Vec<f64>,
    /// First unknown of each row of the problem.
    unknown: Vec<usize>,
}

impl Tableau {
    /// Same as [`solve_lcp`]; returns the number of pivots, [`z`](Self::z) is the solution.
    pub fn solve_dense(&mut self, M: &[f64], q: &[f64]) -> Option<u32> {
        let n = q.len();
        if M.len() != n * n || n > MAX_UNKNOWNS || !M.iter().chain(q).all(|x| x.is_finite()) {
            return None;
        }
        self.start(n);
        for i in 0..n {
            self.row_mut(i)[n..2 * n].iter_mut().zip(&M[i * n..(i + 1) * n]).for_each(|(t, m)| *t = -m);
            self.row_mut(i)[2 * n + 1] = q[i];
        }
        let pivots = self.run()?;
        self.read_solution();
        Some(pivots)
    }

    /// The last solution.
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    fn read_solution(&mut self) {
        let mut z = core::mem::take(&mut self.z);
        z.clear();
        z.resize(self.n, 0.0);
        self.read(&mut z);
        self.z = z;
    }

    /// Writes the forces of the problem to `space.force` and returns the number of pivots. None if
    /// there is no solution.
    pub(super) fn solve(&mut self, space: &mut ContactSpace, bounds: &[Bound]) -> Option<u32> {
        let (mut n, first) = (0, space.first);
        let bounds = &bounds[first..];
        self.unknown.clear();
        for bound in bounds {
            self.unknown.push(n);
            n += if *bound == Bound::OneSided { 1 } else { 3 };
        }
        if n > MAX_UNKNOWNS {
            return None;
        }
        self.start(n);
        for (i, &bound) in bounds.iter().enumerate() {
            self.fill(space, bounds, i, bound);
        }
        let pivots = self.run()?;
        self.read_solution();
        for (i, &bound) in bounds.iter().enumerate() {
            let (z, k) = (&self.z, self.unknown[i]);
            space.force[first + i] = if bound == Bound::OneSided { z[k] } else { z[k] - z[k + 1] };
        }
        Some(pivots)
    }

    /// Rows of the tableau for inequality i of the problem.
    fn fill(&mut self, space: &ContactSpace, bounds: &[Bound], i: usize, bound: Bound) {
        let (n, k) = (self.n, self.unknown[i]);
        let (first, problem) = (space.first, &space.problem);
        let unknown = core::mem::take(&mut self.unknown);
        let signs: &[f64] = if bound == Bound::OneSided { &[1.0] } else { &[1.0, -1.0] };
        for (r, sign) in signs.iter().enumerate() {
            let row = self.row_mut(k + r);
            for (j, &other) in bounds.iter().enumerate() {
                let own = if i == j { problem.R[first + i] } else { 0.0 };
                let a = sign * (space.dual.entry(problem, first + i, first + j) + own);
                row[n + unknown[j]] = -a;
                if other != Bound::OneSided {
                    row[n + unknown[j] + 1] = a;
                }
            }
            if bound != Bound::OneSided {
                row[n + k + 2] = -1.0;
            }
            // A row with zero inverse effective mass gets no force.
            row[2 * n + 1] = if is_immobile(space, first + i) { 0.0 } else { sign * space.free_velocity(first + i) };
        }
        if bound != Bound::OneSided {
            let row = self.row_mut(k + 2);
            (row[n + k], row[n + k + 1]) = (1.0, 1.0);
            match bound {
                Bound::Friction { mu, normal } => row[n + unknown[normal - first]] = -mu,
                Bound::Constant(most) => row[2 * n + 1] = most,
                Bound::OneSided => {}
            }
        }
        self.unknown = unknown;
    }

    fn start(&mut self, n: usize) {
        self.n = n;
        self.values.clear();
        self.values.resize(n * (2 * n + 2), 0.0);
        self.basis.clear();
        self.basis.extend(0..n);
        for i in 0..n {
            let row = self.row_mut(i);
            row[i] = 1.0;
            row[2 * n] = -1.0;
        }
    }

    fn width(&self) -> usize {
        2 * self.n + 2
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let w = self.width();
        &mut self.values[i * w..(i + 1) * w]
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.width() + j]
    }

    /// Pivots to a complementary solution.
    fn run(&mut self) -> Option<u32> {
        let (n, right) = (self.n, 2 * self.n + 1);
        let lowest = (0..n).min_by(|&a, &b| self.at(a, right).total_cmp(&self.at(b, right)))?;
        if self.at(lowest, right) >= 0.0 {
            return Some(0);
        }
        let mut entering = 2 * n;
        let mut leaving_row = lowest;
        for pivots in 1..=(50 * n + 50) as u32 {
            let leaving = self.basis[leaving_row];
            self.pivot(leaving_row, entering);
            if leaving == 2 * n {
                return Some(pivots);
            }
            // The complement of the leaving variable enters the basis.
            entering = if leaving < n { leaving + n } else { leaving - n };
            leaving_row = self.leaving(entering)?;
        }
        None
    }

    /// Row of the smallest ratio; ties are resolved in favour of z₀, then of the lexicographically
    /// smallest row, so that no basis repeats.
    fn leaving(&self, entering: usize) -> Option<usize> {
        let (n, right) = (self.n, 2 * self.n + 1);
        let largest = (0..n).map(|i| self.at(i, entering).abs()).fold(0.0, f64::max);
        let mut best: Option<usize> = None;
        for i in (0..n).filter(|&i| self.at(i, entering) > SMALL * largest) {
            let Some(b) = best else {
                best = Some(i);
                continue;
            };
            if self.precedes(i, b, entering, right) {
                best = Some(i);
            }
        }
        let b = best?;
        let ratio = self.at(b, right) / self.at(b, entering);
        let tie = |i: &usize| {
            let (pivot, x) = (self.at(*i, entering), self.at(*i, right));
            self.basis[*i] == 2 * n && pivot > SMALL * largest && x / pivot <= ratio + 1e-12 * ratio.abs()
        };
        Some((0..n).find(tie).unwrap_or(b))
    }

    /// Whether row i leaves before row b.
    fn precedes(&self, i: usize, b: usize, entering: usize, right: usize) -> bool {
        let (p, q) = (self.at(i, entering), self.at(b, entering));
        for j in core::iter::once(right).chain(0..self.n) {
            let (x, y) = (self.at(i, j) / p, self.at(b, j) / q);
            if x != y {
                return x < y;
            }
        }
        false
    }

    fn pivot(&mut self, r: usize, c: usize) {
        let w = self.width();
        let mut pivot_row = core::mem::take(&mut self.pivot_row);
        let scale = 1.0 / self.at(r, c);
        self.row_mut(r).iter_mut().for_each(|x| *x *= scale);
        pivot_row.clear();
        pivot_row.extend_from_slice(&self.values[r * w..(r + 1) * w]);
        for i in (0..self.n).filter(|&i| i != r) {
            let row = &mut self.values[i * w..(i + 1) * w];
            let s = row[c];
            if s != 0.0 {
                row.iter_mut().zip(&pivot_row).for_each(|(x, p)| *x -= s * p);
                row[c] = 0.0;
            }
        }
        self.basis[r] = c;
        self.pivot_row = pivot_row;
    }

    /// z of the current basis.
    fn read(&self, z: &mut [f64]) {
        for (i, &variable) in self.basis.iter().enumerate() {
            if (self.n..2 * self.n).contains(&variable) {
                z[variable - self.n] = self.at(i, 2 * self.n + 1).max(0.0);
            }
        }
    }
}
