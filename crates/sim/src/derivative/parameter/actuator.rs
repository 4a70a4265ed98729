//! Derivatives with respect to gains, biases and gears of actuators.
//!
//! τ = mᵀ F(l, l̇; θ), and moment m and length l are linear in the gear: −∂τ = −∂mᵀ
//! F − mᵀ (F_θ + F_l ∂l + F_l̇ ∂m v). Damping and armature of an actuator act on its joint or
//! tendon, multiplied by the square of the first gear.

use super::product::{Implicit, Vector};
use super::tendon::{add_answer, pull, rate};
use super::{Parameter, Point, Quantity};
use crate::actuation::{
    calc_parameter_slope, calc_slope, calc_slope_changes, calc_unit_transmission, is_disabled, is_saturated, is_wrapped,
};
use crate::data::Data;
use crate::derivative::activation::{Input, for_each_next_slope, for_each_rate_slope};
use crate::derivative::actuation::is_clamped;
use crate::derivative::implicit::is_inside;
use crate::derivative::{Inexact, Report};
use crate::dynamics::derivatives::calc_dof_damping;
use crate::dynamics::passive::{Poly, tendon_damper};
use crate::model::Model;
use crate::model::kinds::TransmissionKind;
use crate::options::Disable;

/// The moment of an actuator and its derivative, by dof.
struct Moment<'a> {
    cols: &'a [u32],
    m: &'a [f64],
    /// ∂m and ∂l.
    change: Vec<f64>,
    length: f64,
}

impl<'a> Moment<'a> {
    fn of(model: &'a Model, data: &'a Data, Parameter { quantity, element: a, component: k }: Parameter) -> Self {
        let span = model.actuators.moment[a].range();
        let (cols, m) = (&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
        let (mut change, mut length) = (vec![0.0; cols.len()], 0.0);
        if quantity == Quantity::ActuatorGear {
            let mut row = vec![0.0; model.size.nv];
            length = calc_unit_transmission(model, data, a, k, &mut row);
            change.iter_mut().zip(cols).for_each(|(x, &c)| *x = row[c as usize]);
        }
        Self { cols, m, change, length }
    }

    fn dot(&self, values: &[f64], y: &[f64]) -> f64 {
        self.cols.iter().zip(values).map(|(&c, m)| m * y[c as usize]).sum()
    }

    fn entries(&self) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        self.cols.iter().zip(self.m).zip(&self.change).map(|((&c, &m), &dm)| (c as usize, m, dm))
    }
}

pub(super) fn add(point: &Point<'_>, parameter: Parameter, column: &mut [f64], report: &mut Report) {
    let (model, data, a) = (point.at.model, point.at.data, parameter.element);
    if parameter.quantity == Quantity::ActuatorGear && parameter.component == 0 {
        add_reflected(point, a, column, report);
    }
    if !point.actuated() || is_disabled(model, a) {
        return;
    }
    let moment = Moment::of(model, data, parameter);
    let (force, slope) = (data.acceleration.actuator_force[a], calc_slope(model, data, a));
    let mut change = slope.length * moment.length + slope.velocity * moment.dot(&moment.change, &data.state.v);
    if !is_saturated(model, data, a) {
        change += own_slopes(model, data, parameter)[0];
    }
    for (i, m, dm) in moment.entries().filter(|&(i, ..)| !is_clamped(model, data, i)) {
        column[i] -= dm * force + m * change;
    }
    if is_wrapped(model, data, a) || shares_a_limit(model, data, a) {
        report.add(Inexact::Actuator(a));
    }
}

/// F_θ, and the derivatives of F_l̇ and F_l with respect to θ; zero for gears.
fn own_slopes(model: &Model, data: &Data, Parameter { quantity, element, component }: Parameter) -> [f64; 3] {
    match quantity {
        Quantity::ActuatorGain => calc_parameter_slope(model, data, element, true, component),
        Quantity::ActuatorBias => calc_parameter_slope(model, data, element, false, component),
        _ => [0.0; 3],
    }
}

