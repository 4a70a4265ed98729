//! Derivatives of sensors with respect to the state before the step and the controls: ∂s/∂x and
//! ∂s/∂u.
//!
//! A sensor depends on q, v and a (and, if it measures an actuator, on activations and controls); a
//! follows from the state by ∂a of `transition`: ∂s = s_q ∂q + s_v ∂v + s_a ∂a. Kinds without a
//! formula here are reported and evaluated by finite differences.

mod frame;

use super::activation::{Input, for_each_force_slope};
use super::chain::{At, By, Chain};
use super::string::{Column, String};
use super::{DerivativeError, Inexact, Report, Workspace};
use crate::actuation::{calc_slope, is_disabled, is_saturated};
use crate::data::{Data, Stale};
use crate::finite_difference::{self, Transition};
use crate::kinematics::jacobian::dofs_of;
use crate::kinematics::object_frame;
use crate::model::Model;
use crate::model::kinds::{JointKind, ObjectKind, SensorKind, TransmissionKind};
use crate::options::Disable;
use crate::stage::Stage;
use crate::tendon::spatial::for_each_path;
use frame::{Delta, Moving, value_change};
use saltus_math::Quat;

/// Maximum number of values of a sensor with a formula.
const MAX_DIM: usize = 4;
/// Step of finite differences for sensors without a formula.
const STEP: f64 = 1e-6;

/// Direct derivatives of one sensor with respect to q, v and a, dim × nv each, and to activations
/// and controls, dim × (na + nu).
#[derive(Clone, Debug, Default)]
pub(super) struct Direct {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    input: Vec<f64>,
    columns: Vec<Column>,
    /// Derivatives of sensors with respect to (x, u), nsensordata × (2 nv + na + nu).
    all: Vec<f64>,
}

/// Working memory; the motions are used for single sensors.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    chain: Chain,
    pub direct: Direct,
}

/// Partial derivatives of one sensor with respect to q (in its tangent space), v and a, dim × nv
/// each.
#[derive(Clone, Copy, Debug)]
pub struct SensorSlopes<'w> {
    pub by_q: &'w [f64],
    pub by_v: &'w [f64],
    pub by_a: &'w [f64],
}

/// The slopes of sensor `s` at the current q, v and a; `data` holds positions, velocities and the
/// quantities that the sensor measures. Activations and controls are constant. None for kinds
/// without a formula.
pub fn sensor_slopes<'w>(
    model: &Model,
    data: &Data,
    s: usize,
    work: &'w mut Workspace,
) -> Result<Option<SensorSlopes<'w>>, Stale> {
    data.require(Stage::Velocity)?;
    let Memory { chain, direct } = &mut work.sensor;
    chain.update(model, &data.position.S, &data.state.v, &data.acceleration.a, true);
    if !direct.update(At { model, data, chain }, s) {
        return Ok(None);
    }
    let (nv, start) = (model.size.nv, model.sensors.start[s] as usize);
    for r in (0..model.sensors.dim[s] as usize).filter(|&r| is_cut(model, s, data.sensor[start + r])) {
        for x in [&mut direct.q, &mut direct.v, &mut direct.a] {
            x[r * nv..(r + 1) * nv].fill(0.0);
        }
    }
    Ok(Some(SensorSlopes { by_q: &direct.q, by_v: &direct.v, by_a: &direct.a }))
}

/// Fills C and D. `by_state` is ∂a, nv × (2 nv + na + nu).
pub(super) fn write(
    at: At<'_>,
    by_state: &[f64],
    direct: &mut Direct,
    report: &mut Report,
    C: Option<&mut [f64]>,
    D: Option<&mut [f64]>,
) -> Result<(), DerivativeError> {
    let At { model, data, .. } = at;
    let (nv, na, nu) = (model.size.nv, model.size.na, model.size.nu);
    let (n, m) = (2 * nv + na, 2 * nv + na + nu);
    let mut full = core::mem::take(&mut direct.all);
    full.clear();
    full.resize(model.size.nsensordata * m, 0.0);
    let mut missing = false;
    let off = model.options.disable.has(Disable::SENSOR);
    for s in (0..model.nsensor()).filter(|_| !off) {
        let (start, dim) = (model.sensors.start[s] as usize, model.sensors.dim[s] as usize);
        if !direct.update(at, s) {
            report.add(Inexact::Sensor(s));
            missing = true;
            continue;
        }
        for r in (0..dim).filter(|&r| !is_cut(model, s, data.sensor[start + r])) {
            let row = &mut full[(start + r) * m..(start + r + 1) * m];
            row[..nv].copy_from_slice(&direct.q[r * nv..(r + 1) * nv]);
            row[nv..2 * nv].copy_from_slice(&direct.v[r * nv..(r + 1) * nv]);
            row[2 * nv..].copy_from_slice(&direct.input[r * (na + nu)..(r + 1) * (na + nu)]);
            for (i, x) in direct.a[r * nv..(r + 1) * nv].iter().enumerate().filter(|(_, x)| **x != 0.0) {
                row.iter_mut().zip(&by_state[i * m..(i + 1) * m]).for_each(|(t, c)| *t += x * c);
            }
        }
    }
    if missing {
        fill_by_differences(model, data, report, &mut full)?;
    }
    for (matrix, first, width) in [(C, 0, n), (D, n, nu)] {
        if let Some(matrix) = matrix {
            for (to, from) in matrix.chunks_exact_mut(width.max(1)).zip(full.chunks_exact(m.max(1))) {
                to.copy_from_slice(&from[first..first + width]);
            }
        }
    }
    direct.all = full;
    Ok(())
}

