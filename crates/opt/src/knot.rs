//! One step of a trajectory: dynamics, terms, and the local quadratic model of both.
//!
//! Local unknowns are the changes (δ₀, δ₁, δ₂) of the three configurations that the step sees, columns 0 … 3n−1.
//! With V = ∂v, V' = ∂v' (the velocities before and after, `tangent`),
//!   ∂a = (V' − V)/h,   ∂τ = τ_q ∂q + τ_v ∂v + τ_a ∂a.                                            (1)

use crate::problem::{Evaluation, Problem, Role};
use crate::rows::{Entry, Knot, Part, Rows};
use crate::tangent::{Rotations, update_log_jacobians};
use saltus_math::Mat3;
use saltus_math::gram::add_gram;
use saltus_sim::data::Data;
use saltus_sim::derivative::batch::{PointError, inverse_at};
use saltus_sim::derivative::{Inverse, Workspace};
use saltus_sim::inverse::inverse_without_sensors_from;
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::{NoCallbacks, Stage};

/// What a step gives: values, and if they were asked for, gradient and Hessian of the merit by the local unknowns.
#[derive(Clone, Debug, Default)]
pub struct KnotResult {
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub tau: Vec<f64>,
    /// Cost and penalties with their measure.
    pub merit: f64,
    /// Cost of each term with its measure, 0 for constraints.
    pub cost: Vec<f64>,
    /// Values of each constraint, empty for costs.
    pub constraint: Vec<Vec<f64>>,
    /// Weights times residuals, by term and row: what multiplies derivatives of residuals in the gradient.
    pub pull: Vec<Vec<f64>>,
    pub gradient: Vec<f64>,
    /// Lower triangle · 3n × `ld`.
    pub hessian: Vec<f64>,
    /// ∂τ by local unknowns · nv × `ld`.
    pub tau_x: Vec<f64>,
    /// Weights of the squares of single forces in the merit · nv.
    pub tau_weight: Vec<f64>,
    /// Equalities, one by one.
    pub equalities: Equalities,
    /// Why there is no result.
    pub error: Option<PointError>,
    /// Whether derivatives of contact geometry were exact.
    pub exact: bool,
}

/// Linearized equalities of a step.
#[derive(Clone, Debug, Default)]
pub struct Equalities {
    /// Term and row.
    pub at: Vec<(usize, usize)>,
    /// Factor of the step in the merit.
    pub measure: Vec<f64>,
    /// Derivatives by the local unknowns · rows × `ld`.
    pub rows: Vec<f64>,
    /// Penalty of each with which the linearized problem is solved; empty before that.
    pub stiffness: Vec<f64>,
}

impl Equalities {
    fn clear(&mut self) {
        self.at.clear();
        self.measure.clear();
        self.rows.clear();
        self.stiffness.clear();
    }
}

/// Multipliers and penalty of the constraints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Multipliers {
    /// By term and step.
    pub lambda: Vec<Vec<Vec<f64>>>,
    pub penalty: f64,
    /// For restoration: costs count in the Hessian only, so that steps go to the nearest point at which constraints hold, and
    /// inequalities may be violated by this times their slack.
    pub restore: Option<f64>,
}

/// Memory of one thread.
#[derive(Debug)]
pub struct KnotMemory {
    data: Data,
    work: Workspace,
    tau_q: Vec<f64>,
    tau_v: Vec<f64>,
    tau_a: Vec<f64>,
    before: Vec<Mat3>,
    after: Vec<Mat3>,
    v_next: Vec<f64>,
    rows: Rows,
    dense: DenseRows,
    weight: Vec<f64>,
    force: Vec<f64>,
    line: Vec<f64>,
    /// Columns of `line` in use.
    touched: Vec<usize>,
    marked: Vec<bool>,
}

/// Rows with derivatives by everything, weights and right-hand sides.
#[derive(Clone, Debug, Default)]
struct DenseRows {
    values: Vec<f64>,
    weight: Vec<f64>,
}

/// Row stride of local matrices.
pub fn stride(n: usize) -> usize {
    (3 * n).next_multiple_of(4)
}