/// Whether the sum of the actuator forces on a tendon is at its limit.
fn shares_a_limit(model: &Model, data: &Data, a: usize) -> bool {
    let (TransmissionKind::Tendon, [Some(t), _]) = (model.actuators.transmission[a], model.actuators.target[a]) else {
        return false;
    };
    let t = t as usize;
    model.tendons.actuator_force_limited[t]
        && model.actuators.on_tendon(t).nth(1).is_some()
        && is_saturated(model, data, a)
}

/// Dofs of the joint, or the tendon, that an actuator drives; its damping and armature, multiplied
/// by the derivative of gear².
fn reflected(model: &Model, a: usize) -> (core::ops::Range<usize>, Option<usize>, Poly, f64) {
    let actuators = &model.actuators;
    let scale = 2.0 * actuators.gear[a][0];
    let damper = Poly::default().plus(scale, actuators.damping[a], actuators.damping_poly[a]);
    let armature = scale * actuators.armature[a];
    let (dofs, tendon) = match (actuators.transmission[a], actuators.target[a][0].map(|t| t as usize)) {
        (TransmissionKind::Joint | TransmissionKind::JointInParent, Some(j)) => {
            let first = model.joints.dof_start[j] as usize;
            (first..first + model.joints.kind[j].nv(), None)
        }
        (TransmissionKind::Tendon, Some(t)) => (0..0, model.tendons.actuator[t].map(|_| t)),
        _ => (0..0, None),
    };
    (dofs, tendon, damper, armature)
}

/// Contribution of damping and armature to the derivative of ID with respect to the first gear.
fn add_reflected(point: &Point<'_>, a: usize, column: &mut [f64], report: &mut Report) {
    let (dofs, tendon, damper, armature) = reflected(point.at.model, a);
    let (v, acceleration) = (&point.at.data.state.v, &point.at.data.acceleration.a);
    let damped = !point.off(Disable::DAMPER);
    for i in dofs {
        column[i] += armature * acceleration[i] + if damped { damper.damper(v[i]) } else { 0.0 };
    }
    let Some(t) = tendon else { return };
    if damped {
        pull(point, t, damper.damper(point.at.data.velocity.tendon_velocity[t]), column);
    }
    if armature != 0.0 {
        check_inertia(point, t, report);
        pull(point, t, armature * rate(point, t, acceleration), column);
    }
}

/// The inertia of a tendon is Jᵀ J only within the sparsity of M, and has a bias if J changes.
fn check_inertia(point: &Point<'_>, t: usize, report: &mut Report) {
    let tendons = &point.at.model.tendons;
    if tendons.spatial[t] || !is_inside(point.at.model, &tendons.jac_col[tendons.jac[t].range()]) {
        report.add(Inexact::Tendon(t));
    }
}

/// ∂M y due to armature.
pub(super) fn add_product(point: &Point<'_>, y: &Vector<'_>, parameter: Parameter, column: &mut [f64]) {
    if parameter.component > 0 {
        return;
    }
    let (dofs, tendon, _, armature) = reflected(point.at.model, parameter.element);
    dofs.for_each(|i| column[i] += armature * y.y[i]);
    if let Some(t) = tendon {
        pull(point, t, armature * rate(point, t, y.y), column);
    }
}

