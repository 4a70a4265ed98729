//! Derivatives at states whose results are not computed yet: one, or many on several threads.
//!
//! Each state is worked on by one thread and depends on nothing but its own row: results are the same bits at any number
//! of threads.

use super::{DerivativeError, Inexact, Inverse, Report, Workspace, inverse, transition};
use crate::actuation::update_actuation;
use crate::callbacks::NoCallbacks;
use crate::data::{Data, StateParts};
use crate::divergence::{StepError, check_acceleration, check_controls, check_state};
use crate::finite_difference::Transition;
use crate::forward::{forward_from, forward_without_sensors_from};
use crate::inverse::inverse_forces_from;
use crate::law::NoInverse;
use crate::model::Model;
use crate::model::kinds::ObjectKind;
use crate::rollout::{RolloutError, Workers, require, row};
use crate::stage::Stage;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why there are no derivatives at a state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PointError {
    #[error(transparent)]
    Derivative(#[from] DerivativeError),
    #[error(transparent)]
    NoInverse(#[from] NoInverse),
    #[error(transparent)]
    Diverged(#[from] StepError),
    #[error("cancelled")]
    Cancelled,
}

/// What is not exact at a state, in words; or why there is nothing.
pub type Verdict = Result<Vec<String>, PointError>;

/// Forward dynamics at the present state and inputs of `data`, and the derivatives of a step from there.
pub fn transition_at<'w>(
    model: &Model,
    data: &mut Data,
    work: &'w mut Workspace,
    out: Transition<'_>,
) -> Result<&'w Report, PointError> {
    run_forward(model, data, out.C.is_some() || out.D.is_some())?;
    Ok(transition(model, data, work, out)?)
}

/// Forward dynamics, of numbers that are.
pub(super) fn run_forward(model: &Model, data: &mut Data, sensors: bool) -> Result<(), PointError> {
    check_state(model, data)?;
    check_controls(model, data)?;
    let forward = if sensors { forward_from } else { forward_without_sensors_from };
    forward(model, data, Stage::None, &mut NoCallbacks);
    Ok(check_acceleration(model, data)?)
}

/// Inverse dynamics at the present q, v and a of `data`, and its derivatives; with `actuation` those of the force without
/// that of the actuators.
pub fn inverse_at<'w>(
    model: &Model,
    data: &mut Data,
    actuation: bool,
    work: &'w mut Workspace,
    out: Inverse<'_>,
) -> Result<&'w Report, PointError> {
    run_inverse(model, data, actuation)?;
    Ok(inverse(model, data, actuation, work, out)?)
}

/// Inverse dynamics, and actuation if it is wanted, of numbers that are.
pub(super) fn run_inverse(model: &Model, data: &mut Data, actuation: bool) -> Result<(), PointError> {
    check_state(model, data)?;
    inverse_forces_from(model, data, Stage::None, &mut NoCallbacks)?;
    if actuation {
        check_controls(model, data)?;
        update_actuation(model, data, &mut NoCallbacks);
    }
    Ok(())
}

/// The entries of a report in words; `data` holds the contacts that it speaks of.
pub fn describe(model: &Model, data: &Data, report: &Report) -> Vec<String> {
    report.inexact.iter().map(|what| describe_one(model, data, *what)).collect()
}

fn describe_one(model: &Model, data: &Data, what: Inexact) -> String {
    let named = |word: &str, kind: ObjectKind, i: usize| match model.names(kind).get(i) {
        Some(name) if !name.is_empty() => format!("{word} {name}"),
        _ => format!("{word} {i}"),
    };
    match what {
        Inexact::Contact(i) => match data.contacts.get(i) {
            Some(c) => {
                let [first, second] = [c.geom1, c.geom2].map(|g| named("geom", ObjectKind::Geom, g.idx()));
                format!("contact of {first} and {second}")
            }
            None => format!("contact {i}"),
        },
        Inexact::Tendon(i) => named("tendon", ObjectKind::Tendon, i),
        Inexact::Actuator(i) => named("actuator", ObjectKind::Actuator, i),
        Inexact::Equality(i) => named("equality", ObjectKind::Equality, i),
        Inexact::Sensor(i) => named("sensor", ObjectKind::Sensor, i),
        Inexact::Model(words) => words.to_owned(),
    }
}

/// Where derivatives are wanted.
#[derive(Clone, Copy, Debug)]
pub struct States<'a> {
    pub count: usize,
    /// Time, q, v, act of each ([`StateParts::FULL_PHYSICS`]), or one row for all.
    pub states: &'a [f64],
    /// Controls: nothing (zero), one row for all, or one for each.
    pub ctrl: &'a [f64],
}

