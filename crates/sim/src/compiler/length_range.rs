//! Feasible lengths of actuators: given, copied from limits, or found by pulling the model in both
//! directions.
//!
//! The model is pulled by one actuator at a time, without gravity, contacts or passive forces, with
//! damping so that it settles. Joints stop at their limits; the range consists of the lengths
//! reached at the end.

use super::names::{Element, Outcome};
use super::weights;
use crate::data::Data;
use crate::kinematics::coordinates;
use crate::model::Model;
use crate::model::kinds::{BiasKind, GainKind, JointKind, TransmissionKind};
use crate::model::spec::{ActuatorSpec, LengthRangeMode, LengthRangeSpec, ModelSpec};
use crate::{actuation, dynamics, kinematics, tendon};
use saltus_math::{MIN_VAL, Quat, real};

/// Maximum number of simulation steps for one end of one range.
const MAX_STEPS: f64 = 1e5;

/// Fills the length ranges of the actuators that need one.
pub(super) fn fill_length_ranges(spec: &ModelSpec, model: &mut Model) -> Outcome {
    let settings = &spec.compiler.length_range;
    for (a, actuator) in spec.actuators.iter().enumerate() {
        if !needs_range(actuator, settings.mode) {
            continue;
        }
        let range = model.actuators.length_range[a];
        if settings.use_existing && range[0] < range[1] {
            continue;
        }
        let element = Element::new("actuator", &actuator.name, a, &actuator.place);
        model.actuators.length_range[a] = match limits(model, a).filter(|_| settings.use_limit) {
            Some(range) => range,
            None => pulled_range(model, a, settings, &element)?,
        };
    }
    Ok(())
}

fn needs_range(actuator: &ActuatorSpec, mode: LengthRangeMode) -> bool {
    let muscle = actuator.gain == GainKind::Muscle || actuator.bias == BiasKind::Muscle;
    let user = actuator.gain == GainKind::User || actuator.bias == BiasKind::User;
    match mode {
        LengthRangeMode::None => false,
        LengthRangeMode::Muscle => muscle,
        LengthRangeMode::MuscleUser => muscle || user,
        LengthRangeMode::All => true,
    }
}

/// Limits of the actuator's joint or tendon, converted to its length.
fn limits(model: &Model, a: usize) -> Option<[f64; 2]> {
    let target = model.actuators.target[a][0]? as usize;
    let range = match model.actuators.transmission[a] {
        TransmissionKind::Joint | TransmissionKind::JointInParent => {
            let scalar = model.joints.kind[target].nv() == 1;
            (model.joints.limited[target] && scalar).then(|| model.joints.range[target])?
        }
        TransmissionKind::Tendon => model.tendons.limited[target].then(|| model.tendons.range[target])?,
        _ => return None,
    };
    let gear = model.actuators.gear[a][0];
    let (low, high) = (range[0] * gear, range[1] * gear);
    Some([low.min(high), low.max(high)])
}

fn pulled_range(model: &Model, a: usize, settings: &LengthRangeSpec, element: &Element) -> Outcome<[f64; 2]> {
    let steps = settings.total_time / settings.time_step;
    let sound = settings.time_step > 0.0 && settings.time_const > 0.0 && steps.is_finite() && steps < MAX_STEPS;
    element.check(sound, || "the settings of lengthrange give no finite simulation".into())?;
    let mut range = [0.0; 2];
    let mut spread = [0.0; 2];
    for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let (low, high) = pull(model, a, sign, settings);
        range[side] = if sign < 0.0 { low } else { high };
        spread[side] = high - low;
    }
    let width = range[1] - range[0];
    let settled = spread.iter().all(|s| *s <= settings.tol_range * width);
    element.check(width > MIN_VAL && settled && width.is_finite(), || {
        format!(
            "its length range does not converge (found {} to {}); are its joints limited, or set lengthrange",
            range[0], range[1]
        )
    })?;
    Ok(range)
}

/// Pulls in one direction; returns the smallest and largest length in the last interval.
fn pull(model: &Model, a: usize, sign: f64, settings: &LengthRangeSpec) -> (f64, f64) {
    let mut data = Data::new(model);
    let mut force = vec![0.0; model.size.nv];
    let decay = real::exp(-settings.time_step / settings.time_const);
    let steps = (settings.total_time / settings.time_step) as usize;
    let last = steps.saturating_sub((settings.interval / settings.time_step) as usize);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for step in 0..steps.max(1) {
        kinematics::update_kinematics(model, &mut data);
        kinematics::update_com(model, &mut data);
        tendon::update_tendons(model, &mut data);
        dynamics::update_inertia(model, &mut data);
        dynamics::update_factor(model, &mut data);
        actuation::update_transmission(model, &mut data);
        let length = data.position.actuator_length[a];
        if step >= last {
            (low, high) = (low.min(length), high.max(length));
        }
        let span = model.actuators.moment[a].range();
        let (cols, row) = (&model.actuators.moment_col[span.clone()], &data.position.actuator_moment[span]);
        weights::solved(model, &data, cols, row, &mut force);
        // The force that accelerates the joints by `accel`, at most `max_force`.
        let norm = force.iter().map(|f| f * f).sum::<f64>().sqrt().max(MIN_VAL);
        let mut scale = settings.accel / norm;
        if settings.max_force > 0.0 {
            scale = scale.min(settings.max_force);
        }
        for (v, f) in data.state.v.iter_mut().zip(&force) {
            *v = (*v + settings.time_step * sign * scale * f) * decay;
        }
        let v = std::mem::take(&mut data.state.v);
        coordinates::integrate(model, &mut data.state.q, &v, settings.time_step);
        data.state.v = v;
        stop_at_limits(model, &mut data);
    }
    (low, high)
}

/// Moves joints that are beyond their limits onto them, at zero velocity.
fn stop_at_limits(model: &Model, data: &mut Data) {
    for j in (0..model.njoint()).filter(|j| model.joints.limited[*j]) {
        let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
        let [low, high] = model.joints.range[j];
        match model.joints.kind[j] {
            JointKind::Hinge | JointKind::Slide => {
                let clamped = data.state.q[i].max(low).min(high);
                if clamped != data.state.q[i] {
                    data.state.q[i] = clamped;
                    data.state.v[d] = 0.0;
                }
            }
            JointKind::Ball => {
                let turn = Quat::from_slice(&data.state.q[i..i + 4]).normalized().log();
                let angle = turn.length();
                if angle > high && angle > MIN_VAL {
                    let quat = Quat::from_axis_angle(turn / angle, high);
                    data.state.q[i..i + 4].copy_from_slice(&quat.to_array());
                    data.state.v[d..d + 3].fill(0.0);
                }
            }
            JointKind::Free => {}
        }
    }
}
