//! H = M + Jᵀ W J of an island, sparse: the Hessian of Newton's method.

use super::problem::{Group, Problem};
use crate::data::Data;
use crate::model::Model;
use saltus_math::run_ldl::{Cursor, Run, RunMatrix};

#[derive(Clone, Debug, Default)]
pub(in crate::law) struct Hessian {
    pub matrix: RunMatrix,
    /// Runs of the rows of M in the model's numbering, and the index of the first run of each row
    /// (nv + 1).
    mass_runs: Vec<Run>,
    first_mass_run: Vec<u32>,
    /// Active rows of a group: indices of their first values in J, and W J of them, by columns.
    pub active: Vec<usize>,
    pub weighted: Vec<f64>,
}

impl Hessian {
    /// Finds the runs of the rows of M, which depend on the model only.
    fn find_mass_runs(&mut self, model: &Model) {
        self.first_mass_run.push(0);
        for i in 0..model.mass_pattern.len() {
            let first = self.mass_runs.len();
            for &c in &model.mass_pattern.col[model.mass_pattern.range(i)] {
                match self.mass_runs[first..].last_mut() {
                    Some(run) if run.end == c => run.end += 1,
                    _ => self.mass_runs.push(Run { start: c, end: c + 1 }),
                }
            }
            self.first_mass_run.push(self.mass_runs.len() as u32);
        }
    }

    /// The local runs of row `i` (0-based in the tree) of M.
    fn mass_row(&self, dof: usize, shift: u32) -> impl Iterator<Item = Run> + '_ {
        let runs = &self.mass_runs[self.first_mass_run[dof] as usize..self.first_mass_run[dof + 1] as usize];
        runs.iter().map(move |r| Run { start: r.start.wrapping_add(shift), end: r.end.wrapping_add(shift) })
    }

    /// Builds the pattern of M and of the rows of `groups`.
    pub fn build_pattern(&mut self, model: &Model, problem: &Problem, groups: &[Group]) {
        if self.first_mass_run.is_empty() {
            self.find_mass_runs(model);
        }
        let mut matrix = core::mem::take(&mut self.matrix);
        matrix.begin(problem.n);
        for tree in &problem.trees {
            let shift = (tree.start as u32).wrapping_sub(tree.dofs.start);
            for dof in tree.dofs.range() {
                matrix.add_clique(self.mass_row(dof, shift));
            }
        }
        for group in groups.iter().chain(&problem.terms) {
            matrix.add_clique(problem.runs_of(group).iter().copied());
        }
        matrix.finish();
        self.matrix = matrix;
    }

    /// H = M, with the terms of tendons and actuators.
    pub fn set_inertia(&mut self, model: &Model, data: &Data, problem: &Problem) {
        let mut matrix = core::mem::take(&mut self.matrix);
        matrix.clear_values();
        let M = data.inertia.of_step().values;
        for tree in &problem.trees {
            let shift = (tree.start as u32).wrapping_sub(tree.dofs.start);
            for dof in tree.dofs.range() {
                let row = (dof as u32).wrapping_add(shift) as usize;
                let mut at = model.mass_pattern.range(dof).start;
                let mut cursor = Cursor::default();
                for run in self.mass_row(dof, shift) {
                    matrix.segment(row, run, &mut cursor).copy_from_slice(&M[at..at + run.len()]);
                    at += run.len();
                }
            }
        }
        self.matrix = matrix;
        for (group, &weight) in problem.terms.iter().zip(&problem.term_weight) {
            self.active.clear();
            self.active.push(group.value);
            self.weighted.clear();
            self.weighted.extend(problem.J[group.value..group.value + group.ncol].iter().map(|j| weight * j));
            self.add_group(problem, group);
        }
    }

    /// H += Jᵀ (W J) for the active rows of a group: row by row of the lower triangle.
    pub fn add_group(&mut self, problem: &Problem, group: &Group) {
        let runs = problem.runs_of(group);
        let n = self.active.len();
        let mut column = 0;
        for (last, run) in runs.iter().enumerate() {
            for dof in run.range() {
                let weights = &self.weighted[column * n..(column + 1) * n];
                let mut cursor = Cursor::default();
                let mut at = 0;
                for (r, part) in runs[..=last].iter().enumerate() {
                    let end = if r == last { dof as u32 + 1 } else { part.end };
                    let part = Run { start: part.start, end };
                    let target = self.matrix.segment(dof, part, &mut cursor);
                    add_rows(target, weights, &problem.J, &self.active, at);
                    at += part.len();
                }
                column += 1;
            }
        }
    }
}

/// target += Σ wᵣ Jᵣ[at..], four rows at a time.
#[inline]
fn add_rows(target: &mut [f64], weights: &[f64], J: &[f64], rows: &[usize], at: usize) {
    let n = target.len();
    let row = |start: usize| &J[start + at..start + at + n];
    let (w4, r4) = (weights.chunks_exact(4), rows.chunks_exact(4));
    for (&w, &r) in w4.remainder().iter().zip(r4.remainder()) {
        target.iter_mut().zip(row(r)).for_each(|(t, j)| *t += w * j);
    }
    for (w, r) in w4.zip(r4) {
        let (a, b, c, d) = (row(r[0]), row(r[1]), row(r[2]), row(r[3]));
        for k in 0..n {
            target[k] += (w[0] * a[k] + w[1] * b[k]) + (w[2] * c[k] + w[3] * d[k]);
        }
    }
}
