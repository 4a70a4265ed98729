//! Steps: accelerations from ∂ID/∂θ, and from there the state after the step, (1) of the module.

use super::product::{Implicit, Vector, add_implicit, add_inertia};
use super::{Parameter, Point, Quantity, actuator, check, fill, stages};
use crate::data::Data;
use crate::derivative::chain::At;
use crate::derivative::implicit::Scheme;
use crate::derivative::metric::StepMetric;
use crate::derivative::response::Answers;
use crate::derivative::transition::{factor_hessian, share_of_end, turn_rows};
use crate::derivative::{DerivativeError, Forces, Report, Workspace, solution, update_core};
use crate::model::Model;
use crate::model::kinds::JointKind;
use crate::options::{Disable, Integrator};
use saltus_math::{Vec3, ldl};

/// Where derivatives of a step by parameters go, row-major; columns are the parameters.
#[derive(Debug, Default)]
pub struct StepBy<'a> {
    /// State after the step (q in its tangent space, v, act) · 2 nv + na rows.
    pub dx: Option<&'a mut [f64]>,
    /// Acceleration before the step · nv rows.
    pub da: Option<&'a mut [f64]>,
}

/// Derivatives of one step from the present state by parameters. `data` holds the results of forward dynamics at that state;
/// see [`transition`](crate::derivative::transition()).
pub fn transition_by<'w>(
    model: &Model,
    data: &Data,
    parameters: &[Parameter],
    work: &'w mut Workspace,
    out: StepBy<'_>,
) -> Result<&'w Report, DerivativeError> {
    let (nv, na, np) = (model.size.nv, model.size.na, parameters.len());
    for (name, part, rows) in [("dx", &out.dx, 2 * nv + na), ("da", &out.da, nv)] {
        check(model, parameters, (name, part.as_ref().map_or(rows * np, |x| x.len())), rows)?;
    }
    let share = share_of_end(model)?;
    if model.options.scheme() == Integrator::Rk4 {
        return stages::transition_by(model, data, parameters, work, out);
    }
    let forces = Forces { actuation: true, applied: true };
    update_core(model, data, forces, work)?;
    fill(model, data, forces, parameters, work);
    transpose(&work.parameters, nv, &mut work.columns, -1.0);
    if !factor_hessian(model, data, work) {
        return Err(DerivativeError::Unsupported("where the Hessian of the constraint problem is singular"));
    }
    work.factor.solve(&mut work.columns, np);
    solution::report(model, data, work);
    if let Some(da) = out.da {
        da.copy_from_slice(&work.columns);
    }
    if let Some(dx) = out.dx {
        update_metric(model, data, parameters, work);
        advance(model, data, parameters, work);
        write(model, data, work, share, dx);
        write_activations(model, data, parameters, &mut dx[2 * nv * np..]);
    }
    Ok(&work.report)
}

/// The metric of the step. What its derivatives by the state leave out concerns only parameters that move bodies.
fn update_metric(model: &Model, data: &Data, parameters: &[Parameter], work: &mut Workspace) {
    let mut report = Report::default();
    work.metric.update(model, data, &mut work.sweep, &mut report);
    if !work.metric.active || parameters.iter().any(|p| p.quantity == Quantity::BodyPos) {
        report.inexact.into_iter().for_each(|what| work.report.add(what));
    }
}

/// Rows of `nv` numbers to columns, times `scale`.
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

/// `work.columns` from ∂a to ∂a*.
fn advance(model: &Model, data: &Data, parameters: &[Parameter], work: &mut Workspace) {
    let (nv, np) = (model.size.nv, parameters.len());
    let off = |flag| model.options.disable.has(flag);
    // Damping that is zero would change the metric of Euler's method if it grew.
    let possible = match model.options.scheme() {
        Integrator::Euler => !off(Disable::EULERDAMP) && !off(Disable::DAMPER),
        Integrator::Implicit | Integrator::ImplicitFast => true,
        _ => false,
    };
    if !possible || nv == 0 || np == 0 {
        return;
    }
    fill_rest(model, data, parameters, work);
    let Workspace { metric, columns, products, parameters: rest, .. } = work;
    transpose(rest, nv, products, 1.0);
    if metric.active {
        for &(i, j, d) in &metric.change {
            let (i, j) = (i as usize, j as usize);
            for p in 0..np {
                products[i * np + p] -= d * columns[j * np + p];
            }
        }
        metric.factor.solve(products, np);
    } else {
        for row in rest.chunks_exact_mut(nv) {
            ldl::solve(&model.mass_pattern, &data.position.LD, &data.position.D_inv, row);
        }
        transpose(rest, nv, products, 1.0);
    }
    columns.iter_mut().zip(products.iter()).for_each(|(c, x)| *c += x);
}

/// ∂M (a − a*) − h ∂D a* in `work.parameters`, nv numbers for each.
fn fill_rest(model: &Model, data: &Data, parameters: &[Parameter], work: &mut Workspace) {
    let Workspace { chain, spare, x, report, metric, parameters: columns, .. } = work;
    columns.fill(0.0);
    let a_step = step_of(metric, data);
    let difference: Vec<f64> = data.acceleration.a.iter().zip(a_step).map(|(a, step)| a - step).collect();
    let z = Vector::new(model, data, &difference);
    let scheme = if model.options.scheme() == Integrator::Euler { Scheme::Euler } else { Scheme::Damped };
    let implicit = Implicit::new(model, data, scheme, a_step, &metric.implicit.tendons);
    let forces = Forces { actuation: true, applied: true };
    let point = Point { at: At { model, data, chain }, answers: Answers::new(model, data, x), forces };
    for (&parameter, column) in parameters.iter().zip(columns.chunks_exact_mut(model.size.nv)) {
        add_implicit(&point, &implicit, (&mut spare.0, &mut spare.1), parameter, column, report);
        column.iter_mut().for_each(|x| *x = -*x);
        add_inertia(&point, &z, parameter, column);
    }
}

fn step_of<'a>(metric: &'a StepMetric, data: &'a Data) -> &'a [f64] {
    if metric.active { metric.a_step() } else { &data.acceleration.a }
}

/// Rows of q and v from ∂a*.
fn write(model: &Model, data: &Data, work: &Workspace, share: f64, dx: &mut [f64]) {
    let (nv, h) = (model.size.nv, model.options.timestep);
    let np = work.columns.len() / nv.max(1);
    let (dq, dv) = dx.split_at_mut(nv * np);
    for ((q, v), a) in dq.iter_mut().zip(dv).zip(&work.columns) {
        (*v, *q) = (h * a, h * share * h * a);
    }
    let a_step = step_of(&work.metric, data);
    for j in 0..model.njoint() {
        let d = model.joints.dof_start[j] as usize;
        let d = match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => continue,
            JointKind::Free => d + 3,
            JointKind::Ball => d,
        };
        let w = |k: usize| h * (data.state.v[d + k] + share * h * a_step[d + k]);
        turn_rows(&mut dq[d * np..(d + 3) * np], np, None, Vec3::new(w(0), w(1), w(2)));
    }
}

/// Rows of activations: few of them depend on parameters.
fn write_activations(model: &Model, data: &Data, parameters: &[Parameter], rows: &mut [f64]) {
    rows.fill(0.0);
    let np = parameters.len();
    for (p, parameter) in parameters.iter().enumerate() {
        actuator::each_activation_change(model, data, *parameter, |i, change| rows[i * np + p] = change);
    }
}
