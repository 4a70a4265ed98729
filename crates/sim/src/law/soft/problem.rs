//! One island as a dense, contiguous problem: min ½‖a − a₀‖²_M + s(J a − a_ref).
//!
//! Dofs are numbered in the order of elimination. Rows are sorted by class: equalities, dry
//! friction, one-sided rows, elliptic cones. Rows with the same columns form a group, stored as a
//! small dense matrix.

use super::cost::Cone;
use crate::data::{Block, Data, RowKind};
use crate::ids::Span;
use crate::model::Model;
use core::ops::Range;
use saltus_math::{dot, ldl, run_ldl::Run};

/// A tree of the island: its dofs in the model, and its first local dof.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::law) struct LocalTree {
    pub dofs: Span,
    pub start: usize,
}

/// Rows with the same columns.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::law) struct Group {
    pub row: usize,
    pub nrow: usize,
    pub first_run: usize,
    pub nrun: usize,
    pub ncol: usize,
    /// Index of the first of nrow × ncol values in `J`.
    pub value: usize,
    /// Columns in the model, for comparison with the next block.
    cols: Span,
}

#[derive(Clone, Debug, Default)]
pub(in crate::law) struct Problem {
    /// Dofs.
    pub n: usize,
    pub trees: Vec<LocalTree>,
    /// First local dof of each tree of the model; meaningful for the trees of the island.
    tree_start: Vec<u32>,
    /// a₀ · n.
    pub a_free: Vec<f64>,
    /// Index in `Constraints` of each local row.
    pub row: Vec<u32>,
    pub a_ref: Vec<f64>,
    pub D: Vec<f64>,
    pub R: Vec<f64>,
    pub eta: Vec<f64>,
    /// Ends of the classes: equalities, dry friction, one-sided.
    pub end_equality: usize,
    pub end_friction: usize,
    pub end_one_sided: usize,
    pub cones: Vec<Cone>,
    pub groups: Vec<Group>,
    pub runs: Vec<Run>,
    pub J: Vec<f64>,
    /// Terms w rᵀ r of the metric: one row of `J` each.
    pub terms: Vec<Group>,
    pub term_weight: Vec<f64>,
    segments: Vec<Segment>,
    /// Columns of a group, gathered.
    local: Vec<f64>,
}

/// Columns of a block that belong to one tree.
#[derive(Clone, Copy, Debug)]
struct Segment {
    start: u32,
    from: u32,
    len: u32,
}

impl Problem {
    /// Fills the problem from the trees and blocks of an island.
    pub fn gather(&mut self, model: &Model, data: &Data, trees: &[u32], blocks: &[u32]) {
        self.gather_dofs(model, data, trees);
        self.row.clear();
        self.groups.clear();
        self.runs.clear();
        self.J.clear();
        self.cones.clear();
        let c = &data.constraints;
        let class =
            |wanted: fn(RowKind) -> bool| blocks.iter().map(|&b| c.blocks[b as usize]).filter(move |b| wanted(b.kind));
        use RowKind::*;
        for block in class(|k| k == Equality) {
            self.push(model, data, &block);
        }
        self.end_equality = self.row.len();
        for block in class(|k| matches!(k, FrictionDof | FrictionTendon)) {
            self.push(model, data, &block);
        }
        self.end_friction = self.row.len();
        for block in class(|k| matches!(k, LimitJoint | LimitTendon | ContactFrictionless | ContactPyramidal)) {
            self.push(model, data, &block);
        }
        self.end_one_sided = self.row.len();
        for block in class(|k| k == ContactElliptic) {
            let contact = &data.contacts[block.id as usize];
            self.cones.push(Cone::of_contact(contact, self.row.len()));
            self.push(model, data, &block);
        }
        self.gather_terms(model, data, trees);
        let pick = |from: &[f64], to: &mut Vec<f64>| {
            to.clear();
            to.extend(self.row.iter().map(|&r| from[r as usize]));
        };
        pick(&c.a_ref, &mut self.a_ref);
        pick(&c.D, &mut self.D);
        pick(&c.R, &mut self.R);
        pick(&c.friction_loss, &mut self.eta);
    }

    fn gather_dofs(&mut self, model: &Model, data: &Data, trees: &[u32]) {
        self.n = 0;
        self.trees.clear();
        self.a_free.clear();
        self.tree_start.resize(model.trees.dofs.len(), 0);
        for &t in trees {
            let dofs = model.trees.dofs[t as usize];
            self.tree_start[t as usize] = self.n as u32;
            self.trees.push(LocalTree { dofs, start: self.n });
            self.a_free.extend_from_slice(&data.acceleration.a_smooth[dofs.range()]);
            self.n += dofs.len as usize;
        }
    }

