//! Connects the law to the engine: rows of `data.constraints` become a problem, impulses become
//! forces.
//!
//! v = J v_t + h J a is the velocity of the rows at the end of the step, c the velocity without
//! impulses, forces are impulses divided by h. Distances, velocities and inverse masses of the rows
//! depend on q and v only, so that forward and inverse solve the same problem.

use super::barrier;
use super::dense::Dense;
use super::inverse::separable;
use super::island::{Found, Given, IslandSolver};
use super::problem::update_rows;
use super::rows::Rows;
use super::share::Shares;
use crate::data::constraint::NO_ISLAND;
use crate::data::{Constraints, Data, RowState, SolverReport, SolverStatus};
use crate::law::soft::{self, island::Islands};
use crate::model::Model;
use crate::options::Disable;

/// Working memory; its contents mean nothing between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    rows: Rows,
    shares: Shares,
    islands: Islands,
    solver: IslandSolver,
    column: Vec<f64>,
    c: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    f: Vec<f64>,
    lambda: Vec<f64>,
}

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows'
/// forces.
pub fn solve(model: &Model, data: &mut Data) {
    let mut work = data.scratch.modules.take::<Workspace>();
    let rows = core::mem::take(&mut data.constraints);
    let h = model.options.timestep;
    update_rows(model, &data.contacts, &rows, &mut work.shares, &mut work.rows);
    rows_velocity(&rows, &data.acceleration.a_smooth, h, &mut work.c);
    rows_velocity(&rows, &data.state.a_warm, h, &mut work.v);
    data.constraints = rows;
    work.islands.update(model, &mut data.constraints, &data.inertia);
    work.f.clear();
    work.f.resize(work.rows.len(), 0.0);
    let mut report = SolverReport::default();
    if data.constraints.row_island.contains(&NO_ISLAND) {
        // Rows that act on no dof: A = 0, and z is c.
        work.lambda.resize(work.rows.len(), 0.0);
        report.status = separable(&work.rows, &work.c, &mut work.f, &mut work.lambda).status;
    }
    let guess = (!model.options.disable.has(Disable::WARMSTART)).then_some(&work.v[..]);
    let mut a = core::mem::take(&mut data.acceleration.a);
    a.copy_from_slice(&data.acceleration.a_smooth);
    for island in 0..data.constraints.n_island {
        let (trees, blocks) = (work.islands.trees_of(island), work.islands.blocks_of(island));
        let given = Given { rows: &work.rows, c: &work.c, guess };
        let mut all = Found { f: &mut work.f, a: &mut a };
        let found = work.solver.solve(model, data, trees, blocks, &given, &mut all);
        report.status = soft::worse(report.status, found.status);
        report.iterations = report.iterations.max(found.iterations);
        report.total_iterations += found.iterations;
        report.residual = report.residual.max(found.residual);
    }
    data.acceleration.a = a;
    let restitution = model.options.laws.invertible.restitution;
    bounce(&work.rows, &data.constraints.vel, restitution, &mut work.f);
    write_forces(data, &work.f, h);
    if restitution > 0.0 {
        work.column.clone_from(&data.acceleration.tau_constraint);
        data.inertia.solve_step(model, &mut work.column);
        let acceleration = &mut data.acceleration;
        for ((a, free), change) in acceleration.a.iter_mut().zip(&acceleration.a_smooth).zip(&work.column) {
            *a = free + change;
        }
    }
    data.constraints.report = report;
    data.scratch.modules.put(work);
}

