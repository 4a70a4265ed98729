//! Sensors: measured objects, number of values, stage.

use super::limits::{push_user, user_len};
use super::names::{Element, Names, Outcome};
use crate::model::Model;
use crate::model::kinds::{ObjectKind, SensorKind};
use crate::model::measured::{check_object, check_reference, dimension, is_separation};
use crate::model::spec::{ModelSpec, SensorSpec};
use crate::stage::Stage;

const REAL: i32 = 0;
const POSITIVE: i32 = 1;
const AXIS: i32 = 2;
const QUATERNION: i32 = 3;

/// Fields of a contact sensor that require contact forces or velocities; first reduction that
/// requires forces.
const CONTACT_FORCES: i32 = 0b110;
const CONTACT_VELOCITIES: i32 = 0b1_1000_0000;
const MAX_FORCE: i32 = 2;
/// Maximum number of values of one sensor.
const MAX_DIM: u64 = 1 << 26;

/// Fills the sensor table.
pub(super) fn fill_sensors(spec: &ModelSpec, names: &Names, model: &mut Model) -> Outcome {
    let users = spec.sensors.iter().map(|s| s.user.as_slice());
    model.sensors.user_len = user_len("sensor", spec.size.user_sensor, users)?;
    for (id, sensor) in spec.sensors.iter().enumerate() {
        let element = Element::new("sensor", &sensor.name, id, &sensor.place);
        let (object_kind, object) = resolve(&sensor.object, names, &element)?;
        let (reference_kind, reference) = match &sensor.reference {
            Some(reference) => resolve(reference, names, &element)?,
            None => (ObjectKind::Unknown, None),
        };
        check_object(sensor.kind, object_kind, object, model).map_err(|wrong| element.error(wrong))?;
        check_reference(sensor.kind, reference_kind, reference, model).map_err(|wrong| element.error(wrong))?;
        let same = (object_kind, object) == (reference_kind, reference);
        element.check(!(same && is_separation(sensor.kind)), || "the two objects must be different".into())?;
        let data_type = data_type(sensor);
        check_numbers(sensor, data_type, &element)?;
        let dim = dimension(sensor.kind, sensor.int_prm, object_kind, object, model).unwrap_or(sensor.user_dim as u64);
        element.check(dim <= MAX_DIM, || format!("{dim} outputs are too many"))?;
        let table = &mut model.sensors;
        table.name.push(sensor.name.clone());
        table.kind.push(sensor.kind);
        table.stage.push(stage(sensor));
        table.data_type.push(data_type);
        table.object_kind.push(object_kind);
        table.object.push(object);
        table.reference_kind.push(reference_kind);
        table.reference.push(reference);
        table.int_prm.push(sensor.int_prm);
        table.dim.push(dim as u32);
        table.start.push(model.size.nsensordata as u32);
        model.size.nsensordata += dim as usize;
        element.check(model.size.nsensordata as u64 <= MAX_DIM, || "too many sensor outputs".into())?;
        table.cutoff.push(sensor.cutoff);
        table.noise.push(sensor.noise);
        push_user(&mut table.user, &sensor.user, table.user_len);
    }
    Ok(())
}

fn resolve(
    (kind, name): &(ObjectKind, String),
    names: &Names,
    element: &Element,
) -> Outcome<(ObjectKind, Option<u32>)> {
    if *kind == ObjectKind::Unknown {
        return Ok((ObjectKind::Unknown, None));
    }
    Ok((*kind, Some(names.require(*kind, name, element)?)))
}

fn check_numbers(sensor: &SensorSpec, data_type: i32, element: &Element) -> Outcome {
    element.check(sensor.cutoff >= 0.0 && sensor.cutoff.is_finite(), || "cutoff must not be negative".into())?;
    element.check(sensor.noise >= 0.0 && sensor.noise.is_finite(), || "noise must not be negative".into())?;
    element.check_finite("user", &sensor.user)?;
    let directed = matches!(data_type, AXIS | QUATERNION) && sensor.kind != SensorKind::GeomNormal;
    element.check(sensor.cutoff == 0.0 || !directed, || "cutoff cannot be applied to an axis or quaternion".into())
}

fn data_type(sensor: &SensorSpec) -> i32 {
    use SensorKind::*;
    match sensor.kind {
        Touch | InsideSite => POSITIVE,
        BallQuat | FrameQuat => QUATERNION,
        FrameXAxis | FrameYAxis | FrameZAxis | GeomNormal => AXIS,
        User => sensor.user_datatype,
        _ => REAL,
    }
}

fn stage(sensor: &SensorSpec) -> Stage {
    use SensorKind::*;
    match sensor.kind {
        Magnetometer | Rangefinder | CamProjection | JointPos | TendonPos | ActuatorPos | BallQuat | JointLimitPos
        | TendonLimitPos | FramePos | FrameQuat | FrameXAxis | FrameYAxis | FrameZAxis | SubtreeCom | InsideSite
        | GeomDist | GeomNormal | GeomFromTo | EPotential | EKinetic | Clock => Stage::Position,
        Velocimeter | Gyro | JointVel | TendonVel | ActuatorVel | BallAngVel | JointLimitVel | TendonLimitVel
        | FrameLinVel | FrameAngVel | SubtreeLinVel | SubtreeAngMom => Stage::Velocity,
        Touch | Accelerometer | Force | Torque | ActuatorFrc | JointActFrc | TendonActFrc | JointLimitFrc
        | TendonLimitFrc | FrameLinAcc | FrameAngAcc => Stage::Acceleration,
        Contact if sensor.int_prm[0] & CONTACT_FORCES != 0 || sensor.int_prm[1] >= MAX_FORCE => Stage::Acceleration,
        Contact if sensor.int_prm[0] & CONTACT_VELOCITIES != 0 => Stage::Velocity,
        Contact => Stage::Position,
        User => match sensor.user_stage {
            0 => Stage::None,
            1 => Stage::Position,
            2 => Stage::Velocity,
            _ => Stage::Acceleration,
        },
    }
}
