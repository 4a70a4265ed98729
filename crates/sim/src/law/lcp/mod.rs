//! The lcp law: time stepping as a linear complementarity problem \[StewartTrinkle1996\], with
//! pyramidal friction cones.
//!
//! With x = J a − a_ref = x₀ + A f (`contact_space`): for normals and limits 0 ≤ f ⟂ x ≥ 0, and for
//! each direction of friction of a contact |f| ≤ μ f_n with x > 0 only at f = −μ f_n and x < 0 only
//! at f = μ f_n, which is maximum dissipation for each axis separately. Dry friction is the same
//! with the constant bound η. Reference accelerations correct the fraction `erp` of an error per
//! step; `cfm` is added to the diagonal \[HsuPeters2014\]. Rows that are immobile because of the
//! joints or equalities get no force, since it would be undetermined.
//!
//! Solved by projected Gauss–Seidel (`pgs`), or exactly by Lemke's pivoting (`lemke`), which serves
//! as a reference: its cost is cubic in the number of rows.

mod lemke;
mod pgs;

pub use lemke::{Complementarity, Tableau, solve_lcp};

use super::contact_space::ContactSpace;
use crate::data::{Data, RowKind, RowState, SolverReport, SolverStatus};
use crate::model::Model;
use crate::options::law::LcpSolver;
use saltus_math::MIN_VAL;

/// Bound on the force of a row.
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

/// Residual up to which the result of pivoting is accepted.
const PIVOTED: f64 = 1e-6;

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows'
/// forces.
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

/// Solves by pivoting, or by sweeps if that finds no solution.
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

/// Inverse effective mass, relative to the row's regularizer, below which a row counts as immobile:
/// round-off.
const IMMOBILE: f64 = 1e-6;

/// Whether the inverse effective mass of a row is zero up to round-off.
fn is_immobile(space: &ContactSpace, i: usize) -> bool {
    space.dual.diag[i] <= MIN_VAL.max(IMMOBILE * space.problem.R[i])
}

/// The force that solves a row for the present forces of the others; zero if the row is immobile.
fn best_force(space: &ContactSpace, bounds: &[Bound], i: usize) -> f64 {
    let (f, R, mobility) = (space.force[i], space.problem.R[i], space.dual.diag[i]);
    if is_immobile(space, i) {
        return 0.0;
    }
    let [low, high] = interval(bounds[i], &space.force);
    (f - (space.velocity(i) + R * f) / (mobility + R)).max(low).min(high)
}

/// Complementarity residual of the forces, from one projected Newton step on each row separately:
/// the larger of the largest change of a force relative to the largest force, and the largest
/// change of an acceleration relative to the largest without forces. The former alone is
/// meaningless where incompatible contacts press against each other with unbounded forces.
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
