//! Poses of links into sim's tables, so that collision detection, transmissions and sensors see the
//! bodies where they are, joint errors included.

use crate::joint::Frame;
use crate::links::Links;
use crate::state::Bodies;
use saltus_sim::{Data, Model};

/// Fills the poses of bodies, inertial frames, geoms and sites of `data.position`. Those of what
/// cannot move are left as they are.
pub fn write_poses(model: &Model, links: &Links, bodies: &Bodies, data: &mut Data) {
    let x = &mut data.position;
    for b in 1..model.nbody() {
        let link = links.of_body[b];
        if link == 0 {
            continue;
        }
        if links.main[link] == b {
            x.quat_WB[b] = bodies.quat[link];
            x.R_WB[b] = x.quat_WB[b].to_mat3();
            x.p_WB[b] = bodies.x[link] - x.R_WB[b] * links.com[link];
        } else {
            let parent = model.bodies.parent[b].idx();
            x.p_WB[b] = x.p_WB[parent] + x.R_WB[parent] * model.bodies.pos[b];
            x.quat_WB[b] = (x.quat_WB[parent] * model.bodies.quat[b]).renormalized();
            x.R_WB[b] = x.quat_WB[b].to_mat3();
        }
        x.p_WI[b] = x.p_WB[b] + x.R_WB[b] * model.bodies.inertial_pos[b];
        x.quat_WI[b] = x.quat_WB[b] * model.bodies.inertial_quat[b];
        x.R_WI[b] = x.quat_WI[b].to_mat3();
        for g in model.bodies.geoms[b].range() {
            x.p_WG[g] = x.p_WB[b] + x.R_WB[b] * model.geoms.pos[g];
            x.quat_WG[g] = x.quat_WB[b] * model.geoms.quat[g];
            x.R_WG[g] = x.quat_WG[g].to_mat3();
        }
        for s in model.bodies.sites[b].range() {
            x.p_WS[s] = x.p_WB[b] + x.R_WB[b] * model.sites.pos[s];
            x.quat_WS[s] = x.quat_WB[b] * model.sites.quat[s];
            x.R_WS[s] = x.quat_WS[s].to_mat3();
        }
    }
}

/// Fills joint anchors and axes of `data.position`.
pub fn write_joints(links: &Links, frames: &[Frame], data: &mut Data) {
    for link in 1..links.len() {
        for (k, j) in links.joints[link].clone().enumerate() {
            data.position.p_WJ[j] = frames[link].anchor[k];
            data.position.axis_W[j] = frames[link].axis[k];
        }
    }
}