/// Fills the rows of the sensors named in the report.
fn fill_by_differences(model: &Model, data: &Data, report: &Report, full: &mut [f64]) -> Result<(), DerivativeError> {
    let (n, nu) = (2 * model.size.nv + model.size.na, model.size.nu);
    let m = n + nu;
    let rows = model.size.nsensordata;
    let (mut C, mut D) = (vec![0.0; rows * n], vec![0.0; rows * nu]);
    let out = Transition { C: Some(&mut C), D: Some(&mut D), ..Transition::default() };
    finite_difference::transition(model, data, STEP, true, out)
        .map_err(|_| DerivativeError::Unsupported("of sensors where a step near the state fails"))?;
    for what in &report.inexact {
        if let Inexact::Sensor(s) = *what {
            let start = model.sensors.start[s] as usize;
            for r in start..start + model.sensors.dim[s] as usize {
                full[r * m..r * m + n].copy_from_slice(&C[r * n..(r + 1) * n]);
                full[r * m + n..(r + 1) * m].copy_from_slice(&D[r * nu..(r + 1) * nu]);
            }
        }
    }
    Ok(())
}

/// Whether a value is at the sensor's cutoff.
fn is_cut(model: &Model, s: usize, value: f64) -> bool {
    let cutoff = model.sensors.cutoff[s];
    cutoff > 0.0
        && match model.sensors.data_type[s] {
            0 => value.abs() >= cutoff,
            1 => value >= cutoff,
            _ => false,
        }
}

impl Direct {
    /// Fills the direct derivatives of sensor `s`; false if there is no formula.
    fn update(&mut self, at: At<'_>, s: usize) -> bool {
        let At { model, data, .. } = at;
        let (nv, width) = (model.size.nv, model.size.na + model.size.nu);
        let dim = model.sensors.dim[s] as usize;
        if dim > MAX_DIM {
            return false;
        }
        for x in [&mut self.q, &mut self.v, &mut self.a] {
            x.clear();
            x.resize(dim * nv, 0.0);
        }
        self.input.clear();
        self.input.resize(dim * width, 0.0);
        let id = model.sensors.object[s].map_or(0, |x| x as usize);
        use SensorKind::*;
        match model.sensors.kind[s] {
            Clock => true,
            JointPos => {
                self.q[model.joints.dof_start[id] as usize] = 1.0;
                true
            }
            JointVel => {
                self.v[model.joints.dof_start[id] as usize] = 1.0;
                true
            }
            BallAngVel => {
                let d = model.joints.dof_start[id] as usize;
                (0..3).for_each(|r| self.v[r * nv + d + r] = 1.0);
                true
            }
            BallQuat => {
                let (i, d) = (model.joints.q_start[id] as usize, model.joints.dof_start[id] as usize);
                let q = Quat::from_slice(&data.state.q[i..i + 4]).normalized();
                for k in 0..3 {
                    let mut unit = [0.0; 4];
                    unit[k + 1] = 0.5;
                    for (r, x) in (q * Quat::from_slice(&unit)).to_array().into_iter().enumerate() {
                        self.q[r * nv + d + k] = x;
                    }
                }
                true
            }
            TendonPos => {
                self.add_tendon(at, id, [1.0, 0.0]);
                true
            }
            TendonVel => {
                self.add_tendon(at, id, [0.0, 1.0]);
                true
            }
            ActuatorPos => self.add_actuator(at, id, [1.0, 0.0]),
            ActuatorVel => self.add_actuator(at, id, [0.0, 1.0]),
            ActuatorFrc => self.add_actuator_force(at, id),
            SubtreeCom => {
                self.add_subtree(at, id, FramePos);
                true
            }
            SubtreeLinVel => {
                self.add_subtree(at, id, FrameLinVel);
                true
            }
            kind => self.add_frame(at, s, kind),
        }
    }

    fn add_frame(&mut self, at: At<'_>, s: usize, kind: SensorKind) -> bool {
        let At { model, data, .. } = at;
        use SensorKind::*;
        let sensors = &model.sensors;
        let find = |kind: ObjectKind, id: Option<u32>| id.and_then(|id| object_frame(model, data, kind, id as usize));
        let on_site = matches!(kind, Velocimeter | Gyro | Accelerometer | Magnetometer);
        let object_kind = if on_site { ObjectKind::Site } else { sensors.object_kind[s] };
        let Some(object) = find(object_kind, sensors.object[s]) else { return false };
        let reference = if on_site { None } else { find(sensors.reference_kind[s], sensors.reference[s]) };
        // Cameras may track bodies other than their own.
        let camera = |k: ObjectKind| k == ObjectKind::Camera;
        if camera(object_kind) || (reference.is_some() && camera(sensors.reference_kind[s])) {
            return false;
        }
        let object = Moving::of(at, object);
        let reference = reference.map(|r| Moving::of(at, r));
        self.add_moving(at, kind, 1.0, &object, reference.as_ref())
    }

