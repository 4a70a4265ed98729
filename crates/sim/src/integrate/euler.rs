//! Semi-implicit Euler, with joint damping implicit in velocity.
//!
//! (M + h D) a* = M a = τ_smooth + τ_constraint,  D = −∂(joint damping)/∂v, diagonal.

use super::Workspace;
use super::advance::advance as advance_by;
use crate::data::Data;
use crate::dynamics::derivatives::{calc_dof_damping, has_dof_damping};
use crate::model::Model;
use saltus_math::{MIN_VAL, ldl};

/// One step from the results of the acceleration stage.
pub(super) fn advance(model: &Model, data: &mut Data, work: &mut Workspace) {
    if is_damped(model) {
        update_metric(model, data, work);
        for i in 0..model.size.nv {
            work.a_step[i] = data.acceleration.tau_smooth[i] + data.acceleration.tau_constraint[i];
        }
        ldl::factor(&model.mass_pattern, &mut work.M_hat, &mut work.pivot_inv, MIN_VAL);
        ldl::solve(&model.mass_pattern, &work.M_hat, &work.pivot_inv, &mut work.a_step);
    } else {
        work.a_step.copy_from_slice(&data.acceleration.a);
    }
    advance_by(model, data, &work.a_step, None, None);
}

/// Whether joint damping modifies the step.
pub(super) fn is_damped(model: &Model) -> bool {
    model.options.euler_is_damped() && has_dof_damping(model)
}

/// `work.a_step` = (M + h D) a. Returns false, without a result, if D is zero.
pub(super) fn mul_metric(model: &Model, data: &Data, a: &[f64], work: &mut Workspace) -> bool {
    if !is_damped(model) {
        return false;
    }
    update_metric(model, data, work);
    ldl::mul(&model.mass_pattern, &work.M_hat, a, &mut work.a_step);
    true
}

/// M + h D in `work.M_hat`.
fn update_metric(model: &Model, data: &Data, work: &mut Workspace) {
    let h = model.options.timestep;
    calc_dof_damping(model, data, &mut work.dof_damping);
    work.M_hat.copy_from_slice(&data.inertia.M);
    for (i, d) in work.dof_damping.iter().enumerate() {
        work.M_hat[model.mass_pattern.diag(i)] += h * d;
    }
}
