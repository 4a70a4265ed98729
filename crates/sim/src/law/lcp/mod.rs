//! The lcp law: time stepping with complementarity [StewartTrinkle1996], the friction cone a pyramid.
//!
//! With x = J a − a_ref = x₀ + A f (`contact_space`), for normals and limits 0 ≤ f ⟂ x ≥ 0, and for each direction of
//! friction of a contact, |f| ≤ μ f_n with x > 0 only at f = −μ f_n and x < 0 only at f = μ f_n: each axis dissipates the
//! most by itself. Dry friction is the same with the constant bound η. References correct the share `erp` of an error
//! per step, `cfm` is added to the diagonal [HsuPeters2014].
//!
//! By projected Gauss–Seidel (`pgs`), or exactly by Lemke's pivoting (`lemke`), which is meant as a reference: its
//! work grows with the cube of the number of rows.

mod lemke;
mod pgs;

pub use lemke::{Complementarity, solve_lcp};

use super::contact_space::{ContactSpace, inequalities};
use super::options::LcpSolver;
use crate::data::{Data, RowKind, RowState, SolverReport, SolverStatus};
use crate::model::Model;
use saltus_math::MIN_VAL;

/// What bounds the force of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    /// f ≥ 0.
    OneSided,
    /// |f| ≤ a constant.
    Constant(f64),
    /// |f| ≤ μ times the force of another row.
    Friction { mu: f64, normal: usize },
}

/// Working memory; its contents mean nothing between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    space: ContactSpace,
    bounds: Vec<Bound>,
    lemke: lemke::Tableau,
}

/// Regularizers and reference accelerations of all rows. Needs `constraint::update_reference`.
pub(crate) fn update_reference(model: &Model, data: &mut Data) {
    let (h, settings) = (model.options.timestep, &model.options.laws.lcp);
    let rows = &mut data.constraints;
    for k in 0..rows.blocks.len() {
        let block = rows.blocks[k];
        for row in block.rows.range() {
            let e = rows.pos[row] - rows.margin[row];
            let first = row == block.rows.start as usize;
            let v_ref = match block.kind {
                RowKind::Equality => -settings.erp * e / h,
                RowKind::FrictionDof | RowKind::FrictionTendon => 0.0,
                _ if !first => 0.0,
                _ if e > 0.0 => -e / h,
                _ => -settings.erp * e / h,
            };
            rows.a_ref[row] = (v_ref - rows.vel[row]) / h;
            rows.R[row] = settings.cfm * rows.diag[row].max(MIN_VAL);
            rows.D[row] = if rows.R[row] > 0.0 { 1.0 / rows.R[row] } else { 0.0 };
        }
    }
}

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows' forces.
pub fn solve(model: &Model, data: &mut Data) {
    let mut work = core::mem::take(&mut data.scratch.lcp);
    let Workspace { space, bounds, lemke } = &mut work;
    space.update(model, data);
    update_bounds(data, space.first, bounds);
    let R = &data.constraints.R[space.first..];
    let report = match model.options.laws.lcp.solver {
        _ if space.n == 0 => SolverReport::default(),
        LcpSolver::Pgs => pgs::solve(model, space, R, bounds),
        LcpSolver::Lemke => match lemke.solve(space, R, bounds) {
            Some(pivots) => SolverReport {
                status: SolverStatus::Converged,
                iterations: pivots,
                total_iterations: pivots,
                ..SolverReport::default()
            },
            None => SolverReport { status: SolverStatus::Replaced, ..pgs::solve(model, space, R, bounds) },
        },
    };
    space.finish(model, data);
    data.constraints.n_island = 0;
    data.constraints.report = report;
    data.constraints.report.residual = residual(space, &data.constraints.R[space.first..], bounds);
    set_states(data, space, bounds);
    data.scratch.lcp = work;
}

/// The bounds of all inequality rows.
fn update_bounds(data: &Data, first: usize, bounds: &mut Vec<Bound>) {
    let rows = &data.constraints;
    bounds.clear();
    for block in inequalities(rows) {
        let normal = block.rows.start as usize - first;
        for (r, row) in block.rows.range().enumerate() {
            bounds.push(match block.kind {
                RowKind::FrictionDof | RowKind::FrictionTendon => Bound::Constant(rows.friction_loss[row]),
                RowKind::ContactElliptic if r > 0 => {
                    Bound::Friction { mu: data.contacts[block.id as usize].friction[r - 1], normal }
                }
                _ => Bound::OneSided,
            });
        }
    }
}

/// Interval of a row's force.
fn interval(bound: Bound, force: &[f64]) -> [f64; 2] {
    match bound {
        Bound::OneSided => [0.0, f64::INFINITY],
        Bound::Constant(most) => [-most, most],
        Bound::Friction { mu, normal } => [-mu * force[normal], mu * force[normal]],
    }
}

/// How far the forces are from complementarity: largest change of a force by one projected Newton step on its own row,
/// relative to the largest force.
fn residual(space: &ContactSpace, R: &[f64], bounds: &[Bound]) -> f64 {
    let (n, f) = (space.n, &space.force);
    let mut most = 0.0f64;
    for i in 0..n {
        let x = space.x0[i] + saltus_math::dot(&space.A[i * n..(i + 1) * n], f) + R[i] * f[i];
        let [low, high] = interval(bounds[i], f);
        let best = (f[i] - x / (space.A[i * n + i] + R[i]).max(MIN_VAL)).max(low).min(high);
        most = most.max((best - f[i]).abs());
    }
    let scale = f.iter().fold(MIN_VAL, |a, b| a.max(b.abs()));
    most / scale
}

fn set_states(data: &mut Data, space: &ContactSpace, bounds: &[Bound]) {
    let states = &mut data.constraints.state;
    states.clear();
    states.resize(space.first, RowState::Quadratic);
    for (i, &bound) in bounds.iter().enumerate() {
        let (f, [low, high]) = (space.force[i], interval(bound, &space.force));
        states.push(match bound {
            Bound::OneSided if f > 0.0 => RowState::Quadratic,
            Bound::OneSided => RowState::Satisfied,
            _ if f >= high && high > low => RowState::LinearNeg,
            _ if f <= low && high > low => RowState::LinearPos,
            _ => RowState::Quadratic,
        });
    }
}
