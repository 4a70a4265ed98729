//! Sensors: what they measure, how many numbers, after which stage.

use super::limits::{push_user, user_len};
use super::names::{Element, Names, Outcome, kind_name};
use crate::model::Model;
use crate::model::kinds::{GeomShape, JointKind, ObjectKind, SensorKind};
use crate::model::spec::{ModelSpec, SensorSpec};
use crate::stage::Stage;

const REAL: i32 = 0;
const POSITIVE: i32 = 1;
const AXIS: i32 = 2;
const QUATERNION: i32 = 3;

/// Numbers per field of a contact sensor: found, force, torque, distance, position, normal, tangent, linear and angular
/// velocity.
const CONTACT_FIELDS: [u32; 9] = [1, 3, 3, 1, 3, 3, 3, 3, 3];
/// Fields of a contact sensor that need contact forces, velocities; first reduction that needs forces.
const CONTACT_FORCES: i32 = 0b110;
const CONTACT_VELOCITIES: i32 = 0b1_1000_0000;
const MAX_FORCE: i32 = 2;
/// Numbers per field of a rangefinder: distance, direction, origin, point, normal, depth.
const RANGE_FIELDS: [u32; 6] = [1, 3, 3, 3, 3, 1];
/// Largest number of outputs of one sensor.
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
        check_object(sensor.kind, object_kind, object, model, &element)?;
        check_reference(sensor.kind, reference_kind, reference, model, &element)?;
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

/// The kinds of object that a sensor can measure; empty: none is needed or all are allowed.
fn allowed_objects(kind: SensorKind) -> &'static [ObjectKind] {
    use SensorKind::*;
    match kind {
        Touch | Accelerometer | Velocimeter | Gyro | Force | Torque | Magnetometer | CamProjection => {
            &[ObjectKind::Site]
        }
        Rangefinder => &[ObjectKind::Site, ObjectKind::Camera],
        JointPos | JointVel | JointActFrc | BallQuat | BallAngVel | JointLimitPos | JointLimitVel | JointLimitFrc => {
            &[ObjectKind::Joint]
        }
        TendonPos | TendonVel | TendonActFrc | TendonLimitPos | TendonLimitVel | TendonLimitFrc => {
            &[ObjectKind::Tendon]
        }
        ActuatorPos | ActuatorVel | ActuatorFrc => &[ObjectKind::Actuator],
        FramePos | FrameQuat | FrameXAxis | FrameYAxis | FrameZAxis | FrameLinVel | FrameAngVel | FrameLinAcc
        | FrameAngAcc | InsideSite => {
            &[ObjectKind::Body, ObjectKind::XBody, ObjectKind::Geom, ObjectKind::Site, ObjectKind::Camera]
        }
        SubtreeCom | SubtreeLinVel | SubtreeAngMom => &[ObjectKind::Body],
        GeomDist | GeomNormal | GeomFromTo => &[ObjectKind::Body, ObjectKind::Geom],
        Contact => &[ObjectKind::Unknown, ObjectKind::Body, ObjectKind::XBody, ObjectKind::Geom, ObjectKind::Site],
        EPotential | EKinetic | Clock => &[ObjectKind::Unknown],
        User => &[],
    }
}

fn check_object(
    sensor: SensorKind,
    kind: ObjectKind,
    object: Option<u32>,
    model: &Model,
    element: &Element,
) -> Outcome {
    use SensorKind::*;
    let allowed = allowed_objects(sensor);
    element.check(allowed.is_empty() || allowed.contains(&kind), || {
        let list: Vec<_> = allowed.iter().map(|k| kind_name(*k)).collect();
        format!("it must measure one of: {}; got {}", list.join(", "), kind_name(kind))
    })?;
    let Some(id) = object.map(|o| o as usize) else { return Ok(()) };
    match sensor {
        JointPos | JointVel | JointActFrc | JointLimitPos | JointLimitVel | JointLimitFrc => {
            let scalar = matches!(model.joints.kind[id], JointKind::Hinge | JointKind::Slide);
            let limit = matches!(sensor, JointLimitPos | JointLimitVel | JointLimitFrc);
            element.check(scalar || limit, || "the joint must be a hinge or slide joint".into())?;
            element.check(!limit || model.joints.limited[id], || "the joint must be limited".into())
        }
        BallQuat | BallAngVel => {
            element.check(model.joints.kind[id] == JointKind::Ball, || "the joint must be a ball joint".into())
        }
        TendonLimitPos | TendonLimitVel | TendonLimitFrc => {
            element.check(model.tendons.limited[id], || "the tendon must be limited".into())
        }
        Rangefinder if kind == ObjectKind::Camera => check_resolution(id, model, element),
        _ if is_separation(sensor) && kind == ObjectKind::Geom => check_distance_geom(id, model, element),
        _ => Ok(()),
    }
}