/// The derivatives of a step at many states: A · count × n × n, B · count × n × nu, n = 2 nv + na. Rows of states without
/// result are NaN.
#[allow(non_snake_case)]
pub fn transition_batch(
    workers: &Workers,
    model: &Model,
    at: States<'_>,
    (A, B): (&mut [f64], &mut [f64]),
    cancelled: &AtomicBool,
) -> Result<Vec<Verdict>, RolloutError> {
    let (n, nu) = (2 * model.size.nv + model.size.na, model.size.nu);
    check(model, at)?;
    require("A", A.len(), &[at.count, n, n], false)?;
    require("B", B.len(), &[at.count, n, nu], false)?;
    let mut verdicts = unfinished(at.count);
    let jobs = verdicts.iter_mut().zip(pieces(A, n * n)).zip(pieces(B, n * nu)).enumerate();
    workers.each(model, jobs, |(k, ((verdict, A), B)), data, work| {
        if cancelled.load(Ordering::Relaxed) {
            return;
        }
        place(model, at, k, data);
        let out = Transition { A: Some(&mut *A), B: Some(&mut *B), ..Transition::default() };
        *verdict = transition_at(model, data, work, out).map(|report| describe(model, data, report));
        if verdict.is_err() {
            [A, B].into_iter().for_each(|x| x.fill(f64::NAN));
        }
    });
    Ok(verdicts)
}

/// The derivatives of all sensors at many states: C · count × sensors × n, D · count × sensors × nu. Rows of states without
/// result are NaN.
#[allow(non_snake_case)]
pub fn sensors_batch(
    workers: &Workers,
    model: &Model,
    at: States<'_>,
    (C, D): (&mut [f64], &mut [f64]),
    cancelled: &AtomicBool,
) -> Result<Vec<Verdict>, RolloutError> {
    let (n, nu, rows) = (2 * model.size.nv + model.size.na, model.size.nu, model.size.nsensordata);
    check(model, at)?;
    require("C", C.len(), &[at.count, rows, n], false)?;
    require("D", D.len(), &[at.count, rows, nu], false)?;
    let mut verdicts = unfinished(at.count);
    let jobs = verdicts.iter_mut().zip(pieces(C, rows * n)).zip(pieces(D, rows * nu)).enumerate();
    workers.each(model, jobs, |(k, ((verdict, C), D)), data, work| {
        if cancelled.load(Ordering::Relaxed) {
            return;
        }
        place(model, at, k, data);
        let out = Transition { C: Some(&mut *C), D: Some(&mut *D), ..Transition::default() };
        *verdict = transition_at(model, data, work, out).map(|report| describe(model, data, report));
        if verdict.is_err() {
            [C, D].into_iter().for_each(|x| x.fill(f64::NAN));
        }
    });
    Ok(verdicts)
}

/// The derivatives of inverse dynamics at many states and accelerations (one row for all, or one for each), count × nv × nv
/// each. Rows of states without result are NaN.
pub fn inverse_batch(
    workers: &Workers,
    model: &Model,
    at: States<'_>,
    (a, actuation): (&[f64], bool),
    out: Inverse<'_>,
    cancelled: &AtomicBool,
) -> Result<Vec<Verdict>, RolloutError> {
    let nv = model.size.nv;
    check(model, at)?;
    require("the acceleration", a.len(), &[at.count, nv], a.len() == nv)?;
    for (name, x) in [("dtau_dq", &out.dtau_dq), ("dtau_dv", &out.dtau_dv), ("dtau_da", &out.dtau_da)] {
        require(name, x.len(), &[at.count, nv, nv], false)?;
    }
    let mut verdicts = unfinished(at.count);
    let matrices = pieces(out.dtau_dq, nv * nv).zip(pieces(out.dtau_dv, nv * nv)).zip(pieces(out.dtau_da, nv * nv));
    let jobs = verdicts.iter_mut().zip(matrices).enumerate();
    workers.each(model, jobs, |(k, (verdict, ((dq, dv), da))), data, work| {
        if cancelled.load(Ordering::Relaxed) {
            return;
        }
        place(model, at, k, data);
        data.acceleration.a.copy_from_slice(row(a, nv, k));
        let out = Inverse { dtau_dq: &mut *dq, dtau_dv: &mut *dv, dtau_da: &mut *da };
        *verdict = inverse_at(model, data, actuation, work, out).map(|report| describe(model, data, report));
        if verdict.is_err() {
            [dq, dv, da].into_iter().for_each(|x| x.fill(f64::NAN));
        }
    });
    Ok(verdicts)
}

/// Verdicts before the work.
pub(super) fn unfinished(count: usize) -> Vec<Verdict> {
    vec![Err(PointError::Cancelled); count]
}

/// Consecutive pieces of `len` numbers, without end: empty ones where nothing is left.
pub(super) fn pieces(mut values: &mut [f64], len: usize) -> impl Iterator<Item = &mut [f64]> {
    core::iter::from_fn(move || {
        let (piece, rest) = core::mem::take(&mut values).split_at_mut_checked(len).unwrap_or_default();
        values = rest;
        Some(piece)
    })
}

/// State and controls `k`, in fresh data.
pub(super) fn place(model: &Model, at: States<'_>, k: usize, data: &mut Data) {
    let parts = StateParts::FULL_PHYSICS;
    // Sizes were checked.
    let _ = data.write_parts(model, parts, row(at.states, parts.size(model), k));
    if !at.ctrl.is_empty() {
        data.input.ctrl.copy_from_slice(row(at.ctrl, model.size.nu, k));
    }
}

pub(super) fn check(model: &Model, at: States<'_>) -> Result<(), RolloutError> {
    let (width, nu) = (StateParts::FULL_PHYSICS.size(model), model.size.nu);
    let (states, ctrl) = (at.states.len(), at.ctrl.len());
    require("the array of states", states, &[at.count, width], states == width)?;
    require("the array of controls", ctrl, &[at.count, nu], ctrl == 0 || ctrl == nu)
}
