//! Forward kinematics: poses of bodies, inertial frames, joints, geoms and sites from q. O(n).

use crate::data::{Data, Position};
use crate::joint::{Pose, ball, free, hinge, slide};
use crate::model::{Model, kinds::JointKind};
use saltus_math::{Mat3, Quat, Vec3};

/// Values of `same_frame` in the tables.
const SAME_BODY: u8 = 1;
const SAME_INERTIA: u8 = 2;
const SAME_BODY_ROTATION: u8 = 3;
const SAME_INERTIA_ROTATION: u8 = 4;

/// Fills the poses of `data.position` from `data.state.q` and the mocap poses.
pub fn update_kinematics(model: &Model, data: &mut Data) {
    update_bodies(model, data);
    let position = &mut data.position;
    for b in 1..model.nbody() {
        let frame = (model.bodies.inertial_pos[b], model.bodies.inertial_quat[b]);
        let (p, quat, R) = attached(position, b, model.bodies.same_frame[b], frame);
        (position.p_WI[b], position.quat_WI[b], position.R_WI[b]) = (p, quat, R);
    }
    let geoms = &model.geoms;
    for g in 0..model.ngeom() {
        let frame = (geoms.pos[g], geoms.quat[g]);
        let (p, quat, R) = attached(position, geoms.body[g].idx(), geoms.same_frame[g], frame);
        (position.p_WG[g], position.quat_WG[g], position.R_WG[g]) = (p, quat, R);
    }
    let sites = &model.sites;
    for s in 0..model.nsite() {
        let frame = (sites.pos[s], sites.quat[s]);
        let (p, quat, R) = attached(position, sites.body[s].idx(), sites.same_frame[s], frame);
        (position.p_WS[s], position.quat_WS[s], position.R_WS[s]) = (p, quat, R);
    }
}

/// World pose of a frame fixed in body `b`.
#[inline]
fn attached(position: &Position, b: usize, same_frame: u8, (pos, quat): (Vec3, Quat)) -> (Vec3, Quat, Mat3) {
    let x = position;
    match same_frame {
        SAME_BODY => (x.p_WB[b], x.quat_WB[b], x.R_WB[b]),
        SAME_INERTIA => (x.p_WI[b], x.quat_WI[b], x.R_WI[b]),
        SAME_BODY_ROTATION => (x.p_WB[b] + x.R_WB[b] * pos, x.quat_WB[b], x.R_WB[b]),
        SAME_INERTIA_ROTATION => (x.p_WB[b] + x.R_WB[b] * pos, x.quat_WI[b], x.R_WI[b]),
        _ => {
            let quat = x.quat_WB[b] * quat;
            (x.p_WB[b] + x.R_WB[b] * pos, quat, quat.to_mat3())
        }
    }
}

/// Body frames, joint anchors and axes, from the root outward.
fn update_bodies(model: &Model, data: &mut Data) {
    let (bodies, state, position) = (&model.bodies, &data.state, &mut data.position);
    for b in 1..model.nbody() {
        let parent = bodies.parent[b].idx();
        let span = bodies.joints[b].range();
        let first = span.start;
        let pose = if !span.is_empty() && model.joints.kind[first] == JointKind::Free {
            let pose = free::pose(&state.q[model.joints.q_start[first] as usize..]);
            position.p_WJ[first] = pose.p;
            position.axis_W[first] = model.joints.axis[first];
            pose
        } else {
            let (pos, quat) = match bodies.mocap[b] {
                Some(m) => (state.mocap_pos[m as usize], state.mocap_quat[m as usize].normalized()),
                None => (bodies.pos[b], bodies.quat[b]),
            };
            let mut pose =
                Pose { p: position.p_WB[parent] + position.R_WB[parent] * pos, quat: position.quat_WB[parent] * quat };
            for j in span {
                pose = moved_by_joint(model, &state.q, position, j, pose);
            }
            pose
        };
        position.p_WB[b] = pose.p;
        position.quat_WB[b] = pose.quat.normalized();
        position.R_WB[b] = position.quat_WB[b].to_mat3();
    }
}

/// Applies joint `j` to the frame and records its anchor and axis.
#[inline]
fn moved_by_joint(model: &Model, q: &[f64], position: &mut Position, j: usize, pose: Pose) -> Pose {
    let joints = &model.joints;
    let local = joints.pos[j];
    let axis_W = pose.quat.rotate(joints.axis[j]);
    let anchor = if local == Vec3::ZERO { pose.p } else { pose.p + pose.quat.rotate(local) };
    position.p_WJ[j] = anchor;
    position.axis_W[j] = axis_W;
    let i = joints.q_start[j] as usize;
    match joints.kind[j] {
        JointKind::Hinge => hinge::moved(pose, q[i] - model.q0[i], joints.axis[j], local, anchor),
        JointKind::Slide => slide::moved(pose, q[i] - model.q0[i], axis_W),
        JointKind::Ball => ball::moved(pose, &q[i..i + 4], local, anchor),
        // Only as the first joint of a body, handled by the caller.
        JointKind::Free => pose,
    }
}