    /// Gathers the tendon and actuator terms of the metric that act on the island.
    fn gather_terms(&mut self, model: &Model, data: &Data, trees: &[u32]) {
        self.terms.clear();
        self.term_weight.clear();
        for term in data.inertia.terms() {
            let Some(&first) = term.cols.first() else { continue };
            // A term joins its trees into one island, so its first column is sufficient.
            if !trees.contains(&model.dofs.tree[first as usize].0) {
                continue;
            }
            let (first_run, value) = (self.runs.len(), self.J.len());
            self.map_columns(model, term.cols);
            for s in &self.segments {
                self.J.extend_from_slice(&term.values[s.from as usize..(s.from + s.len) as usize]);
            }
            let nrun = self.runs.len() - first_run;
            let row = self.terms.len();
            self.terms.push(Group {
                row,
                nrow: 1,
                first_run,
                nrun,
                ncol: term.cols.len(),
                value,
                cols: Span::default(),
            });
            self.term_weight.push(term.weight);
        }
    }

    /// Appends the rows of a block.
    fn push(&mut self, model: &Model, data: &Data, block: &Block) {
        let c = &data.constraints;
        let (nrow, ncol) = (block.rows.len as usize, block.cols.len as usize);
        let row = self.row.len();
        self.row.extend(block.rows.range().map(|r| r as u32));
        let same = self.groups.last().is_some_and(|g| c.col[g.cols.range()] == c.col[block.cols.range()]);
        if !same {
            let first_run = self.runs.len();
            self.map_columns(model, &c.col[block.cols.range()]);
            let nrun = self.runs.len() - first_run;
            let value = self.J.len();
            self.groups.push(Group { row, nrow: 0, first_run, nrun, ncol, value, cols: block.cols });
        }
        if let Some(group) = self.groups.last_mut() {
            group.nrow += nrow;
        }
        for r in 0..nrow {
            let values = &c.J[block.row_values(r)];
            for s in &self.segments {
                self.J.extend_from_slice(&values[s.from as usize..(s.from + s.len) as usize]);
            }
        }
    }

    /// Local columns of a block: its `segments` sorted in local order, and their runs.
    fn map_columns(&mut self, model: &Model, cols: &[u32]) {
        self.segments.clear();
        let mut k = 0;
        while k < cols.len() {
            let t = model.dofs.tree[cols[k] as usize].idx();
            let end = model.trees.dofs[t].range().end as u32;
            let len = cols[k..].iter().take_while(|&&c| c < end).count();
            self.segments.push(Segment { start: self.tree_start[t], from: k as u32, len: len as u32 });
            k += len;
        }
        self.segments.sort_unstable_by_key(|s| s.start);
        let first = self.runs.len();
        for s in &self.segments {
            let own = &cols[s.from as usize..(s.from + s.len) as usize];
            let tree = model.dofs.tree[own[0] as usize].idx();
            let shift = s.start.wrapping_sub(model.trees.dofs[tree].start);
            for &c in own {
                let c = c.wrapping_add(shift);
                match self.runs[first..].last_mut() {
                    Some(run) if run.end == c => run.end += 1,
                    _ => self.runs.push(Run { start: c, end: c + 1 }),
                }
            }
        }
    }

    pub fn nrow(&self) -> usize {
        self.row.len()
    }

    #[inline]
    pub fn runs_of(&self, group: &Group) -> &[Run] {
        &self.runs[group.first_run..group.first_run + group.nrun]
    }

    /// Local indices of the trees that a group touches.
    pub fn trees_of(&self, group: &Group) -> impl Iterator<Item = usize> {
        let mut next = 0;
        self.runs_of(group).iter().flat_map(move |run| {
            // Runs ascend, and one may continue from one tree into the next.
            let first = self.trees.partition_point(|t| t.start + t.dofs.len as usize <= run.start as usize).max(next);
            next = self.trees.partition_point(|t| t.start < run.end as usize).max(first);
            first..next
        })
    }