/// ∂((M̂ − M) x + s h K v), b = −F_l̇ and k = −F_l where actuators are implicit.
pub(super) fn add_implicit(
    point: &Point<'_>,
    implicit: &Implicit<'_>,
    parameter: Parameter,
    column: &mut [f64],
    report: &mut Report,
) {
    let (model, data, a) = (point.at.model, point.at.data, parameter.element);
    if parameter.quantity == Quantity::ActuatorGear && parameter.component == 0 && !point.off(Disable::DAMPER) {
        add_reflected_implicit(point, implicit, a, column, report);
    }
    if !implicit.lengths || point.off(Disable::ACTUATION) || is_disabled(model, a) || is_saturated(model, data, a) {
        return;
    }
    let (moment, v, x) = (Moment::of(model, data, parameter), &data.state.v, implicit.x);
    let (slope, changes, own) =
        (calc_slope(model, data, a), calc_slope_changes(model, data, a), own_slopes(model, data, parameter));
    let (rate, d_rate) = (moment.dot(moment.m, v), moment.dot(&moment.change, v));
    let (along, d_along) = (moment.dot(moment.m, x), moment.dot(&moment.change, x));
    let change = |by: [f64; 3]| by[0] * moment.length + by[1] * d_rate;
    let [b, k] = [-slope.velocity, -slope.length].map(|x| implicit.counted(x, x));
    let db = implicit.counted(-slope.velocity, -own[1] - change(changes.velocity));
    let dk = implicit.counted(-slope.length, -own[2] - change(changes.length));
    let weight = implicit.answer(b, k, along, rate);
    let d_weight = implicit.answer(db, dk, along, rate) + implicit.answer(b, k, d_along, d_rate);
    if weight == 0.0 && d_weight == 0.0 {
        return;
    }
    if !implicit.is_discrete() && !is_inside(model, moment.cols) {
        report.add(Inexact::Actuator(a));
    }
    for (i, m, dm) in moment.entries() {
        column[i] += dm * weight + m * d_weight;
    }
}

/// The same for the damping of an actuator with respect to its first gear.
fn add_reflected_implicit(
    point: &Point<'_>,
    implicit: &Implicit<'_>,
    a: usize,
    column: &mut [f64],
    report: &mut Report,
) {
    let (dofs, tendon, damper, _) = reflected(point.at.model, a);
    let v = &point.at.data.state.v;
    if !dofs.is_empty() && !damper.is_zero() {
        let mut damping = vec![0.0; point.at.model.size.nv];
        calc_dof_damping(point.at.model, point.at.data, &mut damping);
        for i in dofs {
            let db = implicit.counted(damping[i], damper.damper_slope(v[i]));
            column[i] += implicit.answer(db, 0.0, implicit.x[i], v[i]);
        }
    }
    if let Some(t) = tendon {
        let l_dot = point.at.data.velocity.tendon_velocity[t];
        let db = implicit.counted(tendon_damper(point.at.model, t).damper_slope(l_dot), damper.damper_slope(l_dot));
        add_answer(point, implicit, t, db, 0.0, column, report);
    }
}

/// Calls `f(i, change)` for the activations of an actuator that depend on its length, after the
/// step.
pub(super) fn each_activation_change(model: &Model, data: &Data, parameter: Parameter, mut f: impl FnMut(usize, f64)) {
    each_follower(model, data, parameter, |i, length| {
        for_each_next_slope(model, data, parameter.element, i, |input, slope| {
            if input == Input::Length {
                f(i, slope * length);
            }
        });
    });
}

/// The same for their rates.
pub(super) fn each_rate_change(model: &Model, data: &Data, parameter: Parameter, mut f: impl FnMut(usize, f64)) {
    each_follower(model, data, parameter, |i, length| {
        for_each_rate_slope(model, data, parameter.element, i, |input, slope| {
            if input == Input::Length {
                f(i, slope * length);
            }
        });
    });
}

/// Calls `f(i, ∂l)` for the activations of an actuator whose length depends on a gear.
fn each_follower(model: &Model, data: &Data, parameter: Parameter, mut f: impl FnMut(usize, f64)) {
    let a = parameter.element;
    if parameter.quantity != Quantity::ActuatorGear || model.actuators.act[a].range().is_empty() {
        return;
    }
    if model.options.disable.has(Disable::ACTUATION) || is_disabled(model, a) {
        return;
    }
    let length = Moment::of(model, data, parameter).length;
    model.actuators.act[a].range().for_each(|i| f(i, length));
}