fn is_separation(kind: SensorKind) -> bool {
    matches!(kind, SensorKind::GeomDist | SensorKind::GeomNormal | SensorKind::GeomFromTo)
}

/// Height fields are a surface for contacts, not a solid with distances.
fn check_distance_geom(geom: usize, model: &Model, element: &Element) -> Outcome {
    element.check(model.geoms.shape[geom] != GeomShape::Hfield, || {
        "the distance to a height field cannot be measured; expected another geom".into()
    })
}

fn check_resolution(camera: usize, model: &Model, element: &Element) -> Outcome {
    element.check(model.cameras.resolution[camera].iter().all(|r| *r > 0), || {
        "the camera's resolution must be positive".into()
    })
}

fn check_reference(
    sensor: SensorKind,
    kind: ObjectKind,
    reference: Option<u32>,
    model: &Model,
    element: &Element,
) -> Outcome {
    use ObjectKind::{Body, Camera, Geom, Site, Unknown, XBody};
    let allowed: &[ObjectKind] = match sensor {
        SensorKind::CamProjection => &[Camera],
        SensorKind::InsideSite => &[Site],
        SensorKind::GeomDist | SensorKind::GeomNormal | SensorKind::GeomFromTo => &[Body, Geom],
        SensorKind::Contact => &[Unknown, Body, XBody, Geom],
        SensorKind::FrameLinAcc | SensorKind::FrameAngAcc => &[Unknown],
        SensorKind::FramePos
        | SensorKind::FrameQuat
        | SensorKind::FrameXAxis
        | SensorKind::FrameYAxis
        | SensorKind::FrameZAxis
        | SensorKind::FrameLinVel
        | SensorKind::FrameAngVel => &[Unknown, Body, XBody, Geom, Site, Camera],
        SensorKind::User => return Ok(()),
        _ => &[Unknown],
    };
    element.check(allowed.contains(&kind), || {
        let list: Vec<_> = allowed.iter().map(|k| kind_name(*k)).collect();
        format!("its second object must be one of: {}; got {}", list.join(", "), kind_name(kind))
    })?;
    match reference {
        Some(geom) if is_separation(sensor) && kind == Geom => check_distance_geom(geom as usize, model, element),
        Some(camera) if sensor == SensorKind::CamProjection => check_resolution(camera as usize, model, element),
        _ => Ok(()),
    }
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

fn field_sum(fields: &[u32], bits: i32) -> u64 {
    fields.iter().enumerate().filter(|(i, _)| bits & (1 << i) != 0).map(|(_, n)| u64::from(*n)).sum()
}

/// Number of outputs; `None` for user sensors, which say themselves.
fn dimension(
    sensor: SensorKind,
    int_prm: [i32; 3],
    kind: ObjectKind,
    object: Option<u32>,
    model: &Model,
) -> Option<u64> {
    use SensorKind::*;
    Some(match sensor {
        Touch | JointPos | JointVel | TendonPos | TendonVel | ActuatorPos | ActuatorVel | ActuatorFrc | JointActFrc
        | TendonActFrc | JointLimitPos | JointLimitVel | JointLimitFrc | TendonLimitPos | TendonLimitVel
        | TendonLimitFrc | InsideSite | GeomDist | EPotential | EKinetic | Clock => 1,
        CamProjection => 2,
        Accelerometer | Velocimeter | Gyro | Force | Torque | Magnetometer | BallAngVel | FramePos | FrameXAxis
        | FrameYAxis | FrameZAxis | FrameLinVel | FrameAngVel | FrameLinAcc | FrameAngAcc | SubtreeCom
        | SubtreeLinVel | SubtreeAngMom | GeomNormal => 3,
        BallQuat | FrameQuat => 4,
        GeomFromTo => 6,
        Contact => field_sum(&CONTACT_FIELDS, int_prm[0]) * int_prm[2].max(0) as u64,
        Rangefinder => {
            let pixels = match (kind, object) {
                (ObjectKind::Camera, Some(camera)) => {
                    let [w, h] = model.cameras.resolution[camera as usize];
                    w.max(0) as u64 * h.max(0) as u64
                }
                _ => 1,
            };
            field_sum(&RANGE_FIELDS, int_prm[0]) * pixels
        }
        User => return None,
    })
}

/// Checks a compiled sensor: objects of the right kind, the right number of outputs.
pub(in crate::model) fn check_sensor(model: &Model, s: usize) -> Outcome {
    let t = &model.sensors;
    let element = Element::new("sensor", &t.name[s], s, "");
    check_object(t.kind[s], t.object_kind[s], t.object[s], model, &element)?;
    check_reference(t.kind[s], t.reference_kind[s], t.reference[s], model, &element)?;
    let dim = dimension(t.kind[s], t.int_prm[s], t.object_kind[s], t.object[s], model);
    element.check(dim.is_none_or(|d| d == u64::from(t.dim[s])), || "wrong number of outputs".into())
}
