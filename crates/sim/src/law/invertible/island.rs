//! Solution of one island of the constraint rows.

use super::Report;
use super::barrier::Wall;
use super::dofs::{DofInertia, Memory};
use super::forward::Forward;
use super::rows::Rows;
use crate::data::{Data, SolverStatus};
use crate::law::soft::problem::Problem;
use crate::model::Model;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct IslandSolver {
    problem: Problem,
    forward: Forward,
    dofs: Memory,
    /// The input `Given`, restricted to the island.
    rows: Rows,
    c: Vec<f64>,
    guess: Vec<f64>,
    before: Vec<f64>,
    /// Approximate diagonal of A.
    diagonal: Vec<f64>,
    /// By dofs.
    a: Vec<f64>,
}

/// Input: quantities of all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    pub rows: &'a Rows,
    /// Velocities without impulses, and a guess of the velocities of the solution.
    pub c: &'a [f64],
    pub guess: Option<&'a [f64]>,
}

/// Output: quantities of all rows and all dofs.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub f: &'a mut [f64],
    pub a: &'a mut [f64],
}

impl IslandSolver {
    /// Computes impulses and acceleration of an island.
    pub fn solve(
        &mut self,
        model: &Model,
        data: &Data,
        trees: &[u32],
        blocks: &[u32],
        given: &Given,
        found: &mut Found,
    ) -> Report {
        self.problem.gather(model, data, trees, blocks);
        self.gather_rows(data, given);
        let Self { problem, forward, dofs, rows, c, guess, before, diagonal, a } = self;
        let guess = given.guess.map(|_| &guess[..]);
        let mut inertia = DofInertia::new(model, data, problem, diagonal, dofs);
        let report = forward.solve_from(rows, &mut inertia, c, guess, Wall::Elastic);
        inertia.accelerate(forward.f(), model.options.timestep, a);
        if report.status == SolverStatus::Converged {
            forward.accelerate(rows, &mut inertia, before, model.options.timestep, a);
        }
        for (&row, impulse) in self.problem.row.iter().zip(self.forward.f()) {
            found.f[row as usize] = *impulse;
        }
        for tree in &self.problem.trees {
            let own = tree.start..tree.start + tree.dofs.len as usize;
            found.a[tree.dofs.range()].copy_from_slice(&self.a[own]);
        }
        report
    }
    /// The rows of the island in the order of `problem`.
    fn gather_rows(&mut self, data: &Data, given: &Given) {
        let Self { problem, rows, c, guess, before, diagonal, .. } = self;
        rows.clear();
        let mut k = 0;
        while k < problem.nrow() {
            let all = given.rows.groups();
            let group = all.partition_point(|g| g.start < problem.row[k]);
            rows.push_group(given.rows, group);
            k += (all[group].dim as usize).max(1);
        }
        let pick = |from: &[f64], to: &mut Vec<f64>| {
            to.clear();
            to.extend(problem.row.iter().map(|&r| from[r as usize]));
        };
        pick(given.c, c);
        if let Some(all) = given.guess {
            pick(all, guess);
        }
        pick(&data.constraints.vel, before);
        pick(&data.constraints.diag, diagonal);
    }
}