impl KnotMemory {
    pub fn new(problem: &Problem) -> Self {
        let n = problem.model.size.nv;
        let (square, ld) = (vec![0.0; n * n], stride(n));
        Self {
            data: Data::new(&problem.model),
            work: Workspace::default(),
            tau_q: square.clone(),
            tau_v: square.clone(),
            tau_a: square,
            before: Vec::new(),
            after: Vec::new(),
            v_next: vec![0.0; n],
            rows: Rows::default(),
            dense: DenseRows::default(),
            weight: vec![0.0; n],
            force: vec![0.0; n],
            line: vec![0.0; ld],
            touched: Vec::new(),
            marked: vec![false; ld],
        }
    }
}

/// What a step is evaluated from.
#[derive(Clone, Copy, Debug)]
pub struct KnotInput<'a> {
    pub problem: &'a Problem,
    pub rotations: &'a Rotations,
    pub multipliers: &'a Multipliers,
    pub t: usize,
    /// Configurations t−1, t, t+1; the last is missing where no step follows.
    pub q: [&'a [f64]; 2],
    pub q_next: Option<&'a [f64]>,
    pub mode: Mode<'a>,
}

/// What is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum Mode<'a> {
    /// Values only.
    Values,
    /// Values, gradient and Gauss–Newton Hessian.
    Model,
    /// The gradient of Σ y r for given y (by term and row): what the curvature of residuals adds to the Hessian is its
    /// derivative.
    Slope(&'a [Vec<f64>]),
}

impl Mode<'_> {
    fn jacobian(&self) -> bool {
        !matches!(self, Mode::Values)
    }
}

/// Evaluates a step.
pub fn evaluate(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) {
    out.error = None;
    let outcome = update_dynamics(input, memory, out);
    if let Err(error) = outcome {
        out.error = Some(error);
        fail(input, out);
        return;
    }
    update_terms(input, memory, out);
}

/// A step without a result: nothing of an earlier one is left, constraints do not hold, derivatives are zero.
fn fail(input: &KnotInput<'_>, out: &mut KnotResult) {
    let (terms, n) = (&input.problem.terms, input.problem.model.size.nv);
    let wrong = |role: Role| if role == Role::Cost { Vec::new() } else { vec![f64::INFINITY] };
    out.merit = f64::INFINITY;
    out.cost = vec![0.0; terms.len()];
    out.constraint = terms.iter().map(|entry| wrong(entry.role)).collect();
    out.pull = vec![Vec::new(); terms.len()];
    if input.mode.jacobian() {
        out.gradient = vec![0.0; 3 * n];
        out.hessian = vec![0.0; 3 * n * stride(n)];
        out.tau_x = vec![0.0; n * stride(n)];
        out.tau_weight = vec![0.0; n];
        out.equalities = Equalities::default();
    }
}

