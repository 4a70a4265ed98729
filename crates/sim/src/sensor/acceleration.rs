//! Sensors of acceleration and force.

use super::{contact, frames, object};
use crate::data::Data;
use crate::kinematics::{Frame, calc_object_acceleration, object_frame};
use crate::model::Model;
use crate::model::kinds::{ObjectKind, SensorKind};
use saltus_math::{Force, Motion};

pub(super) fn read(model: &Model, data: &Data, s: usize, out: &mut [f64]) {
    let id = object(model, s);
    match model.sensors.kind[s] {
        SensorKind::Accelerometer => {
            let site = object_frame(model, data, ObjectKind::Site, id);
            let A = site.map_or(Motion::ZERO, |f| calc_object_acceleration(model, data, &f, Frame::Local));
            A.lin.write_to_slice(out);
        }
        SensorKind::Force => site_wrench(model, data, id).lin.write_to_slice(out),
        SensorKind::Torque => site_wrench(model, data, id).ang.write_to_slice(out),
        SensorKind::ActuatorFrc => out[0] = data.acceleration.actuator_force[id],
        SensorKind::JointActFrc => out[0] = data.acceleration.tau_actuator[model.joints.dof_start[id] as usize],
        SensorKind::TendonActFrc => {
            out[0] = model.actuators.on_tendon(id).map(|a| data.acceleration.actuator_force[a]).sum();
        }
        kind @ (SensorKind::FrameLinAcc | SensorKind::FrameAngAcc) => {
            let (Some(object), _) = frames(model, data, s) else { return };
            let A = calc_object_acceleration(model, data, &object, Frame::World);
            let value = if kind == SensorKind::FrameLinAcc { A.lin } else { A.ang };
            value.write_to_slice(out);
        }
        SensorKind::Touch => out[0] = contact::touch(model, data, id),
        SensorKind::User => {}
        _ => out.fill(0.0),
    }
}

/// Force and torque that the parent exerts on the site's body, at the site and in the site's axes.
fn site_wrench(model: &Model, data: &Data, site: usize) -> Force {
    let b = model.sites.body[site].idx();
    let (p, R) = (data.position.p_WS[site], &data.position.R_WS[site]);
    let F = data.acceleration.F_int[b].shifted(p - data.position.com[model.bodies.root[b].idx()]);
    Force::new(R.tmul(F.ang), R.tmul(F.lin))
}
