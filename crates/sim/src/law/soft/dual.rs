//! Minimization over forces: min ½ fᵀ(A + R) f + fᵀ(J a₀ − a_ref), f admissible, A = J M⁻¹ Jᵀ.
//!
//! A is not formed. Instead the acceleration a = a₀ + M⁻¹Jᵀf is updated with f: the residual of a
//! row is J a − a_ref, and a change of its force moves a along the row's response Y = M⁻¹Jᵀ, which
//! is nonzero on the trees of the row and on all trees that are rigidly linked to them.

use super::cost::MAX_DIM;
use super::problem::{Group, LocalTree, Problem, add_scaled, for_each_run};
use crate::data::Data;
use crate::model::Model;
use core::ops::Range;
use saltus_math::{dot, run_ldl::Run};

/// Location of a row's Jacobian and response.
#[derive(Clone, Copy, Debug, Default)]
struct RowPlace {
    group: u32,
    /// Index of the first value in `Problem::J` and in `Dual::Y`.
    value: usize,
    response: usize,
}

#[derive(Clone, Debug, Default)]
pub(in crate::law) struct Dual {
    /// a₀ + M⁻¹Jᵀf.
    pub a: Vec<f64>,
    rows: Vec<RowPlace>,
    /// Dofs of the trees of each group, and the index of its first run (ngroup + 1).
    support: Vec<Run>,
    first_support: Vec<u32>,
    Y: Vec<f64>,
    /// Diagonal of A, and its diagonal blocks for elliptic cones.
    pub diag: Vec<f64>,
    pub cones: Vec<[[f64; MAX_DIM]; MAX_DIM]>,
    column: Vec<f64>,
    labels: Vec<u32>,
}

impl Dual {
    /// Computes the responses of all rows.
    pub fn update(&mut self, model: &Model, data: &Data, problem: &Problem) {
        self.respond(model, data, problem, &[]);
        self.update_blocks(problem);
    }

    /// Responses of all rows to the inertia alone. Trees with the same `label` are linked; without
    /// labels every tree is by itself. [`Self::update_blocks`] must follow.
    pub fn respond(&mut self, model: &Model, data: &Data, problem: &Problem, label: &[u32]) {
        self.rows.clear();
        self.support.clear();
        self.first_support.clear();
        self.Y.clear();
        self.column.clear();
        self.column.resize(problem.n, 0.0);
        for (g, group) in problem.groups.iter().enumerate() {
            let first = self.support.len();
            self.first_support.push(first as u32);
            self.push_support(problem, group, label);
            for r in 0..group.nrow {
                let value = group.value + r * group.ncol;
                let response = self.Y.len();
                self.rows.push(RowPlace { group: g as u32, value, response });
                let values = &problem.J[value..value + group.ncol];
                for_each_run(problem.runs_of(group), |at, run| self.column[run].copy_from_slice(&values[at]));
                for run in &self.support[first..] {
                    problem.solve_tree(model, data, run.start as usize, &mut self.column[run.range()]);
                    self.Y.extend_from_slice(&self.column[run.range()]);
                    self.column[run.range()].fill(0.0);
                }
            }
        }
        self.first_support.push(self.support.len() as u32);
    }

    /// Appends the trees on which the response of a group is nonzero.
    fn push_support(&mut self, problem: &Problem, group: &Group, label: &[u32]) {
        let push = |support: &mut Vec<Run>, tree: &LocalTree| {
            support.push(Run { start: tree.start as u32, end: tree.start as u32 + tree.dofs.len });
        };
        let touched = problem.trees_of(group);
        if label.is_empty() {
            touched.for_each(|t| push(&mut self.support, &problem.trees[t]));
            return;
        }
        self.labels.clear();
        self.labels.extend(touched.map(|t| label[t]));
        for (tree, own) in problem.trees.iter().zip(label) {
            if self.labels.contains(own) {
                push(&mut self.support, tree);
            }
        }
    }

    /// The diagonal of A and its blocks for cones, from the responses.
    pub fn update_blocks(&mut self, problem: &Problem) {
        self.diag.clear();
        self.cones.clear();
        for i in 0..problem.nrow() {
            let diag = self.entry(problem, i, i);
            self.diag.push(diag);
        }
        for cone in &problem.cones {
            let mut block = [[0.0; MAX_DIM]; MAX_DIM];
            self.calc_block(problem, cone.row..cone.row + cone.dim, &mut block);
            self.cones.push(block);
        }
    }

    /// Support of row i's response, and its values there.
    pub fn response(&self, i: usize) -> (&[Run], &[f64]) {
        let (support, values) = self.response_range(i);
        (support, &self.Y[values])
    }

    fn response_range(&self, i: usize) -> (&[Run], Range<usize>) {
        let place = self.rows[i];
        let support = self.support_of(place.group);
        let n: usize = support.iter().map(|run| run.len()).sum();
        (support, place.response..place.response + n)
    }

    /// Calls `change` with row i's response over all dofs of the problem, zero outside its support,
    /// and stores the result.
    pub fn change_response(&mut self, i: usize, change: impl FnOnce(&[Run], &mut [f64])) {
        let mut column = core::mem::take(&mut self.column);
        let (support, values) = self.response_range(i);
        for_each_run(support, |at, run| column[run].copy_from_slice(&self.Y[values.clone()][at]));
        change(support, &mut column);
        let Self { support, first_support, Y, rows, .. } = self;
        let own = first_support[rows[i].group as usize] as usize..first_support[rows[i].group as usize + 1] as usize;
        for_each_run(&support[own], |at, run| {
            Y[values.clone()][at].copy_from_slice(&column[run.clone()]);
            column[run].fill(0.0);
        });
        self.column = column;
    }

    fn support_of(&self, group: u32) -> &[Run] {
        &self.support[self.first_support[group as usize] as usize..self.first_support[group as usize + 1] as usize]
    }

    /// a = a₀ + M⁻¹Jᵀf.
    pub fn set_force(&mut self, problem: &Problem, force: &[f64]) {
        self.set_force_from(&problem.a_free, 0, force);
    }

    /// The same from another free acceleration, with the forces of rows from `first` only.
    pub fn set_force_from(&mut self, a_free: &[f64], first: usize, force: &[f64]) {
        self.a.clear();
        self.a.extend_from_slice(a_free);
        for (i, &f) in force.iter().enumerate().skip(first) {
            self.add_force(i, f);
        }
    }

    /// Updates the acceleration for a change of row i's force.
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

    /// A_ij.
    pub fn entry(&self, problem: &Problem, i: usize, j: usize) -> f64 {
        let row = self.rows[i];
        let group = &problem.groups[row.group as usize];
        let values = &problem.J[row.value..row.value + group.ncol];
        let (support, response) = self.response(j);
        let mut sum = 0.0;
        for_each_run(problem.runs_of(group), |at, run| {
            let mut start = 0;
            for part in support {
                // A run may continue from one tree into the next.
                let (low, high) = (run.start.max(part.start as usize), run.end.min(part.end as usize));
                if low < high {
                    let (v, y) = (at.start + low - run.start, start + low - part.start as usize);
                    sum += dot(&values[v..v + high - low], &response[y..y + high - low]);
                }
                start += part.len();
            }
        });
        sum
    }
}
