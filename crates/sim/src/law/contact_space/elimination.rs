//! Eliminates the equalities of an island, and the terms of the metric that the factors of its
//! trees do not contain.
//!
//! Rows E are the equalities J_E, with regularizers R_E, and the terms w rᵀr of tendons and
//! actuators in the metric, with R = 1/w (their contribution to the inertia by Woodbury's
//! identity). With B the inertia of the trees and P = E B⁻¹Eᵀ + R,
//!   M_E⁻¹ = B⁻¹ − B⁻¹ Eᵀ P⁻¹ E B⁻¹,   â = a₀ + B⁻¹ Eᵀ P⁻¹ right,                             (1)
//! right = a_ref,E − J_E a₀ for equalities, 0 for terms. Rows of E that share trees, directly or
//! through other rows, form a cluster; P is block diagonal over clusters.

use super::super::soft::dual::Dual;
use super::super::soft::problem::{Group, Problem, for_each_run};
use crate::data::Data;
use crate::model::Model;
use core::ops::Range;
use saltus_math::{MIN_VAL, cholesky, dot, run_ldl::Run};

/// Lower bound of the pivots of P, whose diagonal is scaled to 1: redundant equalities, such as the
/// out-of-plane row of a planar linkage, then share their force.
const DEPENDENT: f64 = 1e-12;
const NONE: u32 = u32::MAX;

/// A row of E.
#[derive(Clone, Copy, Debug)]
struct Line {
    label: u32,
    group: Group,
    /// Index of its first value in `Problem::J`.
    value: usize,
    /// The equality's row in the problem; `NONE` for a term of the metric.
    row: u32,
    R: f64,
    right: f64,
    /// Index of its first value in `Elimination::Y`.
    response: usize,
}

#[derive(Clone, Debug, Default)]
struct Cluster {
    lines: Range<usize>,
    /// Dofs of its trees, in `parts`.
    parts: Range<usize>,
    /// Index of its first value in `P`.
    factor: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    /// Cluster of each tree, named by its first tree; empty if there is nothing to eliminate.
    label: Vec<u32>,
    lines: Vec<Line>,
    clusters: Vec<Cluster>,
    /// Index of the cluster whose first tree this is.
    head: Vec<u32>,
    parts: Vec<Run>,
    /// Responses B⁻¹Eᵀ on the dofs of the clusters.
    Y: Vec<f64>,
    /// Factors of P, and the scales of their rows.
    P: Vec<f64>,
    scale: Vec<f64>,
    right: Vec<f64>,
    column: Vec<f64>,
}

impl Elimination {
    /// Collects the rows to eliminate.
    pub fn gather(&mut self, problem: &Problem) {
        self.lines.clear();
        self.clusters.clear();
        self.label.clear();
        let mut row = 0;
        for group in problem.groups.iter().take_while(|g| g.row < problem.end_equality) {
            for r in 0..group.nrow.min(problem.end_equality - group.row) {
                let value = group.value + r * group.ncol;
                let right = problem.a_ref[row] - product(problem, group, value, &problem.a_free);
                let line =
                    Line { label: 0, group: *group, value, row: row as u32, R: problem.R[row], right, response: 0 };
                self.lines.push(line);
                row += 1;
            }
        }
        for (group, weight) in problem.terms.iter().zip(&problem.term_weight) {
            let (value, R) = (group.value, 1.0 / weight.max(MIN_VAL));
            self.lines.push(Line { label: 0, group: *group, value, row: NONE, R, right: 0.0, response: 0 });
        }
        if !self.lines.is_empty() {
            self.find_clusters(problem);
        }
    }

    /// Cluster labels of the trees; empty if there are no clusters.
    pub fn labels(&self) -> &[u32] {
        &self.label
    }

    fn find_clusters(&mut self, problem: &Problem) {
        let Self { label, lines, .. } = self;
        label.extend(0..problem.trees.len() as u32);
        for line in lines.iter() {
            let mut trees = problem.trees_of(&line.group);
            let Some(first) = trees.next() else { continue };
            for t in trees {
                let (a, b) = (root(label, first as u32), root(label, t as u32));
                label[a.max(b) as usize] = a.min(b);
            }
        }
        for t in 0..label.len() {
            label[t] = root(label, t as u32);
        }
        for line in lines.iter_mut() {
            line.label = problem.trees_of(&line.group).next().map_or(NONE, |t| label[t]);
        }
        // Rows without columns act on nothing.
        lines.retain(|line| line.label != NONE);
        lines.sort_unstable_by_key(|line| (line.label, line.value));
        self.head.clear();
        self.head.resize(problem.trees.len(), NONE);
        self.parts.clear();
        let mut start = 0;
        while start < self.lines.len() {
            let label = self.lines[start].label;
            let end = start + self.lines[start..].iter().take_while(|line| line.label == label).count();
            let first = self.parts.len();
            for (tree, _) in problem.trees.iter().zip(&self.label).filter(|(_, own)| **own == label) {
                self.parts.push(Run { start: tree.start as u32, end: tree.start as u32 + tree.dofs.len });
            }
            self.head[label as usize] = self.clusters.len() as u32;
            self.clusters.push(Cluster { lines: start..end, parts: first..self.parts.len(), factor: 0 });
            start = end;
        }
    }

