//! Results of the constraint solver, and products with the constraint Jacobian.

use crate::data::DataCore;
use crate::functions::args::{Readonly, Readwrite, numbers, numbers_mut};
use crate::model::ModelCore;
use pyo3::prelude::*;
use saltus::sim::law::soft::constraint_forces;

/// Status, iterations (of the slowest island, of all), residual, improvement.
type Report = (&'static str, u32, u32, f64, f64);

/// Compares inverse dynamics with the forward dynamics that computed the current results; see
/// [`inverse_gap`].
#[pyfunction]
pub fn compare_inverse(py: Python<'_>, model: &ModelCore, data: &mut DataCore) -> PyResult<()> {
    let model = model.for_step(py)?;
    data.check(&model)?;
    data.data.constraints.report.inverse_gap = saltus::sim::compare_with_inverse(&model, &data.data);
    Ok(())
}

/// Differences between forward and inverse dynamics, as [`compare_inverse`] or a step under
/// `Enable::FWDINV` found them.
#[pyfunction]
pub fn inverse_gap(data: &DataCore) -> [f64; 2] {
    data.data.constraints.report.inverse_gap
}

/// How the solver ended.
#[pyfunction]
pub fn solver_report(data: &DataCore) -> Report {
    let report = &data.data.constraints.report;
    (report.status.name(), report.iterations, report.total_iterations, report.residual, report.improvement)
}

/// Number of islands of bodies that constraints connect.
#[pyfunction]
pub fn island_count(data: &DataCore) -> usize {
    data.data.constraints.n_island
}

/// res = J vec.
#[pyfunction]
pub fn mul_jac(model: &ModelCore, data: &DataCore, mut res: Readwrite<'_>, vec: Readonly<'_>) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let rows = &data.data.constraints;
    rows.mul(numbers(&vec, model.size.nv, "vec")?, numbers_mut(&mut res, rows.len(), "res")?);
    Ok(())
}

/// res = Jᵀ vec.
#[pyfunction]
pub fn mul_jac_transposed(
    model: &ModelCore,
    data: &DataCore,
    mut res: Readwrite<'_>,
    vec: Readonly<'_>,
) -> PyResult<()> {
    let model = model.structure();
    data.check(&model)?;
    let rows = &data.data.constraints;
    let res = numbers_mut(&mut res, model.size.nv, "res")?;
    res.fill(0.0);
    rows.add_transposed(numbers(&vec, rows.len(), "vec")?, res);
    Ok(())
}

/// Computes the forces and states of the rows at x = J a − a_ref and the generalized constraint
/// forces; returns the cost s(x).
#[pyfunction]
pub fn constraint_update(py: Python<'_>, model: &ModelCore, data: &mut DataCore, x: Readonly<'_>) -> PyResult<f64> {
    let model = model.structure();
    let data = data.checked(py, &model)?;
    let rows = &mut data.constraints;
    let x = numbers(&x, rows.len(), "jar")?;
    let (mut force, mut state) = (core::mem::take(&mut rows.force), core::mem::take(&mut rows.state));
    let cost = constraint_forces(rows, &data.contacts, x, &mut force, &mut state);
    (rows.force, rows.state) = (force, state);
    data.acceleration.tau_constraint.fill(0.0);
    rows.add_transposed(&rows.force, &mut data.acceleration.tau_constraint);
    Ok(cost)
}
