//! Forward kinematics: poses of bodies, inertial frames, joints, geoms and sites from q. O(n).

use crate::data::{Data, Position};
use crate::joint::{Pose, ball, free, hinge, slide};
use crate::model::Model;
use crate::model::kinds::{JointKind, SameFrame};
use saltus_math::{Mat3, Quat, Vec3};

/// Fills the poses of `data.position` from `data.state.q` and the mocap poses.
pub fn update_kinematics(model: &Model, data: &mut Data) {
    update_bodies(model, data);
    let x = &mut data.position;
    let bodies = Poses { p: &x.p_WB, quat: &x.quat_WB, R: &x.R_WB };
    for b in 1..model.nbody() {
        let same_frame = model.bodies.same_frame[b];
        let local =
            Fixed { body: b, same_frame, pos: model.bodies.inertial_pos[b], quat: model.bodies.inertial_quat[b] };
        let out = PoseMut { p: &mut x.p_WI[b], quat: &mut x.quat_WI[b], R: &mut x.R_WI[b] };
        attach(&bodies, None, local, out);
    }
    let inertias = Poses { p: &x.p_WI, quat: &x.quat_WI, R: &x.R_WI };
    let geoms = &model.geoms;
    for g in 0..model.ngeom() {
        let (body, same_frame) = (geoms.body[g].idx(), geoms.same_frame[g]);
        let local = Fixed { body, same_frame, pos: geoms.pos[g], quat: geoms.quat[g] };
        let out = PoseMut { p: &mut x.p_WG[g], quat: &mut x.quat_WG[g], R: &mut x.R_WG[g] };
        attach(&bodies, Some(&inertias), local, out);
    }
    let sites = &model.sites;
    for s in 0..model.nsite() {
        let (body, same_frame) = (sites.body[s].idx(), sites.same_frame[s]);
        let local = Fixed { body, same_frame, pos: sites.pos[s], quat: sites.quat[s] };
        let out = PoseMut { p: &mut x.p_WS[s], quat: &mut x.quat_WS[s], R: &mut x.R_WS[s] };
        attach(&bodies, Some(&inertias), local, out);
    }
}

/// Frames of all bodies.
struct Poses<'a> {
    p: &'a [Vec3],
    quat: &'a [Quat],
    R: &'a [Mat3],
}

/// A frame fixed in a body, by its pose relative to the body.
struct Fixed {
    body: usize,
    same_frame: SameFrame,
    pos: Vec3,
    quat: Quat,
}

/// Destination of a pose.
struct PoseMut<'a> {
    p: &'a mut Vec3,
    quat: &'a mut Quat,
    R: &'a mut Mat3,
}

/// World pose of a frame that is fixed in a body. Written directly to its destination: a pose
/// returned by value goes through memory and costs a store-forwarding stall per frame.
#[inline(always)]
fn attach(bodies: &Poses<'_>, inertias: Option<&Poses<'_>>, frame: Fixed, out: PoseMut<'_>) {
    let Fixed { body: b, same_frame, pos, quat } = frame;
    let own = inertias.filter(|_| matches!(same_frame, SameFrame::Inertia | SameFrame::InertiaRotation));
    let turned_like = own.unwrap_or(bodies);
    match same_frame {
        SameFrame::Body | SameFrame::Inertia => *out.p = turned_like.p[b],
        _ => *out.p = bodies.p[b] + bodies.R[b] * pos,
    }
    if same_frame == SameFrame::Own {
        let quat = bodies.quat[b] * quat;
        *out.quat = quat;
        *out.R = quat.to_mat3();
    } else {
        *out.quat = turned_like.quat[b];
        *out.R = turned_like.R[b];
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
                Some(m) => (state.mocap_pos[m as usize], state.mocap_quat[m as usize].renormalized()),
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
        position.quat_WB[b] = pose.quat.renormalized();
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
        // Free joints occur only as the first joint of a body and are handled by the caller.
        JointKind::Free => pose,
    }
}
