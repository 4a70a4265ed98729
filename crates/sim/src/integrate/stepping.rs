//! Schemes for laws that step velocities \[MuJoCo2013\]: v⁺ = v + h a for all of them, and
//!   explicit q⁺ = q ⊕ h v,   midpoint q⁺ = q ⊕ h (v + v⁺)/2,   semi-implicit q⁺ = q ⊕ h v⁺.
//! Midpoint is exact under constant acceleration; otherwise the velocity, and therefore all three
//! schemes, are of first order.
//!
//! Interleaved: fourth-order Runge–Kutta for the smooth dynamics, constraints once per step. With ā
//! the mean smooth acceleration of the Runge–Kutta stages and σ̄ their displacement, the law solves
//! the problem with a_smooth = ā, and
//!   v⁺ = v + h a,   q⁺ = q ⊕ (σ̄ + h² (a − ā)).
//! Without active constraints this is Runge–Kutta; with them the constraint forces act
//! semi-implicitly.

use super::Workspace;
use super::advance::advance as advance_by;
use super::rk4::{self, Forces};
use crate::callbacks::Callbacks;
use crate::data::Data;
use crate::divergence::{StepError, check_acceleration};
use crate::forward::resolve_with;
use crate::model::Model;
use crate::options::Integrator;

/// One step of explicit, midpoint or semi-implicit from the results of the acceleration stage.
pub(super) fn advance(model: &Model, data: &mut Data, scheme: Integrator, work: &mut Workspace) {
    let h = model.options.timestep;
    work.fit_stages(model);
    work.a_step.copy_from_slice(&data.acceleration.a);
    // Weight of v⁺ in the velocity, between v and v⁺, that advances q.
    let share = match scheme {
        Integrator::Explicit => 0.0,
        Integrator::Midpoint => 0.5,
        _ => 1.0,
    };
    for (i, x) in work.sum.q.iter_mut().enumerate() {
        *x = data.state.v[i] + share * h * work.a_step[i];
    }
    advance_by(model, data, &work.a_step, None, Some(&work.sum.q));
}

/// One step of the interleaved scheme. `work.start` is the initial state, whose acceleration stage
/// is valid.
pub(super) fn advance_interleaved(
    model: &Model,
    data: &mut Data,
    callbacks: &mut dyn Callbacks,
    work: &mut Workspace,
) -> Result<(), StepError> {
    let h = model.options.timestep;
    rk4::run_stages(model, data, callbacks, work, Forces::Smooth)?;
    work.start.copy_to(&mut data.state);
    resolve_with(model, data, callbacks, &work.sum.v);
    check_acceleration(model, data)?;
    work.a_step.copy_from_slice(&data.acceleration.a);
    for i in 0..model.size.nv {
        work.sum.q[i] += h * (work.a_step[i] - work.sum.v[i]);
    }
    advance_by(model, data, &work.a_step, Some(&work.sum.act), Some(&work.sum.q));
    Ok(())
}
