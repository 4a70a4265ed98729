//! Projected Gauss–Seidel: other rows, then normals, then friction within the bounds that the new normals give.

use super::{Bound, ContactSpace, interval};
use crate::data::{SolverReport, SolverStatus};
use crate::model::Model;
use saltus_math::{MIN_VAL, dot};

/// Sweeps from zero until no force changes by more than the tolerance relative to the largest force.
pub(super) fn solve(model: &Model, space: &mut ContactSpace, R: &[f64], bounds: &[Bound]) -> SolverReport {
    let options = &model.options;
    space.force.fill(0.0);
    let mut report = SolverReport { status: SolverStatus::IterationLimit, ..SolverReport::default() };
    while report.iterations < options.iterations.max(0) as u32 {
        let change = sweep(space, R, bounds);
        report.iterations += 1;
        let largest = space.force.iter().fold(MIN_VAL, |a, b| a.max(b.abs()));
        report.improvement = change / largest;
        if report.improvement <= options.tolerance {
            report.status = SolverStatus::Converged;
            break;
        }
    }
    report.total_iterations = report.iterations;
    report
}

/// One sweep; returns the largest change of a force.
fn sweep(space: &mut ContactSpace, R: &[f64], bounds: &[Bound]) -> f64 {
    let mut most = 0.0f64;
    for friction in [false, true] {
        for i in 0..space.n {
            if matches!(bounds[i], Bound::Friction { .. }) != friction {
                continue;
            }
            let row = &space.A[i * space.n..(i + 1) * space.n];
            let x = space.x0[i] + dot(row, &space.force) + R[i] * space.force[i];
            let [low, high] = interval(bounds[i], &space.force);
            let best = (space.force[i] - x / (row[i] + R[i]).max(MIN_VAL)).max(low).min(high);
            most = most.max((best - space.force[i]).abs());
            space.force[i] = best;
        }
    }
    most
}
