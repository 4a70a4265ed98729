//! Newton's equations in generalized coordinates, without forming A = J M⁻¹ Jᵀ.
//!
//! With K = A + A G A = J N Jᵀ, N = M⁻¹ (M + Jᵀ G J) M⁻¹, and C = L Lᵀ, Woodbury's identity gives
//!   (1 + Lᵀ K L)⁻¹ = 1 − Lᵀ J H⁻¹ Jᵀ L,   H = N⁻¹ + Jᵀ C J,                                 (a)
//! where N⁻¹ = M − J_wᵀ (G_w⁻¹ + A_w)⁻¹ J_w over the rows w with a steep velocity barrier.
//! H₁ = M + Jᵀ C J has the sparsity of the soft law's Hessian and is factored; the few steep rows
//! are added by
//!   H⁻¹ = H₁⁻¹ + H₁⁻¹ J_wᵀ S⁻¹ J_w H₁⁻¹,   S = G_w⁻¹ + J_w (M⁻¹ − H₁⁻¹) J_wᵀ.               (b)
//! Rows far above their minimal velocity, with A G below `FLAT`, are left out of (b): iterative
//! refinement (`newton`) accounts for them.

use super::dense::Dense;
use super::inertia::Inertia;
use super::response::{self, Block};
use super::rows::{MAX_DIM, Rows};
use crate::data::Data;
use crate::law::soft::hessian::Hessian;
use crate::law::soft::problem::{Group, Problem};
use crate::model::Model;

/// Smallest pivot of H₁: far below any inertia.
const MIN_PIVOT: f64 = 1e-15;
/// Largest A G of rows whose velocity barrier is left out of (b).
const FLAT: f64 = 1e-3;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    hessian: Hessian,
    /// M with terms of tendons and actuators, when there are any.
    inertia: Hessian,
    /// Work vectors by dofs and by rows.
    x: Vec<f64>,
    r: Vec<f64>,
    product: Vec<f64>,
    /// Rows of (b), H₁⁻¹ J_wᵀ by rows, S, numbers by rows of (b).
    walls: Vec<u32>,
    Y: Vec<f64>,
    S: Dense,
    s: Vec<f64>,
    /// M⁻¹ J_wᵀ by rows, and the factor of G_w⁻¹ + A_w.
    Y_M: Vec<f64>,
    W: Dense,
}

impl Memory {
    /// Prepares [`Self::solve_inertia`] for an island.
    fn factor_inertia(&mut self, model: &Model, data: &Data, problem: &Problem) {
        if !problem.terms.is_empty() {
            self.inertia.build_pattern(model, problem, &[]);
            self.inertia.set_inertia(model, data, problem);
            self.inertia.matrix.factor(MIN_PIVOT);
        }
    }
    /// x ← M⁻¹ x.
    fn solve_inertia(&self, model: &Model, data: &Data, problem: &Problem, x: &mut [f64]) {
        if problem.terms.is_empty() {
            problem.solve_inertia(model, data, x);
        } else {
            self.inertia.matrix.solve(x);
        }
    }
}

/// The inertia of an island.
pub(super) struct DofInertia<'a> {
    model: &'a Model,
    data: &'a Data,
    problem: &'a mut Problem,
    /// Approximate diagonal of A.
    diagonal: &'a [f64],
    memory: &'a mut Memory,
}

