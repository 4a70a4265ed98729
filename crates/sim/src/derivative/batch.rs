//! Derivatives at many states, in parallel.

use super::point::{PointError, describe};
use super::{Report, Workspace};
use crate::data::{Data, StateParts};
use crate::model::Model;
use crate::workers::{ShapeError, Workers, require, row};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is not exact at a state, in words; or the reason why there is no result.
pub type Verdict = Result<Vec<String>, PointError>;

/// States at which derivatives are computed.
#[derive(Clone, Copy, Debug)]
pub struct States<'a> {
    pub count: usize,
    /// Time, q, v, act of each state ([`StateParts::FULL_PHYSICS`]), or one row for all.
    pub states: &'a [f64],
    /// Controls: empty (zero), one row for all, or one row for each state.
    pub ctrl: &'a [f64],
    /// Accelerations, for derivatives of inverse dynamics: empty (zero), one row for all, or one
    /// row for each state.
    pub a: &'a [f64],
}

/// Destination of the matrices of one name, one for each state; count × rows × columns.
#[derive(Debug)]
pub struct Output<'a> {
    pub name: &'static str,
    /// Rows and columns of one matrix.
    pub shape: [usize; 2],
    pub values: &'a mut [f64],
}

/// Calls `find` at each state, in sequence on each thread, with data at that state and the
/// corresponding parts of `out`; `find` is one of the functions of [`point`](super::point).
/// Matrices of states without a result are NaN.
pub fn batch<const N: usize>(
    workers: &Workers<Workspace>,
    model: &Model,
    at: States<'_>,
    out: [Output<'_>; N],
    cancelled: &AtomicBool,
    find: impl for<'w> Fn(&mut Data, &'w mut Workspace, [&mut [f64]; N]) -> Result<&'w Report, PointError> + Sync,
) -> Result<Vec<Verdict>, ShapeError> {
    check(model, at)?;
    for Output { name, shape: [rows, columns], values } in &out {
        require(name, values.len(), &[at.count, *rows, *columns], false)?;
    }
    let mut verdicts = vec![Err(PointError::Cancelled); at.count];
    let mut parts = out.map(|out| pieces(out.values, out.shape[0] * out.shape[1]));
    let jobs = verdicts.iter_mut().enumerate().map(|(k, verdict)| {
        let own = parts.each_mut().map(|part| part.next().unwrap_or_default());
        (k, verdict, own)
    });
    workers.each(jobs, |(k, verdict, mut own), memory| {
        if cancelled.load(Ordering::Relaxed) {
            return;
        }
        let (data, work) = memory.reset(model);
        place(model, at, k, data);
        let found = find(data, work, own.each_mut().map(|x| &mut **x));
        *verdict = found.map(|report| describe(model, data, report));
        if verdict.is_err() {
            own.into_iter().for_each(|x| x.fill(f64::NAN));
        }
    });
    Ok(verdicts)
}

/// Consecutive slices of `len` numbers, without end: empty slices when nothing is left.
fn pieces(mut values: &mut [f64], len: usize) -> impl Iterator<Item = &mut [f64]> {
    core::iter::from_fn(move || {
        let (piece, rest) = core::mem::take(&mut values).split_at_mut_checked(len).unwrap_or_default();
        values = rest;
        Some(piece)
    })
}

/// Sets state, controls and acceleration `k` in fresh data.
fn place(model: &Model, at: States<'_>, k: usize, data: &mut Data) {
    let parts = StateParts::FULL_PHYSICS;
    // Sizes were checked before.
    let _ = data.write_parts(model, parts, row(at.states, parts.size(model), k));
    if !at.ctrl.is_empty() {
        data.input.ctrl.copy_from_slice(row(at.ctrl, model.size.nu, k));
    }
    if !at.a.is_empty() {
        data.acceleration.a.copy_from_slice(row(at.a, model.size.nv, k));
    }
}

fn check(model: &Model, at: States<'_>) -> Result<(), ShapeError> {
    let (width, nu, nv) = (StateParts::FULL_PHYSICS.size(model), model.size.nu, model.size.nv);
    let (states, ctrl, a) = (at.states.len(), at.ctrl.len(), at.a.len());
    require("the array of states", states, &[at.count, width], states == width)?;
    require("the array of controls", ctrl, &[at.count, nu], ctrl == 0 || ctrl == nu)?;
    require("the acceleration", a, &[at.count, nv], a == 0 || a == nv)
}
