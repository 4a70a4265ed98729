//! The constraint problem reduced to its inequalities: equalities are eliminated [MuJoCo2013,
//! §2.5.2]:
//!   a = â + M_E⁻¹ J_Iᵀ f,   x = J_I a − a_ref = x₀ + A f.                                    (1)
//! R_E = 0 is the manual's hard equality, R_E = 1/λ its soft one. The problem is in accelerations
//! and forces; with a = (v⁺ − v)/h it is the manual's problem divided by h.
//!
//! Each island is solved by itself, in the soft law's form of a problem. A is not formed: as in the
//! soft law's dual methods, the acceleration is updated with each change of the forces.

mod elimination;

use super::soft::dual::Dual;
use super::soft::island::Islands;
use super::soft::problem::Problem;
use super::soft::worse;
use crate::data::{Data, RowState, SolverReport};
use crate::model::Model;
use elimination::Elimination;

#[derive(Clone, Debug, Default)]
pub(super) struct ContactSpace {
    islands: Islands,
    /// The current island. Its rows are equalities first, then inequalities from `first`.
    pub problem: Problem,
    pub first: usize,
    /// Responses M_E⁻¹ J_Iᵀ, and the acceleration for the current forces.
    pub dual: Dual,
    /// Forces and states of all rows: the result of the law. Forces of equalities are computed
    /// last.
    pub force: Vec<f64>,
    pub state: Vec<RowState>,
    pub a_hat: Vec<f64>,
    elimination: Elimination,
    tau: Vec<f64>,
    column: Vec<f64>,
}

impl ContactSpace {
    /// Finds the islands of `data.constraints`, returns their number and allocates the solution.
    pub fn begin(&mut self, model: &Model, data: &mut Data) -> usize {
        let n = data.constraints.len();
        let Data { acceleration, constraints, inertia, .. } = data;
        acceleration.a.copy_from_slice(&acceleration.a_smooth);
        acceleration.tau_constraint.fill(0.0);
        constraints.force.clear();
        constraints.force.resize(n, 0.0);
        constraints.state.clear();
        constraints.state.resize(n, RowState::Satisfied);
        constraints.report = SolverReport::default();
        self.islands.update(model, constraints, inertia);
        constraints.n_island
    }

    /// Gathers the rows of an island and eliminates its equalities.
    pub fn enter(&mut self, model: &Model, data: &Data, island: usize) {
        let Self { islands, problem, dual, elimination, .. } = self;
        problem.gather(model, data, islands.trees_of(island), islands.blocks_of(island));
        self.first = problem.end_equality;
        elimination.gather(problem);
        dual.respond(model, data, problem, elimination.labels());
        self.a_hat.clone_from(&problem.a_free);
        elimination.apply(model, data, problem, dual, &mut self.a_hat);
        dual.update_blocks(problem);
        self.force.clear();
        self.force.resize(problem.nrow(), 0.0);
        self.state.clear();
        self.state.resize(problem.nrow(), RowState::Quadratic);
        self.set_acceleration();
    }

    /// Recomputes (1) for the current forces.
    pub fn set_acceleration(&mut self) {
        self.dual.set_force_from(&self.a_hat, self.first, &self.force);
    }

    /// x of a row.
    #[inline]
    pub fn velocity(&self, i: usize) -> f64 {
        self.dual.row_acceleration(&self.problem, i) - self.problem.a_ref[i]
    }

    /// x₀ of a row.
    pub fn free_velocity(&self, i: usize) -> f64 {
        self.problem.row_product(i, &self.a_hat) - self.problem.a_ref[i]
    }

    /// Number of inequalities.
    pub fn count(&self) -> usize {
        self.force.len() - self.first
    }

    /// Writes the solution of the island to `data`: acceleration, forces of all rows, generalized
    /// constraint forces.
    pub fn leave(&mut self, model: &Model, data: &mut Data, report: &SolverReport) {
        self.set_acceleration();
        let Self { problem, force, tau, column, .. } = self;
        tau.clear();
        tau.resize(problem.n, 0.0);
        if self.first > 0 {
            force[..self.first].fill(0.0);
            column.clear();
            column.resize(problem.n, 0.0);
            problem.add_transposed(force, column);
            problem.solve_inertia(model, data, column);
            self.elimination.calc_forces(problem, column, force);
        }
        problem.add_transposed(force, tau);
        for (k, &r) in problem.row.iter().enumerate() {
            data.constraints.force[r as usize] = force[k];
            data.constraints.state[r as usize] = self.state[k];
        }
        for tree in &problem.trees {
            let own = tree.start..tree.start + tree.dofs.len as usize;
            data.acceleration.a[tree.dofs.range()].copy_from_slice(&self.dual.a[own.clone()]);
            data.acceleration.tau_constraint[tree.dofs.range()].copy_from_slice(&tau[own]);
        }
        let all = &mut data.constraints.report;
        all.status = worse(all.status, report.status);
        all.iterations = all.iterations.max(report.iterations);
        all.total_iterations += report.total_iterations;
        all.residual = all.residual.max(report.residual);
        all.improvement = all.improvement.max(report.improvement);
    }
}
