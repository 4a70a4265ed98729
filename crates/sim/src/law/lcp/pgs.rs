//! Projected Gauss–Seidel: other rows, then normals, then friction within the bounds given by the
//! new normal forces.

use super::{Bound, ContactSpace, best_force, largest, residual};
use crate::data::{SolverReport, SolverStatus};
use crate::model::Model;

/// Sweeps over an island, starting from zero, until no force would change by more than the
/// tolerance, relative to the largest force.
pub(super) fn solve(model: &Model, space: &mut ContactSpace, bounds: &[Bound]) -> SolverReport {
    let options = &model.options;
    space.force.fill(0.0);
    space.set_acceleration();
    let mut report = SolverReport { status: SolverStatus::IterationLimit, ..SolverReport::default() };
    while report.iterations < options.laws.lcp.iterations as u32 {
        let change = sweep(space, bounds);
        report.iterations += 1;
        report.improvement = change / largest(&space.force[space.first..]);
        // Changes in a sweep say little about rows that were updated early in it.
        if report.improvement <= options.tolerance && residual(space, bounds) <= options.tolerance {
            report.status = SolverStatus::Converged;
            break;
        }
    }
    report.total_iterations = report.iterations;
    space.set_acceleration();
    report.residual = residual(space, bounds);
    report
}

/// One sweep; returns the largest change of a force.
fn sweep(space: &mut ContactSpace, bounds: &[Bound]) -> f64 {
    let mut most = 0.0f64;
    for friction in [false, true] {
        for i in space.first..bounds.len() {
            if matches!(bounds[i], Bound::Friction { .. }) != friction {
                continue;
            }
            let best = best_force(space, bounds, i);
            let change = best - space.force[i];
            most = most.max(change.abs());
            space.force[i] = best;
            space.dual.add_force(i, change);
        }
    }
    most
}