impl<'a> DofInertia<'a> {
    pub fn new(
        model: &'a Model,
        data: &'a Data,
        problem: &'a mut Problem,
        diagonal: &'a [f64],
        memory: &'a mut Memory,
    ) -> Self {
        memory.hessian.build_pattern(model, problem, &problem.groups);
        memory.factor_inertia(model, data, problem);
        Self { model, data, problem, diagonal, memory }
    }
    /// H₁, factored; false if it is not positive definite.
    fn factor_hessian(&mut self, rows: &Rows, L: &[Block]) -> bool {
        let (hessian, problem) = (&mut self.memory.hessian, &*self.problem);
        hessian.set_inertia(self.model, self.data, problem);
        let mut first = 0;
        for group in &problem.groups {
            first += weigh(hessian, problem, group, rows, first, L);
            hessian.add_group(problem, group);
        }
        hessian.matrix.factor(MIN_PIVOT)
    }
    /// S of (b) and G_w⁻¹ + A_w, factored; false if round-off makes them indefinite.
    fn factor_walls(&mut self, rows: &Rows, G: &[f64]) -> bool {
        let Self { model, data, problem, diagonal, memory } = self;
        let (mut Y, mut Y_M) = (core::mem::take(&mut memory.Y), core::mem::take(&mut memory.Y_M));
        memory.walls.clear();
        memory.walls.extend(rows.normals.iter().filter(|&&i| diagonal[i as usize] * G[i as usize] > FLAT));
        let (n, m) = (problem.n, memory.walls.len());
        memory.S.resize(m);
        memory.W.resize(m);
        for y in [&mut Y, &mut Y_M] {
            y.clear();
            y.resize(m * n, 0.0);
        }
        for (k, (y, y_M)) in Y.chunks_exact_mut(n.max(1)).zip(Y_M.chunks_exact_mut(n.max(1))).enumerate() {
            let i = memory.walls[k] as usize;
            problem.row_into(i, y);
            y_M.copy_from_slice(y);
            memory.solve_inertia(model, data, problem, y_M);
            memory.hessian.matrix.solve(y);
            for (c, &j) in memory.walls[..=k].iter().enumerate() {
                let A = problem.row_product(j as usize, y_M);
                memory.W.row_mut(k)[c] = A;
                memory.S.row_mut(k)[c] = A - problem.row_product(j as usize, y);
            }
            memory.S.row_mut(k)[k] += 1.0 / G[i];
            memory.W.row_mut(k)[k] += 1.0 / G[i];
        }
        (memory.Y, memory.Y_M) = (Y, Y_M);
        m == 0 || (memory.S.factor().is_ok() && memory.W.factor().is_ok())
    }
    /// x ← H⁻¹ x by (b).
    fn solve(&mut self, x: &mut [f64]) {
        let memory = &mut *self.memory;
        memory.s.clear();
        let n = self.problem.n.max(1);
        memory.s.extend(memory.Y.chunks_exact(n).map(|y| saltus_math::dot(y, x)));
        memory.hessian.matrix.solve(x);
        if !memory.s.is_empty() {
            memory.S.solve(&mut memory.s);
            for (s, y) in memory.s.iter().zip(memory.Y.chunks_exact(n)) {
                x.iter_mut().zip(y).for_each(|(x, y)| *x += s * y);
            }
        }
    }
}

impl DofInertia<'_> {
    /// a = a₀ + M⁻¹ Jᵀ f/h.
    pub fn accelerate(&mut self, f: &[f64], h: f64, a: &mut Vec<f64>) {
        a.clear();
        a.resize(self.problem.n, 0.0);
        self.problem.add_transposed(f, a);
        self.memory.solve_inertia(self.model, self.data, self.problem, a);
        a.iter_mut().zip(&self.problem.a_free).for_each(|(a, free)| *a = free + *a / h);
    }
    /// Velocities of the rows: `before` + h J a.
    pub fn velocities(&mut self, before: &[f64], h: f64, a: &[f64], v: &mut [f64]) {
        self.problem.mul_jacobian(a, v);
        v.iter_mut().zip(before).for_each(|(v, before)| *v = before + h * *v);
    }
    /// Newton's step for the acceleration that is consistent with the impulses f = f(z(a)), with
    /// the last factors:
    ///   H δx = M (a₀ − a) + Jᵀ f/h,  M δx = (M + Jᵀ G J) δa.                                   (c)
    pub fn step(&mut self, f: &[f64], h: f64, a: &[f64], step: &mut Vec<f64>) {
        let n = self.problem.n;
        step.clear();
        step.resize(n, 0.0);
        let mut x = core::mem::take(&mut self.memory.x);
        self.problem.add_transposed(f, step);
        let free = &self.problem.a_free;
        x.clear();
        x.extend(free.iter().zip(a).map(|(free, a)| free - a));
        step.iter_mut().for_each(|s| *s /= h);
        let mut product = core::mem::take(&mut self.memory.product);
        product.resize(n, 0.0);
        self.problem.mul_inertia(self.model, self.data, &x, &mut product);
        step.iter_mut().zip(&product).for_each(|(s, p)| *s += p);
        (self.memory.x, self.memory.product) = (x, product);
        self.solve(step);
        let memory = &mut *self.memory;
        memory.s.clear();
        memory.s.extend(memory.walls.iter().map(|&i| self.problem.row_product(i as usize, step)));
        if !memory.s.is_empty() {
            memory.W.solve(&mut memory.s);
            for (s, y) in memory.s.iter().zip(memory.Y_M.chunks_exact(n.max(1))) {
                step.iter_mut().zip(y).for_each(|(x, y)| *x -= s * y);
            }
        }
    }
}

