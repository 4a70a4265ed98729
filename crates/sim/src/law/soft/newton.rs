//! Newton's method with the exact Hessian H = M + Jᵀ ∇²s J.
//!
//! With pyramidal cones the cost is piecewise quadratic: a full step that changes no row's state ends at the minimum
//! itself, to round-off, and needs no further proof.

use super::cost::{MAX_DIM, Zone};
use super::primal::{Outcome, Primal, Stop};
use super::problem::{Group, Problem};
use crate::data::{Data, RowState, SolverStatus};
use crate::model::Model;
use saltus_math::{
    dot,
    run_ldl::{Cursor, Run, RunMatrix},
};

/// Smallest pivot of the Hessian: far below any inertia.
const MIN_PIVOT: f64 = 1e-15;

#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    hessian: RunMatrix,
    /// Runs of the rows of M in the model's numbering, and the first of each row (nv + 1).
    mass_runs: Vec<Run>,
    first_mass_run: Vec<u32>,
    /// Rows of a group that have curvature: first values in J, and curvature times J, by columns.
    active: Vec<usize>,
    weighted: Vec<f64>,
}

impl Newton {
    pub fn new(model: &Model) -> Self {
        let mut newton = Self { first_mass_run: vec![0], ..Self::default() };
        for i in 0..model.mass_pattern.len() {
            let first = newton.mass_runs.len();
            for &c in &model.mass_pattern.col[model.mass_pattern.range(i)] {
                match newton.mass_runs[first..].last_mut() {
                    Some(run) if run.end == c => run.end += 1,
                    _ => newton.mass_runs.push(Run { start: c, end: c + 1 }),
                }
            }
            newton.first_mass_run.push(newton.mass_runs.len() as u32);
        }
        newton
    }

    pub fn solve(
        &mut self,
        model: &Model,
        data: &Data,
        problem: &mut Problem,
        primal: &mut Primal,
        stop: &Stop,
    ) -> Outcome {
        let mut outcome = Outcome { status: SolverStatus::Converged, ..Outcome::default() };
        // The cost is M-strongly convex: ½ gᵀM⁻¹g bounds the distance to the minimum [duality gap].
        primal.other.copy_from_slice(&primal.gradient);
        problem.solve_inertia(model, data, &mut primal.other);
        if 0.5 * stop.scale * dot(&primal.gradient, &primal.other) < stop.tolerance {
            return outcome;
        }
        self.build_pattern(problem);
        outcome.status = SolverStatus::IterationLimit;
        while outcome.iterations < stop.iterations {
            self.assemble(model, data, problem, primal);
            self.hessian.factor(MIN_PIVOT);
            primal.search.iter_mut().zip(&primal.gradient).for_each(|(s, g)| *s = -g);
            self.hessian.solve(&mut primal.search);
            let decrement = -0.5 * stop.scale * dot(&primal.gradient, &primal.search);
            let moved = primal.advance(model, data, problem, stop);
            outcome.iterations += 1;
            outcome.improvement = stop.scale * moved.improvement;
            let exact = moved.alpha == 1.0 && !moved.state_changed && !primal.state.contains(&RowState::Cone);
            if exact
                || decrement < stop.tolerance
                || (moved.alpha > 0.0 && outcome.improvement < stop.tolerance)
                || stop.scale * primal.gradient_norm() < stop.tolerance
            {
                outcome.status = SolverStatus::Converged;
                break;
            }
            if moved.alpha == 0.0 {
                outcome.status = SolverStatus::Stalled;
                break;
            }
        }
        outcome
    }

