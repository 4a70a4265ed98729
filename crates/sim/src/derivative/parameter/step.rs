//! Derivatives of steps: accelerations from ∂ID/∂θ, then the state after the step, (1) of the
//! parent module.

use super::product::{Implicit, Vector, add_implicit, add_inertia};
use super::{Parameter, Point, Quantity, actuator, check, equation_by, keep_what_matters, stages};
use crate::data::Data;
use crate::derivative::acceleration::{ALL, factor_hessian};
use crate::derivative::chain::At;
use crate::derivative::equation::{Equation, linearize};
use crate::derivative::implicit::Scheme;
use crate::derivative::metric::StepMetric;
use crate::derivative::tendon::Tendons;
use crate::derivative::transition::{share_of_end, turn_rows};
use crate::derivative::{DerivativeError, Report, Workspace};
use crate::model::Model;
use crate::model::kinds::JointKind;
use crate::options::Integrator;
use saltus_math::Vec3;

/// Destination of derivatives of a step with respect to parameters, row-major; columns are the
/// parameters.
#[derive(Debug, Default)]
pub struct StepBy<'a> {
    /// State after the step (q in its tangent space, v, act), 2 nv + na rows.
    pub dx: Option<&'a mut [f64]>,
    /// Acceleration before the step, nv rows.
    pub da: Option<&'a mut [f64]>,
}

/// Derivatives of one step from the current state with respect to parameters. `data` holds the
/// results of forward dynamics at that state; see [`transition`](crate::derivative::transition()).
pub fn transition_by<'w>(
    model: &Model,
    data: &Data,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    out: StepBy<'_>,
) -> Result<&'w Report, DerivativeError> {
    let (nv, na, np) = (model.size.nv, model.size.na, parameters.len());
    for (name, part, rows) in [("dx", &out.dx, 2 * nv + na), ("da", &out.da, nv)] {
        check(model, parameters, name, part.as_ref().map_or(rows * np, |x| x.len()), rows)?;
    }
    let share = share_of_end(model)?;
    work.report.clear();
    if model.options.scheme() == Integrator::Rk4 {
        return stages::transition_by(model, data, parameters, work, out);
    }
    let Workspace { acceleration, parameter: memory, report, .. } = work;
    let equation = linearize(model, data, ALL, &mut acceleration.equation, report)?;
    keep_what_matters(parameters, report);
    let by_parameter = equation_by(&equation, ALL, parameters, &mut memory.equation, report);
    let Memory { a, metric, end } = &mut memory.step;
    transpose(by_parameter, nv, a, -1.0);
    let hessian = factor_hessian(&equation, &mut acceleration.hessian)?;
    hessian.solve(a, np);
    acceleration.solution.check(model, data, equation.answers.x, hessian, report);
    if let Some(da) = out.da {
        da.copy_from_slice(a);
    }
    if let Some(dx) = out.dx {
        let metric = update_metric(model, data, parameters, metric, report);
        // Also for zero damping: an increase would change the metric of Euler's method.
        let end = match Scheme::of_step(model).filter(|_| nv > 0 && np > 0) {
            Some(scheme) => advance(&equation, parameters, scheme, metric, a, end, report),
            None => StepAcceleration { a: &data.acceleration.a, by: a },
        };
        write(model, data, end, share, dx);
        write_activations(model, data, parameters, &mut dx[2 * nv * np..]);
    }
    Ok(report)
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// ∂a, nv × number of parameters.
    a: Vec<f64>,
    metric: StepMetric,
    end: End,
}

/// Working memory of the conversion from ∂a to ∂a*.
#[derive(Clone, Debug, Default)]
struct End {
    /// ∂M (a − a*) − h ∂D a*, nv entries for each parameter.
    rest: Vec<f64>,
    /// ∂a*, nv × number of parameters.
    by: Vec<f64>,
}

/// a*, and ∂a*, nv × number of parameters.
struct StepAcceleration<'w> {
    a: &'w [f64],
    by: &'w [f64],
}

/// The metric of the step. Its omissions in the derivatives with respect to the state matter only
/// for parameters that move bodies.
fn update_metric<'w>(
    model: &Model,
    data: &Data,
    parameters: &[Parameter],
    metric: &'w mut StepMetric,
    report: &mut Report,
) -> Option<&'w mut StepMetric> {
    let mut by_state = Report::default();
    let metric = metric.update(model, data, &mut by_state);
    if metric.is_none() || parameters.iter().any(|p| p.quantity == Quantity::BodyPos) {
        by_state.inexact.into_iter().for_each(|what| report.add(what));
    }
    metric
}

