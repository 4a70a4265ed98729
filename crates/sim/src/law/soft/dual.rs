//! Minimization over forces: min ½ fᵀ(A + R) f + fᵀ(J a₀ − a_ref), f in its set, A = J M⁻¹ Jᵀ.
//!
//! A is never formed. The acceleration a = a₀ + M⁻¹Jᵀf is kept up to date with f instead: the residual of a row is
//! J a − a_ref, and a change of its force moves a along the row's response Y = M⁻¹Jᵀ, which lives on the trees that
//! the row touches.

use super::cost::MAX_DIM;
use super::problem::{Problem, add_scaled, for_each_run};
use crate::data::Data;
use crate::model::Model;
use core::ops::Range;
use saltus_math::{dot, run_ldl::Run};

/// Where a row's Jacobian and response are.
#[derive(Clone, Copy, Debug, Default)]
struct RowPlace {
    group: u32,
    /// First value in `Problem::J` and in `Dual::Y`.
    value: usize,
    response: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Dual {
    /// a₀ + M⁻¹Jᵀf.
    pub a: Vec<f64>,
    rows: Vec<RowPlace>,
    /// Dofs of the trees of each group, and the first of its runs (ngroup + 1).
    support: Vec<Run>,
    first_support: Vec<u32>,
    Y: Vec<f64>,
    /// Diagonal of A, and its blocks of elliptic cones.
    pub diag: Vec<f64>,
    pub cones: Vec<[[f64; MAX_DIM]; MAX_DIM]>,
    column: Vec<f64>,
}

impl Dual {
    /// Responses of all rows.
    pub fn update(&mut self, model: &Model, data: &Data, problem: &Problem) {
        self.rows.clear();
        self.support.clear();
        self.first_support.clear();
        self.Y.clear();
        self.diag.clear();
        self.column.clear();
        self.column.resize(problem.n, 0.0);
        for (g, group) in problem.groups.iter().enumerate() {
            let first = self.support.len();
            self.first_support.push(first as u32);
            for tree in &problem.trees {
                let own = tree.start..tree.start + tree.dofs.len as usize;
                let touched = |r: &Run| (r.start as usize) < own.end && r.end as usize > own.start;
                if problem.runs_of(group).iter().any(touched) {
                    self.support.push(Run { start: own.start as u32, end: own.end as u32 });
                }
            }
            for r in 0..group.nrow {
                let value = group.value + r * group.ncol;
                let response = self.Y.len();
                self.rows.push(RowPlace { group: g as u32, value, response });
                let values = &problem.J[value..value + group.ncol];
                for_each_run(problem.runs_of(group), |at, run| self.column[run].copy_from_slice(&values[at]));
                for run in &self.support[first..] {
                    problem.solve_tree(model, data, run.start as usize, &mut self.column[run.range()]);
                    self.Y.extend_from_slice(&self.column[run.range()]);
                }
                let mut diag = 0.0;
                for_each_run(problem.runs_of(group), |at, run| diag += dot(&values[at], &self.column[run]));
                self.diag.push(diag);
                for run in &self.support[first..] {
                    self.column[run.range()].fill(0.0);
                }
            }
        }
        self.first_support.push(self.support.len() as u32);
        self.cones.clear();
        for cone in &problem.cones {
            let mut block = [[0.0; MAX_DIM]; MAX_DIM];
            self.calc_block(problem, cone.row..cone.row + cone.dim, &mut block);
            self.cones.push(block);
        }
    }

    fn support_of(&self, group: u32) -> &[Run] {
        &self.support[self.first_support[group as usize] as usize..self.first_support[group as usize + 1] as usize]
    }

    /// a = a₀ + M⁻¹Jᵀf.
    pub fn set_force(&mut self, problem: &Problem, force: &[f64]) {
        self.a.clear();
        self.a.extend_from_slice(&problem.a_free);
        for (i, &f) in force.iter().enumerate() {
            self.add_force(i, f);
        }
    }

    /// The acceleration for a change of row i's force.
    pub fn add_force(&mut self, i: usize, change: f64) {
        if change == 0.0 {
            return;
        }
        let place = self.rows[i];
        let mut at = place.response;
        let support = self.first_support[place.group as usize]..self.first_support[place.group as usize + 1];
        for run in &self.support[support.start as usize..support.end as usize] {
            add_scaled(&mut self.a[run.range()], change, &self.Y[at..at + run.len()]);
            at += run.len();
        }
    }

    /// J a of row i.
    pub fn row_acceleration(&self, problem: &Problem, i: usize) -> f64 {
        let place = self.rows[i];
        let group = &problem.groups[place.group as usize];
        let values = &problem.J[place.value..place.value + group.ncol];
        let mut sum = 0.0;
        for_each_run(problem.runs_of(group), |at, run| sum += dot(&values[at], &self.a[run]));
        sum
    }

    /// Block of A of consecutive rows of one contact.
    pub fn calc_block<const N: usize>(&self, problem: &Problem, rows: Range<usize>, out: &mut [[f64; N]; N]) {
        for (p, i) in rows.clone().enumerate() {
            for (q, j) in rows.clone().enumerate().take(p + 1) {
                out[p][q] = if i == j { self.diag[i] } else { self.entry(problem, i, j) };
                out[q][p] = out[p][q];
            }
        }
    }

    /// A_ij of rows of the same group.
    fn entry(&self, problem: &Problem, i: usize, j: usize) -> f64 {
        let (row, response) = (self.rows[i], self.rows[j]);
        let group = &problem.groups[row.group as usize];
        let values = &problem.J[row.value..row.value + group.ncol];
        let mut sum = 0.0;
        for_each_run(problem.runs_of(group), |at, run| {
            let mut start = response.response;
            for part in self.support_of(response.group) {
                // A run may go from one tree to the next.
                let (low, high) = (run.start.max(part.start as usize), run.end.min(part.end as usize));
                if low < high {
                    let from = start + low - part.start as usize;
                    let own = &values[at.start + low - run.start..at.start + high - run.start];
                    sum += dot(own, &self.Y[from..from + own.len()]);
                }
                start += part.len();
            }
        });
        sum
    }
}
