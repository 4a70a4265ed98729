//! Integrators: advance the state by one time step.
//!
//! All single-step schemes have the form v⁺ = v + h a*, q⁺ = q ⊕ h v⁺, act⁺ = act + h ȧ; they
//! differ in a*.

mod advance;
mod euler;
mod implicit;
pub(crate) mod rk4;
mod stepping;
mod workspace;

pub(crate) use workspace::Workspace;

use crate::callbacks::Callbacks;
use crate::data::Data;
use crate::divergence::{StepError, check_result};
use crate::model::Model;
use crate::options::Integrator;

/// Advances q, v, act and time by one step from the results of the acceleration stage. Multi-stage
/// schemes evaluate the forward dynamics again. If the step fails, the state is unchanged.
pub fn advance(model: &Model, data: &mut Data, callbacks: &mut dyn Callbacks) -> Result<(), StepError> {
    let mut work = data.scratch.modules.take::<Workspace>();
    work.fit(model);
    work.start.copy_from(&data.state);
    let outcome = match model.options.scheme() {
        Integrator::Rk4 => rk4::advance(model, data, callbacks, &mut work),
        Integrator::Interleaved => stepping::advance_interleaved(model, data, callbacks, &mut work),
        _ => advance_single(model, data, &mut work),
    };
    let outcome = outcome.and_then(|()| check_result(model, data));
    if outcome.is_err() {
        work.start.copy_to(&mut data.state);
    }
    data.scratch.modules.put(work);
    outcome
}

/// [`advance`] without further evaluations of the forward dynamics: Euler replaces the schemes that
/// need them.
pub(crate) fn advance_once(model: &Model, data: &mut Data) -> Result<(), StepError> {
    let mut work = data.scratch.modules.take::<Workspace>();
    work.fit(model);
    work.start.copy_from(&data.state);
    let outcome = advance_single(model, data, &mut work).and_then(|()| check_result(model, data));
    if outcome.is_err() {
        work.start.copy_to(&mut data.state);
    }
    data.scratch.modules.put(work);
    outcome
}

/// The schemes that use the current acceleration only.
fn advance_single(model: &Model, data: &mut Data, work: &mut Workspace) -> Result<(), StepError> {
    match model.options.scheme() {
        Integrator::Implicit => implicit::advance_full(model, data, work),
        Integrator::ImplicitFast => implicit::advance_fast(model, data, work),
        Integrator::Euler | Integrator::Rk4 | Integrator::Interleaved => euler::advance(model, data, work),
        scheme @ (Integrator::Explicit | Integrator::Midpoint | Integrator::SemiImplicit) => {
            stepping::advance(model, data, scheme, work);
        }
        // The acceleration already is that of the step.
        Integrator::Discrete => {
            work.a_step.copy_from_slice(&data.acceleration.a);
            advance::advance(model, data, &work.a_step, None, None);
        }
    }
    Ok(())
}

/// Converts the acceleration of a step, (v⁺ − v) / h, to the acceleration a of continuous time from
/// which the integrator computed it: M a = M̂ (v⁺ − v) / h. Unchanged if integration does not alter
/// the acceleration: under Runge–Kutta there is no such relation, and under the discrete integrator
/// the solver itself works with M̂. Needs the velocity stage and, under the implicit integrators,
/// the results of actuation.
pub fn continuous_acceleration(model: &Model, data: &mut Data, a: &mut [f64]) {
    let mut work = data.scratch.modules.take::<Workspace>();
    work.fit(model);
    let changed = match model.options.scheme() {
        Integrator::Euler => euler::mul_metric(model, data, a, &mut work),
        Integrator::Implicit => implicit::mul_full_metric(model, data, a, &mut work),
        Integrator::ImplicitFast => implicit::mul_fast_metric(model, data, a, &mut work),
        Integrator::Rk4
        | Integrator::Discrete
        | Integrator::Explicit
        | Integrator::Midpoint
        | Integrator::SemiImplicit
        | Integrator::Interleaved => false,
    };
    if changed {
        a.copy_from_slice(&work.a_step);
        data.inertia.solve(model, a);
    }
    data.scratch.modules.put(work);
}