fn update_dynamics(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) -> Result<(), PointError> {
    let problem = input.problem;
    let (model, n, h) = (&problem.model, problem.model.size.nv, problem.h());
    out.v.resize(n, 0.0);
    out.a.clear();
    out.a.resize(n, 0.0);
    out.tau.resize(n, 0.0);
    difference(model, input.q[0], input.q[1], h, &mut out.v);
    let (mut q, mut v) = (input.q[1], &out.v);
    if let Some(q_next) = input.q_next {
        difference(model, input.q[1], q_next, h, &mut memory.v_next);
        for i in 0..n {
            out.a[i] = (memory.v_next[i] - out.v[i]) / h;
        }
        if problem.evaluation == Evaluation::End {
            (q, v) = (q_next, &memory.v_next);
        }
    }
    if input.mode.jacobian() {
        update_log_jacobians(input.rotations, input.q[0], input.q[1], &mut memory.before);
        memory.after.clear();
        if let Some(q_next) = input.q_next {
            update_log_jacobians(input.rotations, input.q[1], q_next, &mut memory.after);
        }
    }
    let data = &mut memory.data;
    data.state.q.copy_from_slice(q);
    data.state.v.copy_from_slice(v);
    data.state.time = input.t as f64 * h;
    data.acceleration.a.copy_from_slice(&out.a);
    data.stage = Stage::None;
    out.exact = true;
    if input.mode.jacobian() && input.q_next.is_some() {
        let KnotMemory { data, work, tau_q, tau_v, tau_a, .. } = memory;
        let matrices = Inverse { dtau_dq: tau_q, dtau_dv: tau_v, dtau_da: tau_a };
        out.exact = inverse_at(model, data, false, work, matrices)?.exact();
    } else {
        saltus_sim::divergence::check_state(model, data)?;
        inverse_without_sensors_from(model, data, Stage::None, &mut NoCallbacks)?;
    }
    match input.q_next {
        Some(_) => out.tau.copy_from_slice(&memory.data.acceleration.tau_inverse),
        None => out.tau.fill(0.0),
    }
    if input.mode.jacobian() && input.q_next.is_some() {
        out.tau_x.resize(n * stride(n), 0.0);
        update_tau_x(input, memory, &mut out.tau_x);
    }
    Ok(())
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

/// target[j] += Σ_i source_i ∂v_i/∂(node) h, for one node of a velocity: source times the Jacobian from the left.
fn multiply(rotations: &Rotations, jacobians: &[Mat3], second: bool, source: &[f64], scale: f64, target: &mut [f64]) {
    let sign = if second { scale } else { -scale };
    let mut next = 0;
    for (r, &(_, d)) in rotations.at.iter().enumerate() {
        for i in next..d {
            target[i] += sign * source[i];
        }
        let (s0, s1, s2) = (source[d], source[d + 1], source[d + 2]);
        let jacobian = if second { jacobians[r] } else { jacobians[r].transpose() };
        let product = jacobian.r0 * s0 + jacobian.r1 * s1 + jacobian.r2 * s2;
        target[d] += sign * product.x;
        target[d + 1] += sign * product.y;
        target[d + 2] += sign * product.z;
        next = d + 3;
    }
    for i in next..source.len() {
        target[i] += sign * source[i];
    }
}

/// (1).
fn update_tau_x(input: &KnotInput<'_>, memory: &KnotMemory, tau_x: &mut [f64]) {
    let (n, h) = (input.problem.model.size.nv, input.problem.h());
    let ld = stride(n);
    let (r, end) = (input.rotations, input.problem.evaluation == Evaluation::End);
    for i in 0..n {
        let own = i * n..(i + 1) * n;
        let (by_q, by_v, by_a) = (&memory.tau_q[own.clone()], &memory.tau_v[own.clone()], &memory.tau_a[own]);
        let row = &mut tau_x[i * ld..(i + 1) * ld];
        row.fill(0.0);
        let (x0, rest) = row.split_at_mut(n);
        let (x1, x2) = rest.split_at_mut(n);
        let x2 = &mut x2[..n];
        let a = 1.0 / (h * h);
        // a = (v' − v)/h
        multiply(r, &memory.before, false, by_a, -a, x0);
        multiply(r, &memory.before, true, by_a, -a, x1);
        multiply(r, &memory.after, false, by_a, a, x1);
        multiply(r, &memory.after, true, by_a, a, x2);
        if end {
            multiply(r, &memory.after, false, by_v, 1.0 / h, x1);
            multiply(r, &memory.after, true, by_v, 1.0 / h, x2);
            x2.iter_mut().zip(by_q).for_each(|(x, q)| *x += q);
        } else {
            multiply(r, &memory.before, false, by_v, 1.0 / h, x0);
            multiply(r, &memory.before, true, by_v, 1.0 / h, x1);
            x1.iter_mut().zip(by_q).for_each(|(x, q)| *x += q);
        }
    }
}

/// How a row counts in the merit: weight and effective residual, w ½ r².
#[inline]
fn effective(role: Role, value: f64, lambda: f64, penalty: f64) -> (f64, f64) {
    match role {
        Role::Cost => (1.0, value),
        Role::Equality => (penalty, value + lambda / penalty),
        Role::Inequality => {
            let raised = value + lambda / penalty;
            // NaN stays NaN: it is no constraint that holds.
            (penalty, if raised < 0.0 { 0.0 } else { raised })
        }
    }
}

fn update_terms(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) {
    let problem = input.problem;
    let n = problem.model.size.nv;
    let ld = stride(n);
    let terms = problem.terms.len();
    out.merit = 0.0;
    out.cost.clear();
    out.cost.resize(terms, 0.0);
    out.constraint.resize(terms, Vec::new());
    out.pull.resize(terms, Vec::new());
    if input.mode.jacobian() {
        out.gradient.clear();
        out.gradient.resize(3 * n, 0.0);
        if matches!(input.mode, Mode::Model) {
            out.hessian.clear();
            out.hessian.resize(3 * n * ld, 0.0);
        }
        memory.weight.fill(0.0);
        memory.force.fill(0.0);
        memory.dense.values.clear();
        memory.dense.weight.clear();
        out.equalities.clear();
    }
    let mut rows = core::mem::take(&mut memory.rows);
    let state = match problem.evaluation {
        Evaluation::End if input.q_next.is_some() => input.t + 1,
        _ => input.t,
    };
    for (k, entry) in problem.terms.iter().enumerate() {
        out.constraint[k].clear();
        out.pull[k].clear();
        if !entry.window.has(state) {
            continue;
        }
        rows.clear(input.mode.jacobian());
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
        let measure = entry.measure.unwrap_or(1.0 / problem.steps as f64);
        let lambda = input.multipliers.lambda.get(k).and_then(|by_step| by_step.get(input.t));
        if entry.role != Role::Cost {
            out.constraint[k].extend_from_slice(&rows.value);
        }
        if let Mode::Slope(pull) = input.mode {
            let pull = pull.get(k).map_or(&[][..], |p| &p[..]);
            for (i, &y) in pull.iter().enumerate().filter(|(i, y)| **y != 0.0 && *i < rows.len()) {
                add_row(input, memory, rows.entries(i), (0.0, y), out);
            }
            continue;
        }
        if entry.role == Role::Equality && matches!(input.mode, Mode::Model) {
            for i in 0..rows.len() {
                out.equalities.at.push((k, i));
                out.equalities.measure.push(measure);
                let is_dense = fill_line(input, memory, rows.entries(i), &out.tau_x);
                out.equalities.rows.extend_from_slice(&memory.line);
                clear_line(memory, is_dense);
            }
        }
        let restored = input.multipliers.restore.is_some() && entry.role == Role::Cost;
        let mut sum = 0.0;
        for (i, &value) in rows.value.iter().enumerate() {
            let multiplier = lambda.and_then(|l| l.get(i)).copied().unwrap_or(0.0);
            let value = match (input.multipliers.restore, entry.role) {
                (Some(allowed), Role::Inequality) => value - allowed * entry.slack,
                _ => value,
            };
            let (weight, residual) = effective(entry.role, value, multiplier, input.multipliers.penalty);
            sum += 0.5 * weight * residual * residual;
            let residual = if restored { 0.0 } else { residual };
            if input.mode.jacobian() {
                let weight = measure * weight;
                out.pull[k].push(weight * residual);
                // An inequality that holds is flat.
                if residual != 0.0 || entry.role != Role::Inequality {
                    add_row(input, memory, rows.entries(i), (weight, weight * residual), out);
                }
            }
        }
        if entry.role == Role::Cost {
            out.cost[k] = measure * sum;
        }
        if !restored {
            out.merit += measure * sum;
        }
    }
    memory.rows = rows;
    if input.mode.jacobian() {
        finish(input, memory, out);
    }
    if !out.merit.is_finite() {
        out.merit = f64::INFINITY;
    }
}

/// Adds pull ∂r to the gradient and weight ∂rᵀ∂r to the Hessian; what depends on forces waits for `finish`.
fn add_row(
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
    let KnotMemory { line, touched, dense, .. } = &mut *memory;
    if is_dense {
        for (g, l) in out.gradient.iter_mut().zip(line.iter()) {
            *g += pull * l;
        }
        if weight != 0.0 {
            dense.values.extend_from_slice(line);
            dense.weight.push(weight);
        }
        clear_line(memory, true);
        return;
    }
    touched.sort_unstable();
    for (i, &column) in touched.iter().enumerate() {
        let d = line[column];
        out.gradient[column] += pull * d;
        if weight != 0.0 {
            let (d, row) = (weight * d, &mut out.hessian[column * ld..(column + 1) * ld]);
            touched[..=i].iter().for_each(|&other| row[other] += d * line[other]);
        }
    }
    clear_line(memory, false);
}

/// Writes the derivatives of a row by the local unknowns to `line`; whether they are by all of them. Otherwise `touched` are
/// the columns.
fn fill_line(input: &KnotInput<'_>, memory: &mut KnotMemory, entries: &[Entry], tau_x: &[f64]) -> bool {
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
fn clear_line(memory: &mut KnotMemory, is_dense: bool) {
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
fn finish(input: &KnotInput<'_>, memory: &mut KnotMemory, out: &mut KnotResult) {
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
    if !matches!(input.mode, Mode::Model) {
        return;
    }
    out.tau_weight.clone_from(&memory.weight);
    add_gram(n, 3 * n, &out.tau_x, ld, &memory.weight, &mut out.hessian, ld);
    let DenseRows { values, weight } = &memory.dense;
    add_gram(weight.len(), 3 * n, values, ld, weight, &mut out.hessian, ld);
}
