//! The lcp law: time stepping with complementarity \[StewartTrinkle1996\], the friction cone a pyramid.
//!
//! With x = J a − a_ref = x₀ + A f (`contact_space`), for normals and limits 0 ≤ f ⟂ x ≥ 0, and for each direction of
//! friction of a contact, |f| ≤ μ f_n with x > 0 only at f = −μ f_n and x < 0 only at f = μ f_n: each axis dissipates the
//! most by itself. Dry friction is the same with the constant bound η. References correct the share `erp` of an error
//! per step, `cfm` is added to the diagonal \[HsuPeters2014\]. Rows that nothing can move, because of the joints or of equalities,
//! get no force: it could be anything.
//!
//! By projected Gauss–Seidel (`pgs`), or exactly by Lemke's pivoting (`lemke`), which is meant as a reference: its
//! work grows with the cube of the number of rows.

mod lemke;
mod pgs;

pub use lemke::{Complementarity, Tableau, solve_lcp};

use super::contact_space::ContactSpace;
use crate::data::{Data, RowKind, RowState, SolverReport, SolverStatus};
use crate::model::Model;
use crate::options::law::LcpSolver;
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
    lemke: Tableau,
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

/// Residual up to which the result of pivoting is taken.
const PIVOTED: f64 = 1e-6;

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows' forces.
pub fn solve(model: &Model, data: &mut Data) {
    let mut work = data.scratch.modules.take::<Workspace>();
    let Workspace { space, bounds, lemke } = &mut work;
    for island in 0..space.begin(model, data) {
        space.enter(model, data, island);
        update_bounds(data, space, bounds);
        let report = match model.options.laws.lcp.solver {
            LcpSolver::Pgs => pgs::solve(model, space, bounds),
            LcpSolver::Lemke => pivot(model, space, bounds, lemke),
        };
        set_states(space, bounds);
        space.leave(model, data, &report);
    }
    data.scratch.modules.put(work);
}

/// By pivoting, or, where that finds no solution, by sweeps.
fn pivot(model: &Model, space: &mut ContactSpace, bounds: &[Bound], lemke: &mut Tableau) -> SolverReport {
    if let Some(pivots) = lemke.solve(space, bounds) {
        space.set_acceleration();
        let (status, residual) = (SolverStatus::Converged, residual(space, bounds));
        if residual <= PIVOTED {
            let (iterations, total_iterations) = (pivots, pivots);
            return SolverReport { status, iterations, total_iterations, residual, ..SolverReport::default() };
        }
    }
    SolverReport { status: SolverStatus::Replaced, ..pgs::solve(model, space, bounds) }
}

/// The bounds of all rows; equalities have none.
fn update_bounds(data: &Data, space: &ContactSpace, bounds: &mut Vec<Bound>) {
    let problem = &space.problem;
    bounds.clear();
    bounds.extend((0..problem.end_friction).map(|i| Bound::Constant(problem.eta[i])));
    bounds.extend((problem.end_friction..problem.end_one_sided).map(|_| Bound::OneSided));
    for cone in &problem.cones {
        let contact = &data.contacts[data.constraints.id[problem.row[cone.row] as usize] as usize];
        bounds.push(Bound::OneSided);
        bounds.extend((1..cone.dim).map(|j| Bound::Friction { mu: contact.friction[j - 1], normal: cone.row }));
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

/// Mobility, relative to the row's regularizer, up to which nothing can move a row: round-off.
const IMMOBILE: f64 = 1e-6;

/// Whether nothing can move a row.
fn is_immobile(space: &ContactSpace, i: usize) -> bool {
    space.dual.diag[i] <= MIN_VAL.max(IMMOBILE * space.problem.R[i])
}

/// The force that solves a row for the present forces of the others; none if nothing can move the row.
fn best_force(space: &ContactSpace, bounds: &[Bound], i: usize) -> f64 {
    let (f, R, mobility) = (space.force[i], space.problem.R[i], space.dual.diag[i]);
    if is_immobile(space, i) {
        return 0.0;
    }
    let [low, high] = interval(bounds[i], &space.force);
    (f - (space.velocity(i) + R * f) / (mobility + R)).max(low).min(high)
}

/// How far the forces are from complementarity, by one projected Newton step on each row by itself: the largest change of a force
/// relative to the largest force, or of an acceleration relative to the largest without forces. The former alone says nothing where
/// contacts that cannot all be satisfied press against each other without end.
fn residual(space: &ContactSpace, bounds: &[Bound]) -> f64 {
    let (mut by_force, mut by_acceleration, mut free) = (0.0f64, 0.0f64, MIN_VAL);
    for i in space.first..space.force.len() {
        let change = (best_force(space, bounds, i) - space.force[i]).abs();
        by_force = by_force.max(change);
        by_acceleration = by_acceleration.max(change * (space.dual.diag[i] + space.problem.R[i]));
        free = free.max(space.free_velocity(i).abs());
    }
    (by_force / largest(&space.force[space.first..])).max(by_acceleration / free)
}

fn largest(force: &[f64]) -> f64 {
    force.iter().fold(MIN_VAL, |a, b| a.max(b.abs()))
}

fn set_states(space: &mut ContactSpace, bounds: &[Bound]) {
    for (i, &bound) in bounds.iter().enumerate().skip(space.first) {
        let (f, [low, high]) = (space.force[i], interval(bound, &space.force));
        space.state[i] = match bound {
            Bound::OneSided if f > 0.0 => RowState::Quadratic,
            Bound::OneSided => RowState::Satisfied,
            _ if f >= high && high > low => RowState::LinearNeg,
            _ if f <= low && high > low => RowState::LinearPos,
            _ => RowState::Quadratic,
        };
    }
}