impl Inertia for DofInertia<'_> {
    fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
    }
    fn mul(&mut self, x: &[f64], y: &mut Vec<f64>) {
        let mut dofs = core::mem::take(&mut self.memory.x);
        dofs.clear();
        dofs.resize(self.problem.n, 0.0);
        self.problem.add_transposed(x, &mut dofs);
        self.memory.solve_inertia(self.model, self.data, self.problem, &mut dofs);
        y.resize(x.len(), 0.0);
        self.problem.mul_jacobian(&dofs, y);
        self.memory.x = dofs;
    }
    fn mul_normals(&mut self, _: &Rows, x: &[f64], y: &mut Vec<f64>) {
        self.mul(x, y);
    }
    fn factor(&mut self, rows: &Rows, L: &[Block], G: &[f64]) -> bool {
        self.factor_hessian(rows, L) && self.factor_walls(rows, G)
    }
    fn add_solution(&mut self, rows: &Rows, L: &[Block], b: &[f64], y: &mut [f64]) {
        let mut r = core::mem::take(&mut self.memory.r);
        let mut x = core::mem::take(&mut self.memory.x);
        r.resize(b.len(), 0.0);
        response::mul(rows, L, b, &mut r);
        x.clear();
        x.resize(self.problem.n, 0.0);
        self.problem.add_transposed(&r, &mut x);
        self.solve(&mut x);
        self.problem.mul_jacobian(&x, &mut r);
        y.iter_mut().zip(b).for_each(|(y, b)| *y += b);
        response::subtract_transposed(rows, L, &r, y); // (a)
        (self.memory.r, self.memory.x) = (r, x);
    }
}

/// C J, stored by columns, of a group of rows with the same dofs, whose blocks start at `first`;
/// returns their number.
fn weigh(hessian: &mut Hessian, problem: &Problem, own: &Group, rows: &Rows, first: usize, L: &[Block]) -> usize {
    let (n, ncol) = (own.nrow, own.ncol);
    hessian.active.clear();
    hessian.active.extend((0..n).map(|r| own.value + r * ncol));
    hessian.weighted.clear();
    hessian.weighted.resize(n * ncol, 0.0);
    let mut count = 0;
    let end = own.row + n;
    while let Some(group) = rows.groups.get(first + count).filter(|g| (g.start as usize) < end) {
        let (dim, L) = (group.dim as usize, &L[first + count]);
        let local = group.start as usize - own.row;
        let J = &problem.J[own.value + local * ncol..own.value + (local + dim) * ncol];
        let mut C = [[0.0; MAX_DIM]; MAX_DIM];
        for i in 0..dim {
            for j in 0..dim {
                C[i][j] = (0..dim).map(|k| L[i][k] * L[j][k]).sum();
            }
        }
        for c in 0..ncol {
            let target = &mut hessian.weighted[c * n + local..c * n + local + dim];
            for (j, target) in target.iter_mut().enumerate() {
                *target = (0..dim).map(|i| C[j][i] * J[i * ncol + c]).sum();
            }
        }
        count += 1;
    }
    count
}