    /// The local runs of row `i` (0-based in the tree) of M.
    fn mass_row(&self, dof: usize, shift: u32) -> impl Iterator<Item = Run> + '_ {
        let runs = &self.mass_runs[self.first_mass_run[dof] as usize..self.first_mass_run[dof + 1] as usize];
        runs.iter().map(move |r| Run { start: r.start.wrapping_add(shift), end: r.end.wrapping_add(shift) })
    }

    fn build_pattern(&mut self, problem: &Problem) {
        let mut hessian = core::mem::take(&mut self.hessian);
        hessian.begin(problem.n);
        for tree in &problem.trees {
            let shift = (tree.start as u32).wrapping_sub(tree.dofs.start);
            for dof in tree.dofs.range() {
                hessian.add_clique(self.mass_row(dof, shift));
            }
        }
        for group in problem.groups.iter().chain(&problem.terms) {
            hessian.add_clique(problem.runs_of(group).iter().copied());
        }
        hessian.finish();
        self.hessian = hessian;
    }

    fn assemble(&mut self, model: &Model, data: &Data, problem: &Problem, primal: &Primal) {
        let mut hessian = core::mem::take(&mut self.hessian);
        hessian.clear_values();
        let metric = &data.position.metric;
        let M = if metric.M.is_empty() { &data.position.M } else { &metric.M };
        for tree in &problem.trees {
            let shift = (tree.start as u32).wrapping_sub(tree.dofs.start);
            for dof in tree.dofs.range() {
                let row = (dof as u32).wrapping_add(shift) as usize;
                let mut at = model.mass_pattern.range(dof).start;
                let mut cursor = Cursor::default();
                for run in self.mass_row(dof, shift) {
                    hessian.segment(row, run, &mut cursor).copy_from_slice(&M[at..at + run.len()]);
                    at += run.len();
                }
            }
        }
        for (group, &weight) in problem.terms.iter().zip(&problem.term_weight) {
            self.active.clear();
            self.active.push(group.value);
            self.weighted.clear();
            self.weighted.extend(problem.J[group.value..group.value + group.ncol].iter().map(|j| weight * j));
            self.add_group(&mut hessian, problem, group);
        }
        let mut cone = 0;
        for group in &problem.groups {
            self.weigh(problem, primal, group, &mut cone);
            if !self.active.is_empty() {
                self.add_group(&mut hessian, problem, group);
            }
        }
        self.hessian = hessian;
    }

    /// Lists the rows of a group with curvature, and curvature times J by columns. `cone` counts the cones passed.
    fn weigh(&mut self, problem: &Problem, primal: &Primal, group: &Group, cone: &mut usize) {
        let ncol = group.ncol;
        self.active.clear();
        let rows = group.row..group.row + group.nrow;
        let place = |r: usize| group.value + (r - group.row) * ncol;
        let curved = |r: &usize| matches!(primal.state[*r], RowState::Quadratic | RowState::Cone);
        self.active.extend(rows.clone().filter(curved).map(place));
        let n = self.active.len();
        self.weighted.clear();
        self.weighted.resize(n * ncol, 0.0);
        let mut k = 0;
        let mut r = rows.start;
        while r < rows.end {
            if primal.state[r] == RowState::Quadratic {
                let row = &problem.J[place(r)..place(r) + ncol];
                for (c, j) in row.iter().enumerate() {
                    self.weighted[c * n + k] = problem.D[r] * j;
                }
                k += 1;
                r += 1;
            } else if primal.state[r] == RowState::Cone {
                while problem.cones[*cone].row < r {
                    *cone += 1;
                }
                let dim = problem.cones[*cone].dim;
                self.weigh_cone(problem, primal, *cone, place(r), ncol, k);
                k += dim;
                r += dim;
            } else {
                r += 1;
            }
        }
    }

    /// The rows of a cone whose surface is active: its Hessian times J.
    fn weigh_cone(&mut self, problem: &Problem, primal: &Primal, cone: usize, place: usize, ncol: usize, k: usize) {
        let cone = &problem.cones[cone];
        let n = self.active.len();
        let x = &primal.x[cone.row..cone.row + cone.dim];
        let mut H = [0.0; MAX_DIM * MAX_DIM];
        if let Zone::Middle { gap, tangential } = cone.zone(x) {
            cone.hessian(x, problem.D[cone.row], gap, tangential, &mut H);
        }
        for c in 0..ncol {
            for j in 0..cone.dim {
                let mut sum = 0.0;
                for i in 0..cone.dim {
                    sum += H[j * MAX_DIM + i] * problem.J[place + i * ncol + c];
                }
                self.weighted[c * n + k + j] = sum;
            }
        }
    }

    /// H += Jᵀ (W J) for the active rows of a group: row by row of the lower triangle.
    fn add_group(&self, hessian: &mut RunMatrix, problem: &Problem, group: &Group) {
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
                    let target = hessian.segment(dof, part, &mut cursor);
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
