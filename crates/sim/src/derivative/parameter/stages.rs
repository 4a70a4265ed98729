//! Derivatives of fourth-order Runge–Kutta steps with respect to parameters:
//! `derivative::runge_kutta` with ∂a/∂θ of each stage.

use super::step::transpose;
use super::{Parameter, StepBy, actuator, equation_by};
use crate::data::Data;
use crate::derivative::acceleration::{self, ALL, Accelerations};
use crate::derivative::runge_kutta::Direct;
use crate::derivative::{DerivativeError, Report, Workspace};
use crate::model::Model;

/// Same as [`transition_by`](super::transition_by), which checked the sizes.
pub(super) fn transition_by<'w>(
    model: &Model,
    data: &Data,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    out: StepBy<'_>,
) -> Result<&'w Report, DerivativeError> {
    let Workspace { acceleration, stages, parameter: memory, report, .. } = work;
    stages.clear(model, parameters.len(), false);
    let slopes = acceleration::by_state(model, data, acceleration, report)?;
    let first = find(slopes, parameters, &mut memory.equation, report, &mut stages.direct);
    if let Some(da) = out.da {
        da.copy_from_slice(&stages.direct.a);
    }
    if let Some(dx) = out.dx {
        stages.begin(model, data, first);
        stages.run(model, data, acceleration, report, |model, stage, acceleration, report, direct| {
            let slopes = acceleration::by_state(model, stage, acceleration, report)?;
            Ok(find(slopes, parameters, &mut memory.equation, report, direct))
        })?;
        for (out, row) in dx.chunks_exact_mut(parameters.len().max(1)).zip(stages.rows()) {
            out.copy_from_slice(row);
        }
    }
    Ok(report)
}

/// Effect of parameters at the state of a stage; returns the derivative of a with respect to that
/// state.
fn find<'w>(
    slopes: Accelerations<'w>,
    parameters: &[Parameter],
    memory: &mut Vec<f64>,
    report: &mut Report,
    direct: &mut Direct,
) -> &'w [f64] {
    let Accelerations { equation, hessian, by_state } = slopes;
    let (model, data) = (equation.at.model, equation.at.data);
    let (nv, np) = (model.size.nv, parameters.len());
    // All parameters move the stages, so inexact derivatives with respect to the state matter.
    let by_parameter = equation_by(&equation, ALL, parameters, memory, report);
    transpose(by_parameter, nv, &mut direct.a, -1.0);
    hessian.solve(&mut direct.a, np);
    direct.act.fill(0.0);
    for (p, &parameter) in parameters.iter().enumerate() {
        actuator::each_rate_change(model, data, parameter, |i, change| direct.act[i * np + p] += change);
    }
    by_state
}
