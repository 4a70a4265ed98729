//! The impulse law [MuJoCo2013, §2.5]: velocity stepping.
//!
//! A stabilizer computes reference velocities for the end of the step (`reference`); the impulse
//! solves
//!   min ½ fᵀ(A + R) f + fᵀ(v₀ − v_min),  f in its friction cone.                             (1)
//! As in the manual, by cone-projected Gauss–Seidel (`gauss_seidel`) with equalities eliminated.
//! Alternatively, because (1) is the dual of the soft law's problem with other regularizers and
//! reference accelerations, by that law's Newton or conjugate-gradient method, to optimality; R > 0
//! then makes the law invertible in closed form.

mod gauss_seidel;
mod proof;
mod reference;

pub(crate) use reference::{reference_slopes, slip_by_friction, slip_slopes, update_reference};

use super::contact_space::ContactSpace;
use super::soft::{self, Method};
use crate::data::{Data, SolverReport, SolverStatus};
use crate::model::Model;
use crate::options::Solver;
use crate::options::law::ImpulseOptions;
use gauss_seidel::GaussSeidel;
use proof::Proof;

/// Working memory; its contents mean nothing between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    space: ContactSpace,
    warm: Vec<f64>,
    gauss_seidel: GaussSeidel,
    proof: Proof,
}

/// Iterations from the warm start before continuation through softer problems, and the factor by
/// which the first of these is softer. Measured on models/cubes.xml and models/pile.xml: without
/// continuation up to a third of the steps reach the limit of 100 iterations.
const DIRECT: u32 = 8;
const SOFTER: [f64; 3] = [128.0, 16.0, 1.0];

/// Maximum number of restarts after a search that ended without proof of convergence, and the
/// largest ratio of successive duality gaps for which restarts continue.
const ROUNDS: usize = 8;
const PROGRESS: f64 = 0.5;

/// Solves the rows of `data.constraints` for `acceleration.a`, `tau_constraint` and the rows'
/// forces.
pub fn solve(model: &Model, data: &mut Data) {
    let impulse = &model.options.laws.impulse;
    let hard = impulse.equality_softness == 0.0 && impulse.lambda == 0.0 && data.constraints.n_equality > 0;
    let mut work = data.scratch.modules.take::<Workspace>();
    if impulse.solver != Solver::Pgs && !hard || data.constraints.is_empty() {
        solve_primal(model, data, &mut work);
    } else {
        for island in 0..work.space.begin(model, data) {
            work.space.enter(model, data, island);
            let report = work.gauss_seidel.solve(model, &mut work.space);
            work.space.leave(model, data, &report);
        }
        prove(model, data, &mut work.proof, false);
    }
    data.scratch.modules.put(work);
}

/// Tolerance of the cost.
fn tolerance(model: &Model) -> f64 {
    model.options.tolerance * model.options.laws.tolerance_scale()
}

/// Minimizes over accelerations, to optimality. A few iterations from the warm start are usually
/// enough; where the set of sticking and sliding contacts changes much they are not, and
/// continuation through softer problems follows.
fn solve_primal(model: &Model, data: &mut Data, work: &mut Workspace) {
    let ImpulseOptions { solver, iterations, ls_iterations, .. } = model.options.laws.impulse;
    let (limit, ls_iterations) = (iterations as u32, ls_iterations as u32);
    let method = Method { solver, iterations: limit, ls_iterations, tolerance: tolerance(model), noslip: false };
    soft::solve_by(model, data, &Method { iterations: limit.min(DIRECT), ..method });
    let mut gap = prove(model, data, &mut work.proof, true);
    let settled =
        |data: &Data| matches!(data.constraints.report.status, SolverStatus::Converged | SolverStatus::Unconstrained);
    if settled(data) || limit <= DIRECT {
        return;
    }
    work.warm.clone_from(&data.state.a_warm);
    if data.constraints.report.status == SolverStatus::IterationLimit {
        SOFTER.into_iter().for_each(|scale| resume(model, data, scale, &method));
        gap = prove(model, data, &mut work.proof, true);
    }
    for _ in 0..ROUNDS {
        if settled(data) {
            break;
        }
        resume(model, data, 1.0, &method);
        let last = core::mem::replace(&mut gap, prove(model, data, &mut work.proof, true));
        if gap.is_nan() || gap > PROGRESS * last {
            break;
        }
    }
    data.state.a_warm.copy_from_slice(&work.warm);
}

/// Continues the search from the current acceleration, in a problem whose regularizers are
/// multiplied by `scale`. Overwrites `a_warm`.
fn resume(model: &Model, data: &mut Data, scale: f64, method: &Method) {
    let Data { state, acceleration, constraints, .. } = data;
    let SolverReport { iterations, total_iterations, .. } = constraints.report;
    state.a_warm.copy_from_slice(&acceleration.a);
    constraints.R.iter_mut().for_each(|R| *R *= scale);
    constraints.D.iter_mut().for_each(|D| *D /= scale);
    soft::solve_by(model, data, method);
    data.constraints.R.iter_mut().for_each(|R| *R /= scale);
    data.constraints.D.iter_mut().for_each(|D| *D *= scale);
    data.constraints.report.iterations += iterations;
    data.constraints.report.total_iterations += total_iterations;
}

/// Sets the status according to the duality gap, whatever the method reported; returns the gap.
/// `from_motion`: forces are functions of the acceleration, not independent unknowns.
fn prove(model: &Model, data: &mut Data, proof: &mut Proof, from_motion: bool) -> f64 {
    if data.constraints.is_empty() {
        return 0.0;
    }
    let bound = proof.bound(model, data);
    let report = &mut data.constraints.report;
    report.residual = bound.residual;
    report.status = match report.status {
        _ if bound.proves(tolerance(model), from_motion) => SolverStatus::Converged,
        SolverStatus::Converged => SolverStatus::Stalled,
        other => other,
    };
    bound.gap
}

/// State after one sweep of the manual's Gauss–Seidel, for studies of its convergence.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The cost (1) after the sweep, in acceleration units.
    pub cost: f64,
    /// Generalized velocity at the end of the step for these forces.
    pub v_next: Vec<f64>,
}

/// Runs the manual's Gauss–Seidel from zero force on the rows of a forward pass and records every
/// sweep. `data` is not changed.
pub fn study_sweeps(model: &Model, data: &Data, sweeps: usize) -> Vec<Sweep> {
    let mut data = data.clone();
    let mut space = ContactSpace::default();
    let h = model.options.timestep;
    let v_next = |v: &[f64], a: &[f64]| -> Vec<f64> { v.iter().zip(a).map(|(v, a)| v + h * a).collect() };
    let free = Sweep { cost: 0.0, v_next: v_next(&data.state.v, &data.acceleration.a_smooth) };
    let mut study = vec![free; sweeps];
    for island in 0..space.begin(model, &mut data) {
        space.enter(model, &data, island);
        for sweep in &mut study {
            gauss_seidel::sweep(&mut space);
            space.set_acceleration();
            sweep.cost += gauss_seidel::cost(&space);
            for tree in &space.problem.trees {
                let a = &space.dual.a[tree.start..tree.start + tree.dofs.len as usize];
                sweep.v_next[tree.dofs.range()].copy_from_slice(&v_next(&data.state.v[tree.dofs.range()], a));
            }
        }
    }
    study
}
