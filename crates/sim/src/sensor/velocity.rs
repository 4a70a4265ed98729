//! Sensors of velocity.

use super::{frames, object};
use crate::data::Data;
use crate::kinematics::{Frame, calc_object_velocity, object_frame};
use crate::model::{
    Model,
    kinds::{ObjectKind, SensorKind},
};
use saltus_math::Motion;

pub(super) fn read(model: &Model, data: &Data, s: usize, out: &mut [f64]) {
    let id = object(model, s);
    match model.sensors.kind[s] {
        SensorKind::Velocimeter => site_velocity(model, data, id).lin.write_to_slice(out),
        SensorKind::Gyro => site_velocity(model, data, id).ang.write_to_slice(out),
        SensorKind::JointVel => out[0] = data.state.v[model.joints.dof_start[id] as usize],
        SensorKind::TendonVel => out[0] = data.velocity.tendon_velocity[id],
        SensorKind::ActuatorVel => out[0] = data.velocity.actuator_velocity[id],
        SensorKind::BallAngVel => {
            let d = model.joints.dof_start[id] as usize;
            out.copy_from_slice(&data.state.v[d..d + 3]);
        }
        SensorKind::SubtreeLinVel => data.velocity.com_velocity[id].write_to_slice(out),
        SensorKind::SubtreeAngMom => data.velocity.angular_momentum[id].write_to_slice(out),
        SensorKind::EKinetic => out[0] = data.energy[1],
        SensorKind::FrameLinVel | SensorKind::FrameAngVel => read_frame(model, data, s, out),
        _ => {}
    }
}

fn site_velocity(model: &Model, data: &Data, site: usize) -> Motion {
    object_frame(model, data, ObjectKind::Site, site)
        .map_or(Motion::ZERO, |frame| calc_object_velocity(model, data, &frame, Frame::Local))
}

/// Velocity of a frame in world axes, or relative to a moving reference frame and in its axes.
fn read_frame(model: &Model, data: &Data, s: usize, out: &mut [f64]) {
    let (Some(object), reference) = frames(model, data, s) else { return };
    let mut V = calc_object_velocity(model, data, &object, Frame::World);
    if let Some(reference) = reference {
        let V_ref = calc_object_velocity(model, data, &reference, Frame::World).shifted(object.p - reference.p);
        V -= V_ref;
        V = Motion::new(reference.R.tmul(V.ang), reference.R.tmul(V.lin));
    }
    let value = if model.sensors.kind[s] == SensorKind::FrameLinVel { V.lin } else { V.ang };
    value.write_to_slice(out);
}