    /// Adds `weight` times the derivative of a frame sensor with respect to all dofs.
    fn add_moving(
        &mut self,
        At { model, data, chain }: At<'_>,
        kind: SensorKind,
        weight: f64,
        object: &Moving,
        reference: Option<&Moving>,
    ) -> bool {
        let (nv, magnetic, still) = (model.size.nv, model.options.magnetic, Delta::default());
        for (by, target) in [(By::Q, &mut self.q), (By::V, &mut self.v), (By::A, &mut self.a)] {
            let dim = target.len() / nv.max(1);
            let mut put = |k: usize, value: Option<[f64; 4]>| match value {
                Some(value) => {
                    (0..dim).for_each(|r| target[r * nv + k] += weight * value[r]);
                    true
                }
                None => false,
            };
            for k in dofs_of(model, object.frame.body) {
                let d = object.change(data, chain, k, by);
                if !put(k, value_change(kind, object, &d, reference.map(|r| (r, &still)), magnetic)) {
                    return false;
                }
            }
            if let Some(r) = reference {
                for k in dofs_of(model, r.frame.body) {
                    let d = r.change(data, chain, k, by);
                    if !put(k, value_change(kind, object, &still, Some((r, &d)), magnetic)) {
                        return false;
                    }
                }
            }
        }
        value_change(kind, object, &still, reference.map(|r| (r, &still)), magnetic).is_some()
    }

    /// The mass-weighted mean over a subtree.
    fn add_subtree(&mut self, at: At<'_>, body: usize, kind: SensorKind) {
        let At { model, data, .. } = at;
        let total = model.bodies.subtree_mass[body];
        if total < saltus_math::MIN_VAL {
            return;
        }
        let mut b = body;
        // Ids are in depth-first order: a subtree is contiguous.
        while b < model.nbody() && (b == body || model.bodies.parent[b].idx() >= body) {
            if let Some(frame) = object_frame(model, data, ObjectKind::Body, b) {
                let object = Moving::of(at, frame);
                self.add_moving(at, kind, model.bodies.mass[b] / total, &object, None);
            }
            b += 1;
        }
    }

    /// Adds weights[0] · length + weights[1] · velocity of a tendon.
    fn add_tendon(&mut self, at: At<'_>, t: usize, weights: [f64; 2]) {
        let At { model, data, .. } = at;
        let span = model.tendons.jac[t].range();
        for (&c, j) in model.tendons.jac_col[span.clone()].iter().zip(&data.position.tendon_jac[span]) {
            self.q[c as usize] += weights[0] * j;
            self.v[c as usize] += weights[1] * j;
        }
        if weights[1] != 0.0 && model.tendons.spatial[t] {
            let (q, columns, v) = (&mut self.q, &mut self.columns, &data.state.v);
            for_each_path(model, data, t, |path| {
                let string = String::of(model, data, path);
                string.for_each_change(at, columns, |j, k, change| q[k] += weights[1] * v[j] * change);
            });
        }
    }

    /// The same for an actuator whose length is that of a scalar joint or a tendon; false for
    /// others.
    fn add_actuator(&mut self, at: At<'_>, a: usize, weights: [f64; 2]) -> bool {
        let At { model, .. } = at;
        let actuators = &model.actuators;
        let (Some(target), gear) = (actuators.target[a][0].map(|t| t as usize), actuators.gear[a][0]) else {
            return false;
        };
        match actuators.transmission[a] {
            TransmissionKind::Joint | TransmissionKind::JointInParent => {
                if matches!(model.joints.kind[target], JointKind::Ball | JointKind::Free) {
                    return false;
                }
                let d = model.joints.dof_start[target] as usize;
                self.q[d] += weights[0] * gear;
                self.v[d] += weights[1] * gear;
            }
            TransmissionKind::Tendon => self.add_tendon(at, target, weights.map(|w| w * gear)),
            _ => return false,
        }
        true
    }

    fn add_actuator_force(&mut self, at: At<'_>, a: usize) -> bool {
        let At { model, data, .. } = at;
        let off = model.options.disable.has(Disable::ACTUATION);
        if off || is_disabled(model, a) || is_saturated(model, data, a) {
            return !matches!(model.actuators.transmission[a], TransmissionKind::Tendon) || off;
        }
        let slope = calc_slope(model, data, a);
        if !self.add_actuator(at, a, [slope.length, slope.velocity]) {
            return false;
        }
        let na = model.size.na;
        for_each_force_slope(model, data, a, |input, slope| match input {
            Input::Act(i) => self.input[i] += slope,
            Input::Ctrl(i) => self.input[na + i] += slope,
            Input::Length => {}
        });
        true
    }
}
