//! Cone-projected Gauss–Seidel [MuJoCo2013, §2.5.3] in `contact_space`: dry friction, then limits
//! and frictionless contacts, then frictional contacts; each update minimizes the cost of its row
//! or improves that of its cone. The sweeps are those of the soft law.

use super::super::contact_space::ContactSpace;
use super::super::soft::cost;
use super::super::soft::pgs;
use super::tolerance;
use crate::data::{RowState, SolverReport, SolverStatus};
use crate::model::Model;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct GaussSeidel {
    x: Vec<f64>,
    law: Vec<f64>,
    state: Vec<RowState>,
}

impl GaussSeidel {
    /// Sweeps over an island, starting from zero force, until the duality gap is within the
    /// tolerance, a sweep changes nothing, or the iteration limit is reached.
    pub fn solve(&mut self, model: &Model, space: &mut ContactSpace) -> SolverReport {
        let limit = model.options.laws.impulse.iterations as u32;
        let scale = 1.0 / (model.statistic.mean_inertia * space.problem.n.max(1) as f64);
        let tolerance = tolerance(model);
        let mut report = SolverReport { status: SolverStatus::IterationLimit, ..SolverReport::default() };
        if space.count() == 0 {
            report.status = SolverStatus::Converged;
        }
        while report.iterations < limit && report.status == SolverStatus::IterationLimit {
            report.improvement = scale * sweep(space);
            report.iterations += 1;
            if report.improvement < tolerance {
                // A small improvement per sweep does not imply convergence.
                let proven = scale * self.gap(space) <= tolerance;
                report.status = match proven {
                    true => SolverStatus::Converged,
                    false if report.improvement <= 0.0 => SolverStatus::Stalled,
                    false => report.status,
                };
            }
        }
        report.total_iterations = report.iterations;
        pgs::states(&space.problem, &space.force, &mut space.state);
        report
    }

    /// The duality gap (`proof`) of the inequalities; equalities and dynamics are satisfied
    /// exactly.
    fn gap(&mut self, space: &ContactSpace) -> f64 {
        let problem = &space.problem;
        self.x.clear();
        self.x.extend((0..problem.nrow()).map(|i| space.velocity(i)));
        self.law.resize(problem.nrow(), 0.0);
        self.state.resize(problem.nrow(), RowState::Satisfied);
        cost::evaluate(problem, &self.x, &mut self.law, &mut self.state);
        let excess = |i: usize| space.force[i] - self.law[i];
        let work = |i: usize| excess(i) * (self.x[i] + problem.R[i] * self.law[i]);
        let squares: f64 = (space.first..problem.nrow()).map(|i| problem.R[i] * excess(i) * excess(i)).sum();
        let single: f64 = (space.first..problem.end_one_sided).map(|i| work(i).abs()).sum();
        let cones: f64 = problem.cones.iter().map(|c| (c.row..c.row + c.dim).map(work).sum::<f64>().abs()).sum();
        0.5 * squares + single + cones
    }
}

/// One sweep over all inequalities; returns the decrease of the cost.
pub(super) fn sweep(space: &mut ContactSpace) -> f64 {
    pgs::sweep(&space.problem, &mut space.dual, space.first, &mut space.force)
}

/// ½ fᵀ(A + R) f + fᵀ x₀ over the inequalities.
pub(super) fn cost(space: &ContactSpace) -> f64 {
    let problem = &space.problem;
    let mut sum = 0.0;
    for i in space.first..problem.nrow() {
        let (f, x0) = (space.force[i], space.free_velocity(i));
        sum += 0.5 * f * (space.velocity(i) + problem.R[i] * f + x0);
    }
    sum
}
