//! The objects that sensors can measure and the number of their outputs. The compiler and the
//! validation of models use these functions; errors say what was expected.

use super::Model;
use super::kinds::{GeomShape, JointKind, ObjectKind, SensorKind, kind_name};

/// Number of outputs per field of a contact sensor: found, force, torque, distance, position,
/// normal, tangent, linear and angular velocity.
const CONTACT_FIELDS: [u32; 9] = [1, 3, 3, 1, 3, 3, 3, 3, 3];
/// Number of outputs per field of a rangefinder: distance, direction, origin, point, normal, depth.
const RANGE_FIELDS: [u32; 6] = [1, 3, 3, 3, 3, 1];

type Verdict = Result<(), String>;

fn require(ok: bool, message: impl FnOnce() -> String) -> Verdict {
    if ok { Ok(()) } else { Err(message()) }
}

/// The kinds of object that a sensor can measure; empty if no object is needed or all kinds are
/// allowed.
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

pub(crate) fn check_object(sensor: SensorKind, kind: ObjectKind, object: Option<u32>, model: &Model) -> Verdict {
    use SensorKind::*;
    let allowed = allowed_objects(sensor);
    require(allowed.is_empty() || allowed.contains(&kind), || {
        let list: Vec<_> = allowed.iter().map(|k| kind_name(*k)).collect();
        format!("it must measure one of: {}; got {}", list.join(", "), kind_name(kind))
    })?;
    let Some(id) = object.map(|o| o as usize) else { return Ok(()) };
    match sensor {
        JointPos | JointVel | JointActFrc | JointLimitPos | JointLimitVel | JointLimitFrc => {
            let scalar = matches!(model.joints.kind[id], JointKind::Hinge | JointKind::Slide);
            let limit = matches!(sensor, JointLimitPos | JointLimitVel | JointLimitFrc);
            require(scalar || limit, || "the joint must be a hinge or slide joint".into())?;
            require(!limit || model.joints.limited[id], || "the joint must be limited".into())
        }
        BallQuat | BallAngVel => {
            require(model.joints.kind[id] == JointKind::Ball, || "the joint must be a ball joint".into())
        }
        TendonLimitPos | TendonLimitVel | TendonLimitFrc => {
            require(model.tendons.limited[id], || "the tendon must be limited".into())
        }
        Rangefinder if kind == ObjectKind::Camera => check_resolution(id, model),
        _ if is_separation(sensor) && kind == ObjectKind::Geom => check_distance_geom(id, model),
        _ => Ok(()),
    }
}

pub(crate) fn is_separation(kind: SensorKind) -> bool {
    matches!(kind, SensorKind::GeomDist | SensorKind::GeomNormal | SensorKind::GeomFromTo)
}

/// Height fields are a surface for contacts, not a solid with distances.
fn check_distance_geom(geom: usize, model: &Model) -> Verdict {
    require(model.geoms.shape[geom] != GeomShape::Hfield, || {
        "the distance to a height field cannot be measured; expected another geom".into()
    })
}

fn check_resolution(camera: usize, model: &Model) -> Verdict {
    require(model.cameras.resolution[camera].iter().all(|r| *r > 0), || {
        "the camera's resolution must be positive".into()
    })
}

pub(crate) fn check_reference(sensor: SensorKind, kind: ObjectKind, reference: Option<u32>, model: &Model) -> Verdict {
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
    require(allowed.contains(&kind), || {
        let list: Vec<_> = allowed.iter().map(|k| kind_name(*k)).collect();
        format!("its second object must be one of: {}; got {}", list.join(", "), kind_name(kind))
    })?;
    match reference {
        Some(geom) if is_separation(sensor) && kind == Geom => check_distance_geom(geom as usize, model),
        Some(camera) if sensor == SensorKind::CamProjection => check_resolution(camera as usize, model),
        _ => Ok(()),
    }
}

fn field_sum(fields: &[u32], bits: i32) -> u64 {
    fields.iter().enumerate().filter(|(i, _)| bits & (1 << i) != 0).map(|(_, n)| u64::from(*n)).sum()
}

/// Number of outputs; `None` for user sensors, which define it themselves.
pub(crate) fn dimension(
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

/// Checks the kinds of the objects and the number of outputs of a compiled sensor.
pub(super) fn check_sensor(model: &Model, s: usize) -> Verdict {
    let t = &model.sensors;
    check_object(t.kind[s], t.object_kind[s], t.object[s], model)?;
    check_reference(t.kind[s], t.reference_kind[s], t.reference[s], model)?;
    let dim = dimension(t.kind[s], t.int_prm[s], t.object_kind[s], t.object[s], model);
    require(dim.is_none_or(|d| d == u64::from(t.dim[s])), || "wrong number of outputs".into())
}