/// Transposes rows of `nv` numbers to columns, times `scale`.
pub(super) fn transpose(rows: &[f64], nv: usize, out: &mut Vec<f64>, scale: f64) {
    let np = rows.len() / nv.max(1);
    out.clear();
    out.resize(rows.len(), 0.0);
    for (p, row) in rows.chunks_exact(nv.max(1)).enumerate() {
        for (i, x) in row.iter().enumerate() {
            out[i * np + p] = scale * x;
        }
    }
}

/// a* and ∂a* from ∂a.
fn advance<'w>(
    equation: &Equation<'w>,
    parameters: &[Parameter],
    scheme: Scheme,
    metric: Option<&'w mut StepMetric>,
    a: &[f64],
    End { rest, by }: &'w mut End,
    report: &mut Report,
) -> StepAcceleration<'w> {
    let At { model, data, .. } = equation.at;
    let (nv, np) = (model.size.nv, parameters.len());
    rest.clear();
    rest.resize(nv * np, 0.0);
    let a_step = match metric {
        Some(metric) => {
            let implicit = Implicit::new(model, data, scheme, &metric.a_step, &metric.implicit.tendons);
            add_rest(equation, parameters, &implicit, rest, report);
            transpose(rest, nv, by, 1.0);
            for &(i, j, d) in &metric.change {
                let (i, j) = (i as usize, j as usize);
                for p in 0..np {
                    by[i * np + p] -= d * a[j * np + p];
                }
            }
            metric.factor.solve(by, np);
            &metric.a_step
        }
        None => {
            let mut none = Tendons::default();
            none.clear(model);
            let implicit = Implicit::new(model, data, scheme, &data.acceleration.a, &none);
            add_rest(equation, parameters, &implicit, rest, report);
            for row in rest.chunks_exact_mut(nv) {
                data.inertia.solve(model, row);
            }
            transpose(rest, nv, by, 1.0);
            &data.acceleration.a
        }
    };
    by.iter_mut().zip(a).for_each(|(x, a)| *x += a);
    StepAcceleration { a: a_step, by }
}

/// Adds ∂M (a − a*) − h ∂D a*, nv entries for each parameter; `implicit` multiplies a*.
fn add_rest(
    equation: &Equation<'_>,
    parameters: &[Parameter],
    implicit: &Implicit<'_>,
    columns: &mut [f64],
    report: &mut Report,
) {
    let At { model, data, .. } = equation.at;
    let difference: Vec<f64> = data.acceleration.a.iter().zip(implicit.x).map(|(a, step)| a - step).collect();
    let z = Vector::new(model, data, &difference);
    let point = Point { at: equation.at, answers: equation.answers, forces: ALL };
    for (&parameter, column) in parameters.iter().zip(columns.chunks_exact_mut(model.size.nv)) {
        add_implicit(&point, implicit, parameter, column, report);
        column.iter_mut().for_each(|x| *x = -*x);
        add_inertia(&point, &z, parameter, column);
    }
}

/// Rows of q and v from ∂a*.
fn write(model: &Model, data: &Data, end: StepAcceleration<'_>, share: f64, dx: &mut [f64]) {
    let (nv, h) = (model.size.nv, model.options.timestep);
    let np = end.by.len() / nv.max(1);
    let (dq, dv) = dx.split_at_mut(nv * np);
    for ((q, v), a) in dq.iter_mut().zip(dv).zip(end.by) {
        (*v, *q) = (h * a, h * share * h * a);
    }
    for j in 0..model.njoint() {
        let d = model.joints.dof_start[j] as usize;
        let d = match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => continue,
            JointKind::Free => d + 3,
            JointKind::Ball => d,
        };
        let w = |k: usize| h * (data.state.v[d + k] + share * h * end.a[d + k]);
        turn_rows(&mut dq[d * np..(d + 3) * np], np, None, Vec3::new(w(0), w(1), w(2)));
    }
}

/// Rows of activations, few of which depend on parameters.
fn write_activations(model: &Model, data: &Data, parameters: &[Parameter], rows: &mut [f64]) {
    rows.fill(0.0);
    let np = parameters.len();
    for (p, parameter) in parameters.iter().enumerate() {
        actuator::each_activation_change(model, data, *parameter, |i, change| rows[i * np + p] = change);
    }
}
