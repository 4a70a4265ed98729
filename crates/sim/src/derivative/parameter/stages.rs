//! Steps of fourth-order Runge–Kutta by parameters: `derivative::runge_kutta` with ∂a/∂θ of each stage.

use super::step::transpose;
use super::{Parameter, StepBy, actuator, fill};
use crate::data::Data;
use crate::derivative::runge_kutta::Direct;
use crate::derivative::transition::update_acceleration;
use crate::derivative::{DerivativeError, Forces, Report, Workspace};
use crate::model::Model;

/// As [`transition_by`](super::transition_by), which checked the sizes.
pub(super) fn transition_by<'w>(
    model: &Model,
    data: &Data,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    out: StepBy<'_>,
) -> Result<&'w Report, DerivativeError> {
    let mut stages = core::mem::take(&mut work.stages);
    stages.begin(model, parameters.len(), false);
    let mut outcome = find(model, data, parameters, work, &mut stages.direct);
    if let (Some(da), Ok(())) = (out.da, &outcome) {
        da.copy_from_slice(&stages.direct.a);
    }
    if let (Some(dx), Ok(())) = (out.dx, &outcome) {
        outcome = stages.run(model, data, work, |stage, work, direct| find(model, stage, parameters, work, direct));
        for (out, row) in dx.chunks_exact_mut(parameters.len().max(1)).zip(stages.rows()) {
            out.copy_from_slice(row);
        }
    }
    work.stages = stages;
    outcome.map(|()| &work.report)
}

/// ∂a by the state of a stage in `work.columns`, and what parameters do at that state.
fn find(
    model: &Model,
    data: &Data,
    parameters: &[Parameter],
    work: &mut Workspace,
    direct: &mut Direct,
) -> Result<(), DerivativeError> {
    let (nv, np) = (model.size.nv, parameters.len());
    update_acceleration(model, data, work)?;
    // Stages are moved by all parameters: what is not exact by the state counts.
    let by_state = work.report.clone();
    fill(model, data, Forces { actuation: true, applied: true }, parameters, work);
    by_state.inexact.into_iter().for_each(|what| work.report.add(what));
    transpose(&work.parameters, nv, &mut direct.a, -1.0);
    work.factor.solve(&mut direct.a, np);
    direct.act.fill(0.0);
    for (p, &parameter) in parameters.iter().enumerate() {
        actuator::each_rate_change(model, data, parameter, |i, change| direct.act[i * np + p] += change);
    }
    Ok(())
}
