//! Sensors, grouped by the stage after which they can be evaluated.

mod acceleration;
mod contact;
mod limit;
mod position;
mod range;
mod separation;
mod velocity;

pub use position::is_inside;

use crate::callbacks::Callbacks;
use crate::data::Data;
use crate::dynamics::{update_kinetic_energy, update_momentum, update_post_constraint, update_potential_energy};
use crate::kinematics::{ObjectFrame, object_frame};
use crate::model::{Model, kinds::SensorKind};
use crate::options::Disable;
use crate::stage::Stage;

/// Fills the sensors of one stage in `data.sensor`.
pub fn update_sensors(model: &Model, data: &mut Data, stage: Stage, callbacks: &mut dyn Callbacks) {
    if model.options.disable.has(Disable::SENSOR) || model.nsensor() == 0 {
        return;
    }
    prepare(model, data, stage);
    let mut output = core::mem::take(&mut data.sensor);
    let mut user = false;
    let mut nearest = separation::Memory::default();
    let mut work = data.scratch.modules.take::<crate::collide::Workspace>();
    for s in (0..model.nsensor()).filter(|&s| model.sensors.stage[s] == stage) {
        let start = model.sensors.start[s] as usize;
        let values = &mut output[start..start + model.sensors.dim[s] as usize];
        user |= model.sensors.kind[s] == SensorKind::User;
        let kind = model.sensors.kind[s];
        match stage {
            _ if kind == SensorKind::Contact => contact::read(model, data, s, values),
            _ if is_separation(kind) => separation::read(model, &data.position, s, &mut nearest, &mut work, values),
            _ if kind == SensorKind::Rangefinder => range::read(model, data, s, values),
            _ if is_limit(kind) => values[0] = limit::read(data, kind, object(model, s)),
            Stage::Position => position::read(model, data, s, values),
            Stage::Velocity => velocity::read(model, data, s, values),
            Stage::Acceleration => acceleration::read(model, data, s, values),
            Stage::None => {}
        }
        apply_cutoff(model, s, values);
    }
    data.sensor = output;
    data.scratch.modules.put(work);
    if user {
        callbacks.sensor(model, data, stage);
        for s in (0..model.nsensor()).filter(|&s| model.sensors.stage[s] == stage) {
            if model.sensors.kind[s] == SensorKind::User {
                let start = model.sensors.start[s] as usize;
                apply_cutoff(model, s, &mut data.sensor[start..start + model.sensors.dim[s] as usize]);
            }
        }
    }
}

fn is_separation(kind: SensorKind) -> bool {
    matches!(kind, SensorKind::GeomDist | SensorKind::GeomNormal | SensorKind::GeomFromTo)
}

fn is_limit(kind: SensorKind) -> bool {
    use SensorKind::*;
    matches!(kind, JointLimitPos | JointLimitVel | JointLimitFrc | TendonLimitPos | TendonLimitVel | TendonLimitFrc)
}

/// Computes quantities that only sensors need, once, if a sensor of this stage needs them.
fn prepare(model: &Model, data: &mut Data, stage: Stage) {
    let needs = |kinds: &[SensorKind]| {
        (0..model.nsensor()).any(|s| model.sensors.stage[s] == stage && kinds.contains(&model.sensors.kind[s]))
    };
    use SensorKind::*;
    if needs(&[EPotential]) {
        update_potential_energy(model, data);
    }
    if needs(&[EKinetic]) {
        update_kinetic_energy(model, data);
    }
    if needs(&[SubtreeLinVel, SubtreeAngMom]) {
        update_momentum(model, data);
    }
    if needs(&[Accelerometer, Force, Torque, FrameLinAcc, FrameAngAcc]) {
        update_post_constraint(model, data);
    }
}

/// Limits real values to ±cutoff and positive ones to cutoff. Axes and quaternions are not limited,
/// nor are points and sensors whose cutoff has another meaning.
fn apply_cutoff(model: &Model, s: usize, values: &mut [f64]) {
    let cutoff = model.sensors.cutoff[s];
    if cutoff <= 0.0 || matches!(model.sensors.kind[s], SensorKind::Contact | SensorKind::GeomFromTo) {
        return;
    }
    for x in values {
        match model.sensors.data_type[s] {
            0 => *x = x.max(-cutoff).min(cutoff),
            1 => *x = x.min(cutoff),
            _ => {}
        }
    }
}

/// Frames of the measured object and of its reference.
fn frames(model: &Model, data: &Data, s: usize) -> (Option<ObjectFrame>, Option<ObjectFrame>) {
    let sensors = &model.sensors;
    let frame = |kind, id: Option<u32>| id.and_then(|id| object_frame(model, data, kind, id as usize));
    (frame(sensors.object_kind[s], sensors.object[s]), frame(sensors.reference_kind[s], sensors.reference[s]))
}

fn object(model: &Model, s: usize) -> usize {
    model.sensors.object[s].unwrap_or(0) as usize
}
