//! Fourth-order Runge–Kutta on the configuration manifold [MuntheKaas1999].
//!
//! Rotations are written as q = q₀ exp(σ), σ in the tangent space at q₀. The stage velocities ω are
//! in the tangent space at the stage's own orientation; σ̇ = dexp⁻¹(σ) ω maps them to the tangent
//! space at q₀, where they can be added:
//!   dexp⁻¹(σ) ω = ω + ½ σ × ω + (1 − (θ/2) cot(θ/2)) / θ² · σ × (σ × ω),  θ = |σ|,
//! with ω in body axes. Without that correction the orientation would converge at second order
//! only.

use super::advance::advance as advance_by;
use super::workspace::{Rates, Start, Workspace};
use crate::callbacks::Callbacks;
use crate::data::Data;
use crate::divergence::{StepError, check_acceleration};
use crate::forward::forward_stage;
use crate::kinematics::coordinates;
use crate::model::{Model, kinds::JointKind};

use saltus_math::{Vec3, real};

/// Nodes of the later stages, in units of h; each is reached with the rates of the previous stage.
pub(crate) const NODE: [f64; 3] = [0.5, 0.5, 1.0];
pub(crate) const WEIGHT: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

/// The acceleration that the stages use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forces {
    All,
    /// Without constraints.
    Smooth,
}

/// One step from the results of the acceleration stage, which are the first stage. `work.start` is
/// the initial state.
pub(super) fn advance(
    model: &Model,
    data: &mut Data,
    callbacks: &mut dyn Callbacks,
    work: &mut Workspace,
) -> Result<(), StepError> {
    work.actuator_length.clone_from(&data.position.actuator_length);
    run_stages(model, data, callbacks, work, Forces::All)?;
    work.start.copy_to(&mut data.state);
    // Periodic activations are wrapped relative to the beginning of the step.
    data.position.actuator_length.copy_from_slice(&work.actuator_length);
    advance_by(model, data, &work.sum.v, Some(&work.sum.act), Some(&work.sum.q));
    // The reported acceleration is that of the whole step.
    data.acceleration.a.copy_from_slice(&work.sum.v);
    Ok(())
}

/// Weighted mean of the rates of the four stages, in `work.sum`. Leaves the state at the last
/// stage.
pub(super) fn run_stages(
    model: &Model,
    data: &mut Data,
    callbacks: &mut dyn Callbacks,
    work: &mut Workspace,
    forces: Forces,
) -> Result<(), StepError> {
    let h = model.options.timestep;
    work.fit_stages(model);
    record(data, forces, &mut work.stages[0]);
    for (s, node) in NODE.into_iter().enumerate() {
        let step = node * h;
        let (done, next) = work.stages.split_at_mut(s + 1);
        move_to(model, data, &work.start, &done[s], step);
        forward_stage(model, data, callbacks, forces == Forces::All);
        check_acceleration(model, data)?;
        record(data, forces, &mut next[0]);
        to_tangent_space(model, &done[s].q, step, &mut next[0].q);
    }
    work.sum.clear();
    for (weight, rates) in WEIGHT.into_iter().zip(&work.stages) {
        work.sum.add(weight, rates);
    }
    Ok(())
}

/// Rates at the current state, before the correction.
fn record(data: &Data, forces: Forces, rates: &mut Rates) {
    let acceleration = &data.acceleration;
    let a = if forces == Forces::All { &acceleration.a } else { &acceleration.a_smooth };
    rates.q.copy_from_slice(&data.state.v);
    rates.v.copy_from_slice(a);
    rates.act.copy_from_slice(&acceleration.act_dot);
}

/// Sets the state to `start` + step · rates.
fn move_to(model: &Model, data: &mut Data, start: &Start, rates: &Rates, step: f64) {
    let state = &mut data.state;
    state.time = start.time + step;
    state.q.copy_from_slice(&start.q);
    coordinates::integrate(model, &mut state.q, &rates.q, step);
    for i in 0..start.v.len() {
        state.v[i] = start.v[i] + step * rates.v[i];
    }
    for i in 0..start.act.len() {
        state.act[i] = start.act[i] + step * rates.act[i];
    }
}

/// Applies dexp⁻¹(step · shift) to the angular velocities in `q_dot` of ball and free joints.
fn to_tangent_space(model: &Model, shift: &[f64], step: f64, q_dot: &mut [f64]) {
    for j in 0..model.njoint() {
        let d = match model.joints.kind[j] {
            JointKind::Ball => model.joints.dof_start[j] as usize,
            JointKind::Free => model.joints.dof_start[j] as usize + 3,
            JointKind::Slide | JointKind::Hinge => continue,
        };
        let sigma = Vec3::from_slice(&shift[d..d + 3]) * step;
        let rate = inverse_dexp(sigma, Vec3::from_slice(&q_dot[d..d + 3]));
        rate.write_to_slice(&mut q_dot[d..d + 3]);
    }
}

/// Rate of the rotation vector σ of q₀ exp(σ) at body angular velocity ω.
pub(crate) fn inverse_dexp(sigma: Vec3, omega: Vec3) -> Vec3 {
    let turn = sigma.cross(omega);
    omega + 0.5 * turn + dexp_factor(sigma.length_squared())[0] * sigma.cross(turn)
}

/// Derivative of [`inverse_dexp`] in the direction of changes of its arguments.
pub(crate) fn inverse_dexp_change(sigma: Vec3, omega: Vec3, d_sigma: Vec3, d_omega: Vec3) -> Vec3 {
    let [factor, slope] = dexp_factor(sigma.length_squared());
    let (turn, d_turn) = (sigma.cross(omega), d_sigma.cross(omega) + sigma.cross(d_omega));
    let twice = d_sigma.cross(turn) + sigma.cross(d_turn);
    d_omega + 0.5 * d_turn + factor * twice + sigma.cross(turn) * (2.0 * slope * sigma.dot(d_sigma))
}

/// (1 − (θ/2) cot(θ/2)) / θ² and its derivative with respect to θ².
fn dexp_factor(theta_sq: f64) -> [f64; 2] {
    let theta = theta_sq.sqrt();
    // Below this angle the truncated series is exact to round-off:
    // 1/12 + θ²/720 + θ⁴/30240 + θ⁶/1209600 + …
    if theta < 1e-2 {
        let value = 1.0 / 12.0 + theta_sq * (1.0 / 720.0 + theta_sq / 30240.0);
        return [value, 1.0 / 720.0 + theta_sq * (1.0 / 15120.0 + theta_sq / 403200.0)];
    }
    let half = 0.5 * theta;
    let (sine, cot) = (real::sin(half), 1.0 / real::tan(half));
    let value = (1.0 - half * cot) / theta_sq;
    // d(half cot)/dθ² = (cot − half/sin²)/(4θ).
    let slope = (-(cot - half / (sine * sine)) / (4.0 * theta) - value) / theta_sq;
    [value, slope]
}