/// Forces of the rows and their generalized force for the current `acceleration.a`.
pub(crate) fn invert(model: &Model, data: &mut Data) {
    let h = model.options.timestep;
    let (rows, work) = (&data.constraints, data.scratch.modules.of::<Workspace>());
    update_rows(model, &data.contacts, rows, &mut work.shares, &mut work.rows);
    rows_velocity(rows, &data.acceleration.a, h, &mut work.v);
    // z = v + J M⁻¹ Jᵀ ∇d_V(v), without forming A.
    work.f.clear();
    work.f.resize(rows.len(), 0.0);
    for &i in &work.rows.normals {
        let i = i as usize;
        work.f[i] = barrier::derivatives(&work.rows, i, work.v[i], false).0;
    }
    work.z.clone_from(&work.v);
    // Barriers may be inactive or switched off.
    if work.f.iter().any(|f| *f != 0.0) {
        let mut column = core::mem::take(&mut work.column);
        column.clear();
        column.resize(model.size.nv, 0.0);
        rows.add_transposed(&work.f, &mut column);
        data.inertia.solve_step(model, &mut column);
        let work = data.scratch.modules.of::<Workspace>();
        data.constraints.mul(&column, &mut work.z);
        work.z.iter_mut().zip(&work.v).for_each(|(z, v)| *z += v);
        work.column = column;
    }
    let work = data.scratch.modules.of::<Workspace>();
    work.lambda.resize(work.z.len(), 0.0);
    let report = separable(&work.rows, &work.z, &mut work.f, &mut work.lambda);
    let f = core::mem::take(&mut work.f);
    write_forces(data, &f, h);
    data.constraints.report.status = report.status;
    data.scratch.modules.of::<Workspace>().f = f;
}

/// The invertible problem of a forward pass: rows, A, and the velocities of the rows at the end of
/// the step. For studies of the law in isolation.
pub fn problem_of(model: &Model, data: &mut Data) -> (Rows, Dense, Vec<f64>) {
    let mut v = Vec::new();
    rows_velocity(&data.constraints, &data.acceleration.a, model.options.timestep, &mut v);
    let A = row_inertia(model, data);
    (data.scratch.modules.of::<Workspace>().rows.clone(), A, v)
}

/// Velocities of the rows after a step with acceleration `a`.
fn rows_velocity(rows: &Constraints, a: &[f64], h: f64, v: &mut Vec<f64>) {
    v.clear();
    v.resize(rows.len(), 0.0);
    rows.mul(a, v);
    v.iter_mut().zip(&rows.vel).for_each(|(v, before)| *v = before + h * *v);
}

/// Writes forces and states of the rows, and their generalized force.
fn write_forces(data: &mut Data, f: &[f64], h: f64) {
    let rows = &mut data.constraints;
    rows.force.clear();
    rows.force.extend(f.iter().map(|f| f / h));
    rows.state.clear();
    rows.state.resize(f.len(), RowState::Quadratic);
    data.acceleration.tau_constraint.fill(0.0);
    rows.add_transposed(&rows.force, &mut data.acceleration.tau_constraint);
    if f.is_empty() {
        rows.report.status = SolverStatus::Unconstrained;
    }
}

/// Poisson's hypothesis: normal impulses of approaching contacts are multiplied by 1 + e. Friction
/// is unchanged; it stays inside the cone, which grows. It acts per step: a collision that the
/// reach spreads over several steps has less restitution.
fn bounce(rows: &Rows, velocity: &[f64], restitution: f64, f: &mut [f64]) {
    if restitution > 0.0 {
        for &i in &rows.normals {
            if velocity[i as usize] < 0.0 {
                f[i as usize] *= 1.0 + restitution;
            }
        }
    }
}

/// A = J M⁻¹ Jᵀ of all rows.
fn row_inertia(model: &Model, data: &mut Data) -> Dense {
    let Data { constraints: rows, inertia, .. } = data;
    let (mut A, mut column) = (Dense::default(), vec![]);
    A.resize(rows.len());
    for block in &rows.blocks {
        let cols = &rows.col[block.cols.range()];
        for (r, row) in block.rows.range().enumerate() {
            column.clear();
            column.resize(model.size.nv, 0.0);
            for (&c, j) in cols.iter().zip(&rows.J[block.row_values(r)]) {
                column[c as usize] = *j;
            }
            inertia.solve_step(model, &mut column);
            rows.mul(&column, A.row_mut(row));
        }
    }
    A
}
