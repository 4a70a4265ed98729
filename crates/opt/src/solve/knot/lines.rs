//! Rows of terms in the local unknowns: gradient and Gauss–Newton Hessian.

use super::{KnotInput, KnotMemory, KnotResult, stride};
use crate::problem::rows::{Entry, Part, Rows};
use crate::problem::tangent::Rotations;
use saltus_math::Mat3;
use saltus_math::gram::Weighted;

/// Rows with derivatives by everything, weights and right-hand sides.
#[derive(Clone, Debug, Default)]
pub(super) struct DenseRows {
    pub values: Vec<f64>,
    pub weight: Vec<f64>,
}

/// ∂v_i or ∂v'_i as entries (node 0 or 1 of the two that it joins, dof, value), times h.
#[inline]
fn velocity_entries(rotations: &Rotations, jacobians: &[Mat3], dof: usize, mut put: impl FnMut(usize, usize, f64)) {
    match rotations.of_dof[dof] {
        None => {
            put(0, dof, -1.0);
            put(1, dof, 1.0);
        }
        Some((r, k)) => {
            let (jacobian, first) = (&jacobians[r], dof - k);
            let row = [jacobian.r0, jacobian.r1, jacobian.r2][k].to_array();
            let col = jacobian.col(k).to_array();
            for c in 0..3 {
                put(0, first + c, -col[c]);
                put(1, first + c, row[c]);
            }
        }
    }
}

/// Derivatives of one row by the local unknowns.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub values: Vec<f64>,
    /// Columns that were written one by one.
    pub touched: Vec<usize>,
    marked: Vec<bool>,
    /// Whether all columns were written.
    pub is_dense: bool,
}

impl Line {
    pub fn new(ld: usize) -> Self {
        Self { values: vec![0.0; ld], touched: Vec::new(), marked: vec![false; ld], is_dense: false }
    }

    #[inline]
    fn put(&mut self, column: usize, value: f64) {
        if !self.marked[column] {
            self.marked[column] = true;
            self.touched.push(column);
        }
        self.values[column] += value;
    }

    /// Sets what was written to zero.
    pub fn clear(&mut self) {
        if self.is_dense {
            self.values.fill(0.0);
            self.is_dense = false;
        }
        for column in self.touched.drain(..) {
            self.values[column] = 0.0;
            self.marked[column] = false;
        }
    }
}

/// A row of a term whose share of the gradient and the Hessian is still to be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingRow {
    /// Which row.
    pub row: usize,
    /// Factor of ∂rᵀ∂r in the Hessian.
    pub weight: f64,
    /// Factor of ∂r in the gradient.
    pub pull: f64,
}

impl KnotMemory {
    /// Takes note of a row with its weight and pull: a force by itself is one of the rows of ∂τ,
    /// which are multiplied all at once.
    pub(super) fn take(&mut self, entries: &[Entry], row: PendingRow) {
        if let [Entry { part: Part::Tau, dof, value }] = *entries {
            self.weight[dof as usize] += row.weight * value * value;
            self.force[dof as usize] += row.pull * value;
        } else {
            self.pending.push(row);
        }
    }
}

/// Gradient and Hessian: sums of pull ∂r and weight ∂rᵀ∂r, forces by themselves first.
pub(super) fn add_rows(input: &KnotInput<'_>, memory: &mut KnotMemory, rows: &Rows, out: &mut KnotResult) {
    let n = input.problem.model.size.nv;
    let ld = stride(n);
    if input.q_next.is_none() {
        // There are no forces.
        memory.weight.fill(0.0);
        memory.force.fill(0.0);
    }
    for (row, &force) in out.tau_x.chunks_exact(ld).zip(&memory.force) {
        if force != 0.0 {
            out.gradient.iter_mut().zip(row).for_each(|(g, x)| *g += force * x);
        }
    }
    out.tau_weight.clone_from(&memory.weight);
    let forces = Weighted { rows: n, cols: 3 * n, a: &out.tau_x, stride: ld, w: &memory.weight };
    memory.gram.set(forces, &mut out.hessian, ld);
    memory.dense.values.clear();
    memory.dense.weight.clear();
    let pending = core::mem::take(&mut memory.pending);
    for &row in &pending {
        add_row(input, memory, rows.entries(row.row), row, out);
    }
    memory.pending = pending;
    let KnotMemory { group, gram, dense: DenseRows { values, weight }, .. } = memory;
    group.flush(gram, &mut out.hessian);
    gram.add(Weighted { rows: weight.len(), cols: 3 * n, a: values, stride: ld, w: weight }, &mut out.hessian, ld);
}

/// A row that is more than a force by itself. Rows of all columns wait for each other, and so do
/// rows of the same few.
fn add_row(
    input: &KnotInput<'_>,
    memory: &mut KnotMemory,
    entries: &[Entry],
    PendingRow { weight, pull, .. }: PendingRow,
    out: &mut KnotResult,
) {
    // A coordinate by itself.
    if let [Entry { part: Part::Q, dof, value }] = *entries {
        let column = dof as usize + input.first_of_q();
        out.gradient[column] += pull * value;
        out.hessian[column * stride(input.problem.model.size.nv) + column] += weight * value * value;
        return;
    }
    fill_line(input, memory, entries, &out.tau_x);
    let KnotMemory { line, dense, group, gram, .. } = memory;
    if line.is_dense {
        out.gradient.iter_mut().zip(&line.values).for_each(|(g, l)| *g += pull * l);
        dense.values.extend_from_slice(&line.values);
        dense.weight.push(weight);
    } else {
        line.touched.iter().for_each(|&column| out.gradient[column] += pull * line.values[column]);
        group.add(line, weight, gram, &mut out.hessian);
    }
    line.clear();
}

/// Writes the derivatives of a row by the local unknowns to the line of `memory`.
pub(super) fn fill_line(input: &KnotInput<'_>, memory: &mut KnotMemory, entries: &[Entry], tau_x: &[f64]) {
    let n = input.problem.model.size.nv;
    let (ld, h, first_of_q) = (stride(n), input.problem.h(), input.first_of_q());
    let KnotMemory { line, before, after, .. } = memory;
    for e in entries {
        let dof = e.dof as usize;
        match e.part {
            Part::Q => line.put(first_of_q + dof, e.value),
            Part::V => {
                let jacobians = if first_of_q > n { &*after } else { &*before };
                let scale = e.value / h;
                velocity_entries(input.rotations, jacobians, dof, |node, j, d| {
                    line.put(first_of_q + node * n + j - n, scale * d);
                });
            }
            Part::A => {
                let scale = e.value / (h * h);
                velocity_entries(input.rotations, before, dof, |node, j, d| {
                    line.put(node * n + j, -scale * d);
                });
                if !after.is_empty() || input.rotations.at.is_empty() {
                    velocity_entries(input.rotations, after, dof, |node, j, d| {
                        line.put((1 + node) * n + j, scale * d);
                    });
                }
            }
            Part::Tau => {
                line.is_dense = true;
                for (l, x) in line.values.iter_mut().zip(&tau_x[dof * ld..dof * ld + 3 * n]) {
                    *l += e.value * x;
                }
            }
        }
    }
}