    /// (1): factors P, adds the elimination to the responses of `dual` (computed with the inertia
    /// of the trees), and computes â.
    pub fn apply(&mut self, model: &Model, data: &Data, problem: &Problem, dual: &mut Dual, a_hat: &mut [f64]) {
        if self.lines.is_empty() {
            return;
        }
        self.update_responses(model, data, problem, dual);
        self.P.clear();
        self.scale.clear();
        for c in 0..self.clusters.len() {
            self.factor(problem, c);
            let lines = self.clusters[c].lines.clone();
            self.right.clear();
            self.right.extend(self.lines[lines].iter().map(|line| line.right));
            self.solve(c);
            self.add_responses(c, 1.0, a_hat);
        }
        for i in problem.end_equality..problem.nrow() {
            dual.change_response(i, |support, column| {
                for run in support {
                    let tree = problem.trees.partition_point(|t| t.start < run.start as usize);
                    if let Some(&c) = self.head.get(tree).filter(|c| **c != NONE) {
                        self.project(problem, c as usize, column);
                        self.solve(c as usize);
                        self.add_responses(c as usize, -1.0, column);
                    }
                }
            });
        }
    }

    fn update_responses(&mut self, model: &Model, data: &Data, problem: &Problem, dual: &Dual) {
        let Self { lines, clusters, parts, Y, column, .. } = self;
        Y.clear();
        column.clear();
        column.resize(problem.n, 0.0);
        for cluster in clusters.iter() {
            for line in &mut lines[cluster.lines.clone()] {
                line.response = Y.len();
                if line.row != NONE {
                    Y.extend_from_slice(dual.response(line.row as usize).1);
                    continue;
                }
                let values = &problem.J[line.value..line.value + line.group.ncol];
                for_each_run(problem.runs_of(&line.group), |at, run| column[run].copy_from_slice(&values[at]));
                for part in &parts[cluster.parts.clone()] {
                    problem.solve_tree(model, data, part.start as usize, &mut column[part.range()]);
                    Y.extend_from_slice(&column[part.range()]);
                    column[part.range()].fill(0.0);
                }
            }
        }
    }

    /// P of a cluster, scaled and factored.
    fn factor(&mut self, problem: &Problem, c: usize) {
        let cluster = self.clusters[c].clone();
        let (n, start) = (cluster.lines.len(), self.P.len());
        self.clusters[c].factor = start;
        self.P.resize(start + n * n, 0.0);
        for k in 0..n {
            let line = self.lines[cluster.lines.start + k];
            let mut column = core::mem::take(&mut self.column);
            for_each_run(&self.parts[cluster.parts.clone()], |at, run| {
                column[run].copy_from_slice(&self.Y[line.response..][at]);
            });
            self.project(problem, c, &column);
            for_each_run(&self.parts[cluster.parts.clone()], |_, run| column[run].fill(0.0));
            self.column = column;
            self.P[start + k * n..start + (k + 1) * n].copy_from_slice(&self.right);
            self.P[start + k * n + k] += line.R;
        }
        let (P, scale) = (&mut self.P[start..], self.scale.len());
        // A row with zero effective inverse mass gets no force.
        self.scale.extend((0..n).map(|k| if P[k * n + k] > MIN_VAL { 1.0 / P[k * n + k].sqrt() } else { 0.0 }));
        for k in 0..n {
            for j in 0..n {
                P[k * n + j] *= self.scale[scale + k] * self.scale[scale + j];
            }
            P[k * n + k] = 1.0;
        }
        cholesky::factor(n, n, P, DEPENDENT);
    }

    /// right = E x of a cluster.
    fn project(&mut self, problem: &Problem, c: usize, x: &[f64]) {
        let lines = &self.lines[self.clusters[c].lines.clone()];
        self.right.clear();
        self.right.extend(lines.iter().map(|line| product(problem, &line.group, line.value, x)));
    }

    /// right ← P⁻¹ right.
    fn solve(&mut self, c: usize) {
        let Cluster { lines, factor, .. } = &self.clusters[c];
        let (n, scale) = (lines.len(), &self.scale[lines.clone()]);
        self.right.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
        cholesky::solve(n, n, &self.P[*factor..], &mut self.right);
        self.right.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
    }

    /// x += sign B⁻¹Eᵀ right.
    fn add_responses(&self, c: usize, sign: f64, x: &mut [f64]) {
        let Cluster { lines, parts, .. } = &self.clusters[c];
        for (line, f) in self.lines[lines.clone()].iter().zip(&self.right) {
            for_each_run(&self.parts[parts.clone()], |at, run| {
                let y = &self.Y[line.response..][at];
                x[run].iter_mut().zip(y).for_each(|(x, y)| *x += sign * f * y);
            });
        }
    }

    /// Forces of the equalities, P f_E = right − E B⁻¹J_Iᵀf, with u = B⁻¹J_Iᵀf of the inequalities.
    pub fn calc_forces(&mut self, problem: &Problem, u: &[f64], force: &mut [f64]) {
        for c in 0..self.clusters.len() {
            self.project(problem, c, u);
            let lines = self.clusters[c].lines.clone();
            self.right.iter_mut().zip(&self.lines[lines.clone()]).for_each(|(x, line)| *x = line.right - *x);
            self.solve(c);
            for (line, f) in self.lines[lines].iter().zip(&self.right).filter(|(line, _)| line.row != NONE) {
                force[line.row as usize] = *f;
            }
        }
    }
}

/// The smallest tree in the cluster of a tree (union-find).
fn root(label: &mut [u32], mut t: u32) -> u32 {
    while label[t as usize] != t {
        label[t as usize] = label[label[t as usize] as usize];
        t = label[t as usize];
    }
    t
}

/// Product of a row of J with x.
fn product(problem: &Problem, group: &Group, value: usize, x: &[f64]) -> f64 {
    let values = &problem.J[value..value + group.ncol];
    let mut sum = 0.0;
    for_each_run(problem.runs_of(group), |at, run| sum += dot(&values[at], &x[run]));
    sum
}
