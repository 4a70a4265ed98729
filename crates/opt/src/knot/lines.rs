//! Rows of terms in the local unknowns: gradient and Gauss–Newton Hessian.

use super::{KnotInput, KnotMemory, KnotResult, stride};
use crate::problem::Evaluation;
use crate::rows::{Entry, Part};
use crate::tangent::Rotations;
use saltus_math::Mat3;
use saltus_math::gram::add_gram;

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

/// Adds pull ∂r to the gradient and weight ∂rᵀ∂r to the Hessian; what depends on forces waits for `finish`.
pub(super) fn add_row(
    input: &KnotInput<'_>,
    memory: &mut KnotMemory,
    entries: &[Entry],
    (weight, pull): (f64, f64),
    out: &mut KnotResult,
) {
    let n = input.problem.model.size.nv;
    let ld = stride(n);
    // A force by itself: one of the rows of ∂τ, which are multiplied all at once.
    if let [Entry { part: Part::Tau, dof, value }] = *entries {
        memory.weight[dof as usize] += weight * value * value;
        memory.force[dof as usize] += pull * value;
        return;
    }
    let is_dense = fill_line(input, memory, entries, &out.tau_x);
    let KnotMemory { line, touched, runs, dense, .. } = &mut *memory;
    if is_dense {
        for (g, l) in out.gradient.iter_mut().zip(line.iter()) {
            *g += pull * l;
        }
        dense.values.extend_from_slice(line);
        dense.weight.push(weight);
        clear_line(memory, true);
        return;
    }
    touched.sort_unstable();
    find_runs(touched, runs);
    for (k, &(first, end)) in runs.iter().enumerate() {
        for column in first..end {
            let d = line[column];
            out.gradient[column] += pull * d;
            let (d, row) = (weight * d, &mut out.hessian[column * ld..(column + 1) * ld]);
            let own = (first, column + 1);
            for &(first, end) in runs[..k].iter().chain([&own]) {
                row[first..end].iter_mut().zip(&line[first..end]).for_each(|(h, l)| *h += d * l);
            }
        }
    }
    clear_line(memory, false);
}

/// Sorted columns as runs of consecutive ones.
fn find_runs(columns: &[usize], runs: &mut Vec<(usize, usize)>) {
    runs.clear();
    for &column in columns {
        match runs.last_mut() {
            Some((_, end)) if *end == column => *end += 1,
            _ => runs.push((column, column + 1)),
        }
    }
}

/// Writes the derivatives of a row by the local unknowns to `line`; whether they are by all of them. Otherwise `touched` are
/// the columns.
pub(super) fn fill_line(input: &KnotInput<'_>, memory: &mut KnotMemory, entries: &[Entry], tau_x: &[f64]) -> bool {
    let n = input.problem.model.size.nv;
    let ld = stride(n);
    let h = input.problem.h();
    let end = input.problem.evaluation == Evaluation::End && input.q_next.is_some();
    let KnotMemory { line, touched, marked, before, after, .. } = memory;
    let mut is_dense = false;
    let mut put = |column: usize, value: f64, line: &mut [f64]| {
        if !marked[column] {
            marked[column] = true;
            touched.push(column);
        }
        line[column] += value;
    };
    for e in entries {
        let dof = e.dof as usize;
        match e.part {
            Part::Q => put(if end { 2 * n } else { n } + dof, e.value, line),
            Part::V => {
                let (first, jacobians) = if end { (n, &*after) } else { (0, &*before) };
                let scale = e.value / h;
                velocity_entries(input.rotations, jacobians, dof, |node, j, d| {
                    put(first + node * n + j, scale * d, line);
                });
            }
            Part::A => {
                let scale = e.value / (h * h);
                velocity_entries(input.rotations, before, dof, |node, j, d| {
                    put(node * n + j, -scale * d, line);
                });
                if !after.is_empty() || input.rotations.at.is_empty() {
                    velocity_entries(input.rotations, after, dof, |node, j, d| {
                        put((1 + node) * n + j, scale * d, line);
                    });
                }
            }
            Part::Tau => {
                is_dense = true;
                for (l, x) in line.iter_mut().zip(&tau_x[dof * ld..dof * ld + 3 * n]) {
                    *l += e.value * x;
                }
            }
        }
    }
    is_dense
}

/// Sets `line` to zero, all of it or what was touched.
pub(super) fn clear_line(memory: &mut KnotMemory, is_dense: bool) {
    let KnotMemory { line, touched, marked, .. } = memory;
    if is_dense {
        line.fill(0.0);
    }
    for column in touched.drain(..) {
        line[column] = 0.0;
        marked[column] = false;
    }
}

/// What depends on forces.
pub(super) fn finish(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) {
    if input.q_next.is_none() {
        return;
    }
    let n = input.problem.model.size.nv;
    let ld = stride(n);
    for (i, &force) in memory.force.iter().enumerate() {
        if force != 0.0 {
            for (g, x) in out.gradient.iter_mut().zip(&out.tau_x[i * ld..i * ld + 3 * n]) {
                *g += force * x;
            }
        }
    }
    out.tau_weight.clone_from(&memory.weight);
    add_gram(n, 3 * n, &out.tau_x, ld, &memory.weight, &mut out.hessian, ld);
    let DenseRows { values, weight } = &memory.dense;
    add_gram(weight.len(), 3 * n, values, ld, weight, &mut out.hessian, ld);
}
