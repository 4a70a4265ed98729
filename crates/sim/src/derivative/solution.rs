//! Checks that the acceleration at which derivatives of steps are computed solves the contact law.
//!
//! Derivatives of forward dynamics are those of the exact solution of the constraint problem, by
//! the implicit function theorem. At the acceleration of a solver that stopped too early they
//! belong to no step: contacts that will stick count as open, and errors can be of any size. A
//! solver that reports convergence is trusted, except for Gauss–Seidel, whose criterion is only a
//! small change in the last sweep. If it does not report convergence (it may have reached round-off
//! before its tolerance), Newton's next step decides,
//!   δa = H⁻¹ (M(a − a₀) − Jᵀ f(a)),  H = ∂ID/∂a,                                             (1)
//! which is zero at the solution and only there.

use super::factor::Factor;
use super::{Inexact, Report};
use crate::data::{Data, RowState, SolverStatus};
use crate::law::soft::inverse::constraint_forces;
use crate::model::Model;
use crate::options::Solver;
use crate::options::law::Law;

/// Largest step (1), relative to the largest acceleration, for which derivatives count as exact.
const CLOSE: f64 = 1e-7;

/// Working memory: forces of the law, states of its rows, and (1).
#[derive(Clone, Debug, Default)]
pub(super) struct Solution {
    force: Vec<f64>,
    state: Vec<RowState>,
    change: Vec<f64>,
    step: Vec<f64>,
}

impl Solution {
    /// Adds to the report reasons why the current acceleration differs from the law's solution; `x`
    /// is J a − a_ref of the rows, `hessian` the factors of H.
    pub fn check(&mut self, model: &Model, data: &Data, x: &[f64], hessian: &mut Factor, report: &mut Report) {
        if data.constraints.is_empty() {
            return;
        }
        if model.options.noslip_acts() {
            report.add(Inexact::Model("forces of the noslip solver are treated as those of the soft law"));
        } else if !is_believed(model, data) && !self.is_close(model, data, x, hessian) {
            report.add(Inexact::Model("the constraint solver did not converge: derivatives belong to no solution"));
        }
    }

    /// Whether (1) is small. Only under the soft and the impulse law are forces functions of
    /// accelerations in this form.
    fn is_close(&mut self, model: &Model, data: &Data, x: &[f64], hessian: &mut Factor) -> bool {
        if !matches!(model.options.laws.law, Law::Soft | Law::Impulse) {
            return false;
        }
        let (rows, acceleration) = (&data.constraints, &data.acceleration);
        let Self { force, state, change, step } = self;
        force.resize(rows.len(), 0.0);
        state.resize(rows.len(), RowState::Satisfied);
        constraint_forces(rows, &data.contacts, x, force, state);
        change.clear();
        change.extend(acceleration.a.iter().zip(&acceleration.a_smooth).map(|(a, free)| free - a));
        step.clear();
        step.resize(model.size.nv, 0.0);
        data.inertia.mul_step(model, change, step);
        rows.add_transposed(force, step);
        hessian.solve(step, 1);
        let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        largest(step) <= CLOSE * largest(&acceleration.a)
    }
}

/// Whether the solver's own status is sufficient.
fn is_believed(model: &Model, data: &Data) -> bool {
    let by_sweeps = model.options.laws.law == Law::Soft && model.options.solver == Solver::Pgs;
    let converged = matches!(data.constraints.report.status, SolverStatus::Converged | SolverStatus::Unconstrained);
    converged && !by_sweeps
}
