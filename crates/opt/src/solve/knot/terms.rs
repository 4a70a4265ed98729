//! Terms of a step: their share of the merit, and what they hand on to its model.

use super::flaw::{self, KnotFlaw, Quantity};
use super::lines::{PendingRow, add_rows, fill_line};
use super::{KnotInput, KnotMemory, KnotResult, Mode, stride};
use crate::problem::rows::{Knot, Rows};
use crate::problem::{Entry, Role};

/// How a row counts in the merit: weight and effective residual, w ½ r².
#[inline]
fn effective(role: Role, value: f64, lambda: f64, penalty: f64) -> (f64, f64) {
    match role {
        Role::Cost => (1.0, value),
        Role::Equality => (penalty, value + shift(lambda, penalty)),
        Role::Inequality => {
            let raised = value + shift(lambda, penalty);
            // NaN stays NaN: it is no constraint that holds.
            (penalty, if raised < 0.0 { 0.0 } else { raised })
        }
    }
}

/// λ/ρ; most inequalities have no multiplier, and divisions take long.
#[inline]
fn shift(lambda: f64, penalty: f64) -> f64 {
    if lambda == 0.0 { 0.0 } else { lambda / penalty }
}

/// Empties what terms add to.
fn clear(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) {
    let n = input.problem.model.size.nv;
    out.merit = 0.0;
    out.cost.clear();
    out.cost.resize(input.problem.terms.len(), 0.0);
    out.constraint.clear();
    out.pull.clear();
    if input.mode.jacobian() {
        out.gradient.clear();
        out.gradient.resize(3 * n, 0.0);
        out.hessian.resize(3 * n * stride(n), 0.0);
        if input.q_next.is_none() {
            // There are no forces, but terms may speak of them.
            out.tau_x.resize(n * stride(n), 0.0);
        }
        memory.weight.fill(0.0);
        memory.force.fill(0.0);
        memory.pending.clear();
        out.equalities.clear();
    }
}

/// Rows of an equality, one by one, for the linearized problem: those of term `k` from `first` on.
fn add_equalities(
    input: &KnotInput<'_>,
    memory: &mut KnotMemory,
    rows: &Rows,
    [k, first]: [usize; 2],
    out: &mut KnotResult,
) {
    let measure = measure(input, &input.problem.terms[k]);
    for i in first..rows.len() {
        out.equalities.at.push((k, i - first));
        out.equalities.measure.push(measure);
        fill_line(input, memory, rows.entries(i), &out.tau_x);
        out.equalities.rows.extend_from_slice(&memory.line.values);
        memory.line.clear();
    }
}

/// Factor of a term at one step.
fn measure(input: &KnotInput<'_>, entry: &Entry) -> f64 {
    entry.measure.unwrap_or(1.0 / input.problem.steps as f64)
}

/// Evaluates all terms of a step: values, and if they are asked for their shares of the quadratic
/// model.
pub(super) fn update_terms(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) {
    let problem = input.problem;
    clear(input, memory, out);
    let mut rows = core::mem::take(&mut memory.rows);
    rows.clear(input.mode.jacobian());
    let state = if input.is_at_end() { input.t + 1 } else { input.t };
    for (k, entry) in problem.terms.iter().enumerate() {
        if !entry.window.has(state) {
            out.constraint.end();
            out.pull.end();
            continue;
        }
        let first = rows.len();
        let knot = Knot {
            model: &problem.model,
            data: &memory.data,
            t: state,
            steps: problem.steps,
            h: problem.h(),
            has_force: input.q_next.is_some(),
            a: &out.a,
            tau: &out.tau,
        };
        entry.term.evaluate(&knot, &mut rows);
        if let Some(what) = flaw::find(&rows, first) {
            out.flaw.get_or_insert(KnotFlaw { term: Some(k), state, what });
        }
        let measure = measure(input, entry);
        let lambda = input.multipliers.lambda.get(k).and_then(|by_step| by_step.get(input.t));
        let lambda = lambda.map_or(&[][..], |lambda| lambda);
        if entry.role != Role::Cost {
            out.constraint.extend(&rows.value[first..]);
        }
        if entry.role == Role::Equality && input.mode == Mode::Linearized {
            add_equalities(input, memory, &rows, [k, first], out);
        }
        let restored = input.multipliers.restore.is_some() && entry.role == Role::Cost;
        let mut sum = 0.0;
        for (i, &value) in rows.value[first..].iter().enumerate() {
            let multiplier = lambda.get(i).copied().unwrap_or(0.0);
            let value = match (input.multipliers.restore, entry.role) {
                (Some(allowed), Role::Inequality) => value - allowed * entry.slack,
                _ => value,
            };
            let (weight, residual) = effective(entry.role, value, multiplier, input.multipliers.penalty);
            sum += 0.5 * weight * residual * residual;
            let residual = if restored { 0.0 } else { residual };
            if input.mode.jacobian() {
                let weight = measure * weight;
                out.pull.push(weight * residual);
                // An inequality that holds is flat.
                if residual != 0.0 || entry.role != Role::Inequality {
                    let row = PendingRow { row: first + i, weight, pull: weight * residual };
                    memory.take(rows.entries(first + i), row);
                }
            }
        }
        if !sum.is_finite() {
            out.flaw.get_or_insert(KnotFlaw { term: Some(k), state, what: Quantity::Cost });
        }
        out.constraint.end();
        out.pull.end();
        if entry.role == Role::Cost {
            out.cost[k] = measure * sum;
        }
        if !restored {
            out.merit += measure * sum;
        }
    }
    if input.mode.jacobian() {
        add_rows(input, memory, &rows, out);
        flaw::check_model(input, state, out);
    }
    memory.rows = rows;
    if out.flaw.is_some() || !out.merit.is_finite() {
        out.merit = f64::INFINITY;
    }
}