    /// y = J x.
    pub fn mul_jacobian(&mut self, x: &[f64], y: &mut [f64]) {
        let mut local = core::mem::take(&mut self.local);
        for group in &self.groups {
            let x = columns(x, self.runs_of(group), &mut local);
            let rows = &mut y[group.row..group.row + group.nrow];
            for (y, row) in rows.iter_mut().zip(self.J[group.value..].chunks_exact(group.ncol)) {
                *y = dot(row, x);
            }
        }
        self.local = local;
    }

    /// x += Jᵀ f.
    pub fn add_transposed(&self, f: &[f64], x: &mut [f64]) {
        for group in &self.groups {
            let runs = &self.runs[group.first_run..group.first_run + group.nrun];
            let forces = &f[group.row..group.row + group.nrow];
            for (&f, row) in forces.iter().zip(self.J[group.value..].chunks_exact(group.ncol)) {
                if f == 0.0 {
                    continue;
                }
                for_each_run(runs, |at, run| add_scaled(&mut x[run], f, &row[at]));
            }
        }
    }

    /// y = M x, with the inertia matrix of the step.
    pub fn mul_inertia(&self, model: &Model, data: &Data, x: &[f64], y: &mut [f64]) {
        let M = data.inertia.of_step().values;
        for tree in &self.trees {
            let own = tree.start..tree.start + tree.dofs.len as usize;
            ldl::mul_rows(&model.mass_pattern, M, tree.dofs.range(), &x[own.clone()], &mut y[own]);
        }
        for (group, weight) in self.terms.iter().zip(&self.term_weight) {
            let (runs, values) = (self.runs_of(group), &self.J[group.value..group.value + group.ncol]);
            let mut product = 0.0;
            for_each_run(runs, |at, run| product += dot(&values[at.clone()], &x[run]));
            for_each_run(runs, |at, run| add_scaled(&mut y[run], weight * product, &values[at]));
        }
    }

    /// x ← M⁻¹ x, without the terms of tendons and actuators.
    pub fn solve_inertia(&self, model: &Model, data: &Data, x: &mut [f64]) {
        for tree in &self.trees {
            let own = tree.start..tree.start + tree.dofs.len as usize;
            solve_tree(model, data, tree, &mut x[own]);
        }
    }

    /// [`Self::solve_inertia`] for the tree that starts at local dof `start`.
    pub fn solve_tree(&self, model: &Model, data: &Data, start: usize, x: &mut [f64]) {
        if let Ok(t) = self.trees.binary_search_by_key(&start, |t| t.start) {
            solve_tree(model, data, &self.trees[t], x);
        }
    }

    /// The group of a row and the row's values.
    fn group_and_values(&self, i: usize) -> (&Group, &[f64]) {
        let g = self.groups.partition_point(|g| g.row <= i) - 1;
        let group = &self.groups[g];
        let value = group.value + (i - group.row) * group.ncol;
        (group, &self.J[value..value + group.ncol])
    }

    /// A row of J, expanded to a dense vector.
    pub fn row_into(&self, i: usize, x: &mut [f64]) {
        let (group, values) = self.group_and_values(i);
        x.fill(0.0);
        for_each_run(self.runs_of(group), |at, run| x[run].copy_from_slice(&values[at]));
    }

    /// J x of one row.
    pub fn row_product(&self, i: usize, x: &[f64]) -> f64 {
        let (group, values) = self.group_and_values(i);
        let mut sum = 0.0;
        for_each_run(self.runs_of(group), |at, run| sum += dot(&values[at], &x[run]));
        sum
    }
}

fn solve_tree(model: &Model, data: &Data, tree: &LocalTree, x: &mut [f64]) {
    let M = data.inertia.of_step();
    ldl::solve_rows(&model.mass_pattern, M.LD, M.D_inv, tree.dofs.range(), x);
}

/// Calls `f(values, columns)` for each run of a row.
#[inline]
pub(in crate::law) fn for_each_run(runs: &[Run], mut f: impl FnMut(Range<usize>, Range<usize>)) {
    let mut at = 0;
    for run in runs {
        f(at..at + run.len(), run.range());
        at += run.len();
    }
}

/// y += s x.
#[inline]
pub(super) fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += s * x);
}

/// Gathers the columns of runs into contiguous memory; a single run needs no copy.
#[inline]
fn columns<'a>(x: &'a [f64], runs: &[Run], local: &'a mut Vec<f64>) -> &'a [f64] {
    if let [run] = runs {
        return &x[run.range()];
    }
    local.clear();
    for run in runs {
        local.extend_from_slice(&x[run.range()]);
    }
    local
}
