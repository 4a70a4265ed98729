//! Sensors of position.

use super::{frames, object};
use crate::data::Data;
use crate::kinematics::ObjectFrame;
use crate::model::{
    Model,
    kinds::{GeomShape, SensorKind},
};
use saltus_math::{MIN_VAL, Quat, Vec3, real};

pub(super) fn read(model: &Model, data: &Data, s: usize, out: &mut [f64]) {
    let id = object(model, s);
    let position = &data.position;
    match model.sensors.kind[s] {
        SensorKind::Magnetometer => position.R_WS[id].tmul(model.options.magnetic).write_to_slice(out),
        SensorKind::CamProjection => out.copy_from_slice(&project(model, data, s)),
        SensorKind::JointPos => out[0] = data.state.q[model.joints.q_start[id] as usize],
        SensorKind::TendonPos => out[0] = position.tendon_length[id],
        SensorKind::ActuatorPos => out[0] = position.actuator_length[id],
        SensorKind::BallQuat => {
            let i = model.joints.q_start[id] as usize;
            out.copy_from_slice(&Quat::from_slice(&data.state.q[i..i + 4]).normalized().to_array());
        }
        SensorKind::SubtreeCom => position.com[id].write_to_slice(out),
        SensorKind::EPotential => out[0] = data.energy[0],
        SensorKind::EKinetic => out[0] = data.energy[1],
        SensorKind::Clock => out[0] = data.state.time,
        SensorKind::InsideSite => {
            let (Some(object), Some(site)) = frames(model, data, s) else { return };
            let id = model.sensors.reference[s].unwrap_or(0) as usize;
            out[0] =
                is_inside(model.sites.shape[id], model.sites.size[id], site.R.tmul(object.p - site.p)) as i32 as f64;
        }
        kind => {
            let (Some(object), reference) = frames(model, data, s) else { return };
            read_frame(kind, &object, reference.as_ref(), out);
        }
    }
}

fn read_frame(kind: SensorKind, object: &ObjectFrame, reference: Option<&ObjectFrame>, out: &mut [f64]) {
    let to_reference = |v: Vec3| reference.map_or(v, |r| r.R.tmul(v));
    match kind {
        SensorKind::FramePos => to_reference(object.p - reference.map_or(Vec3::ZERO, |r| r.p)).write_to_slice(out),
        SensorKind::FrameQuat => {
            let quat = reference.map_or(object.quat, |r| r.quat.conj() * object.quat);
            out.copy_from_slice(&quat.to_array());
        }
        SensorKind::FrameXAxis => to_reference(object.R.col(0)).write_to_slice(out),
        SensorKind::FrameYAxis => to_reference(object.R.col(1)).write_to_slice(out),
        SensorKind::FrameZAxis => to_reference(object.R.col(2)).write_to_slice(out),
        _ => {}
    }
}

/// Pixel coordinates of a site in a camera's image, from the upper left corner. The principal point
/// is assumed at the centre, as MJCF defines this sensor.
fn project(model: &Model, data: &Data, s: usize) -> [f64; 2] {
    let site = object(model, s);
    let c = model.sensors.reference[s].unwrap_or(0) as usize;
    let cameras = &model.cameras;
    let [width, height] = cameras.resolution[c].map(f64::from);
    let (sensor_size, intrinsic) = (cameras.sensor_size[c], cameras.intrinsic[c]);
    let p = data.position.R_WC[c].tmul(data.position.p_WS[site] - data.position.p_WC[c]);
    let (fx, fy);
    if sensor_size[0] > 0.0 && sensor_size[1] > 0.0 {
        // Single precision, as the parameters are stored.
        fx = f64::from(intrinsic[0] / sensor_size[0] * cameras.resolution[c][0] as f32);
        fy = f64::from(intrinsic[1] / sensor_size[1] * cameras.resolution[c][1] as f32);
    } else {
        fy = 0.5 / real::tan(cameras.fovy[c] * real::PI / 360.0) * height;
        fx = fy;
    }
    // The camera looks along −z.
    let depth = if p.z.abs() < MIN_VAL { if p.z < 0.0 { -MIN_VAL } else { MIN_VAL } } else { p.z };
    [width / 2.0 - fx * p.x / depth, height / 2.0 + fy * p.y / depth]
}

/// Whether a point in the frame of a shape is inside it.
pub fn is_inside(shape: GeomShape, size: [f64; 3], p: Vec3) -> bool {
    match shape {
        GeomShape::Sphere => p.length() < size[0],
        GeomShape::Capsule => {
            let z = p.z.clamp(-size[1], size[1]);
            (p - Vec3::Z * z).length() < size[0]
        }
        GeomShape::Ellipsoid => (p / Vec3::from_array(size)).length() < 1.0,
        GeomShape::Cylinder => p.z.abs() < size[1] && p.truncate().length() < size[0],
        GeomShape::Box => p.x.abs() < size[0] && p.y.abs() < size[1] && p.z.abs() < size[2],
        GeomShape::Plane => p.z < 0.0,
        GeomShape::Hfield | GeomShape::Mesh => false,
    }
}
