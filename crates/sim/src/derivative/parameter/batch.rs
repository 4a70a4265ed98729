//! Derivatives by parameters at states whose results are not computed yet: one, or many on several threads.

use super::{Parameter, StepBy, inverse_by, transition_by};
use crate::data::Data;
use crate::derivative::batch::{
    PointError, States, Verdict, check, describe, pieces, place, run_forward, run_inverse, unfinished,
};
use crate::derivative::{Report, Workspace};
use crate::model::Model;
use crate::rollout::{RolloutError, Workers, require, row};
use std::sync::atomic::{AtomicBool, Ordering};

/// Forward dynamics at the present state and inputs of `data`, and the derivatives of a step from there.
pub fn transition_by_at<'w>(
    model: &Model,
    data: &mut Data,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    out: StepBy<'_>,
) -> Result<&'w Report, PointError> {
    run_forward(model, data, false)?;
    Ok(transition_by(model, data, parameters, work, out)?)
}

/// Inverse dynamics at the present q, v and a of `data`, and its derivatives; with `actuation` those of the force without
/// that of the actuators.
pub fn inverse_by_at<'w>(
    model: &Model,
    data: &mut Data,
    actuation: bool,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    dtau: &mut [f64],
) -> Result<&'w Report, PointError> {
    run_inverse(model, data, actuation)?;
    Ok(inverse_by(model, data, actuation, parameters, work, dtau)?)
}

/// The derivatives of a step at many states: dx · count × n × np, n = 2 nv + na, and da · count × nv × np. Rows of states
/// without result are NaN.
pub fn transition_by_batch(
    workers: &Workers,
    model: &Model,
    at: States<'_>,
    parameters: &[Parameter],
    (dx, da): (&mut [f64], &mut [f64]),
    cancelled: &AtomicBool,
) -> Result<Vec<Verdict>, RolloutError> {
    let (n, nv, np) = (2 * model.size.nv + model.size.na, model.size.nv, parameters.len());
    check(model, at)?;
    require("dx", dx.len(), &[at.count, n, np], false)?;
    require("da", da.len(), &[at.count, nv, np], false)?;
    let mut verdicts = unfinished(at.count);
    let jobs = verdicts.iter_mut().zip(pieces(dx, n * np)).zip(pieces(da, nv * np)).enumerate();
    workers.each(model, jobs, |(k, ((verdict, dx), da)), data, work| {
        if cancelled.load(Ordering::Relaxed) {
            return;
        }
        place(model, at, k, data);
        let out = StepBy { dx: Some(&mut *dx), da: Some(&mut *da) };
        *verdict = transition_by_at(model, data, parameters, work, out).map(|report| describe(model, data, report));
        if verdict.is_err() {
            [dx, da].into_iter().for_each(|x| x.fill(f64::NAN));
        }
    });
    Ok(verdicts)
}

/// The derivatives of inverse dynamics at many states and accelerations (one row for all, or one for each), count × nv × np.
/// Rows of states without result are NaN.
pub fn inverse_by_batch(
    workers: &Workers,
    model: &Model,
    at: States<'_>,
    (a, actuation): (&[f64], bool),
    parameters: &[Parameter],
    dtau: &mut [f64],
    cancelled: &AtomicBool,
) -> Result<Vec<Verdict>, RolloutError> {
    let (nv, np) = (model.size.nv, parameters.len());
    check(model, at)?;
    require("the acceleration", a.len(), &[at.count, nv], a.len() == nv)?;
    require("dtau", dtau.len(), &[at.count, nv, np], false)?;
    let mut verdicts = unfinished(at.count);
    let jobs = verdicts.iter_mut().zip(pieces(dtau, nv * np)).enumerate();
    workers.each(model, jobs, |(k, (verdict, dtau)), data, work| {
        if cancelled.load(Ordering::Relaxed) {
            return;
        }
        place(model, at, k, data);
        data.acceleration.a.copy_from_slice(row(a, nv, k));
        *verdict =
            inverse_by_at(model, data, actuation, parameters, work, dtau).map(|report| describe(model, data, report));
        if verdict.is_err() {
            dtau.fill(f64::NAN);
        }
    });
    Ok(verdicts)
}
