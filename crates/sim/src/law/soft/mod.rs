//! The soft law: min ½‖a − a₀‖²_M + s(J a − a_ref), convex, at the level of accelerations.
//!
//! The rows are partitioned into islands (`island`), each of which becomes a contiguous `problem`.
//! Newton and conjugate gradients minimize over accelerations (`primal`, `line_search`, `cost`),
//! projected Gauss–Seidel (`pgs`) over forces.

mod cg;
pub(crate) mod cost;
pub(in crate::law) mod dual;
pub(in crate::law) mod hessian;
pub(crate) mod inverse;
pub(in crate::law) mod island;
mod line_search;
mod newton;
mod noslip;
pub(in crate::law) mod pgs;
mod primal;
pub(in crate::law) mod problem;
mod qcqp;

use crate::data::{Data, RowState, SolverReport, SolverStatus};
use crate::model::Model;
use crate::options::{Disable, Options, Solver};
pub use inverse::constraint_forces;
use island::Islands;
use primal::{Outcome, Primal, Stop};
use problem::Problem;

/// Working memory of the soft law; its contents mean nothing between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    islands: Islands,
    problem: Problem,
    primal: Primal,
    newton: newton::Newton,
    cg: cg::ConjugateGradient,
    dual: dual::Dual,
    warm: Vec<f64>,
}

/// Solver method and stopping criteria.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    pub solver: Solver,
    pub iterations: u32,
    pub ls_iterations: u32,
    pub tolerance: f64,
    /// Whether the noslip pass is applied.
    pub noslip: bool,
}

impl Method {
    /// Method according to the options.
    fn of_soft_law(options: &Options) -> Self {
        Self {
            solver: options.solver,
            iterations: options.iterations.max(0) as u32,
            ls_iterations: options.ls_iterations.max(0) as u32,
            tolerance: options.tolerance,
            noslip: options.noslip_acts(),
        }
    }
}

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows'
/// forces.
pub fn solve(model: &Model, data: &mut Data) {
    solve_by(model, data, &Method::of_soft_law(&model.options));
}

/// [`solve`] with another method than that of the options.
pub(super) fn solve_by(model: &Model, data: &mut Data, method: &Method) {
    data.acceleration.tau_constraint.fill(0.0);
    let acceleration = &mut data.acceleration;
    acceleration.a.copy_from_slice(&acceleration.a_smooth);
    let rows = data.constraints.len();
    data.constraints.force.clear();
    data.constraints.force.resize(rows, 0.0);
    data.constraints.state.clear();
    data.constraints.state.resize(rows, RowState::Satisfied);
    data.constraints.report = SolverReport::default();
    if rows == 0 {
        data.constraints.n_island = 0;
        return;
    }
    let mut work = data.scratch.modules.take::<Workspace>();
    work.islands.update(model, &mut data.constraints, &data.inertia);
    for island in 0..data.constraints.n_island {
        work.problem.gather(model, data, work.islands.trees_of(island), work.islands.blocks_of(island));
        let outcome = minimize(model, data, &mut work, method);
        scatter(data, &work, &outcome);
    }
    data.scratch.modules.put(work);
}

/// Solves one island.
fn minimize(model: &Model, data: &Data, work: &mut Workspace, method: &Method) -> Outcome {
    let Workspace { problem, primal, newton, cg, dual, warm, .. } = work;
    warm.clear();
    for tree in &problem.trees {
        warm.extend_from_slice(&data.state.a_warm[tree.dofs.range()]);
    }
    let warm = (!model.options.disable.has(Disable::WARMSTART)).then_some(&warm[..]);
    primal.resize(problem.n, problem.nrow());
    primal.start(model, data, problem, warm);
    let newton_step = method.solver == Solver::Newton;
    let stop = Stop {
        tolerance: method.tolerance,
        iterations: method.iterations,
        line_search: line_search::Settings {
            tolerance: model.options.ls_tolerance,
            iterations: method.ls_iterations,
            first: newton_step.then_some(1.0),
        },
        scale: 1.0 / (model.statistic.mean_inertia * (problem.n.max(1) as f64)),
    };
    let mut outcome = match method.solver {
        Solver::Cg => cg.solve(model, data, problem, primal, &stop),
        Solver::Newton => newton.solve(model, data, problem, primal, &stop),
        Solver::Pgs => pgs::solve(model, data, problem, primal, dual, &stop),
    };
    if method.noslip {
        noslip::solve(model, data, problem, primal, dual, stop.scale);
    }
    if method.solver == Solver::Pgs || method.noslip {
        primal.take_dual(problem, &dual.a);
    }
    outcome.residual = stop.scale * primal.gradient_norm();
    outcome
}

/// Writes the solution of an island to `data`.
fn scatter(data: &mut Data, work: &Workspace, outcome: &Outcome) {
    let (problem, primal) = (&work.problem, &work.primal);
    for (k, &r) in problem.row.iter().enumerate() {
        data.constraints.force[r as usize] = primal.force[k];
        data.constraints.state[r as usize] = primal.state[k];
    }
    for tree in &problem.trees {
        let own = tree.start..tree.start + tree.dofs.len as usize;
        data.acceleration.a[tree.dofs.range()].copy_from_slice(&primal.a[own.clone()]);
        data.acceleration.tau_constraint[tree.dofs.range()].copy_from_slice(&primal.tau[own]);
    }
    let report = &mut data.constraints.report;
    report.status = worse(report.status, outcome.status);
    report.iterations = report.iterations.max(outcome.iterations);
    report.total_iterations += outcome.iterations;
    report.residual = report.residual.max(outcome.residual);
    report.improvement = report.improvement.max(outcome.improvement);
}

/// The worse of two statuses.
pub(super) fn worse(a: SolverStatus, b: SolverStatus) -> SolverStatus {
    let rank = |s| match s {
        SolverStatus::Unconstrained => 0,
        SolverStatus::Converged => 1,
        SolverStatus::Stalled => 2,
        SolverStatus::IterationLimit => 3,
        SolverStatus::Replaced => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}
