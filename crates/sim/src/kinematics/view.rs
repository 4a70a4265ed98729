//! Poses of cameras and lights, by their tracking modes.

use crate::data::{Data, Position};
use crate::ids::BodyId;
use crate::model::{Model, kinds::TrackMode};
use saltus_math::{Mat3, Vec3, normalize};

/// Fills camera and light poses. Needs kinematics and `update_com`.
pub fn update_views(model: &Model, data: &mut Data) {
    let position = &mut data.position;
    let cameras = &model.cameras;
    for c in 0..model.ncamera() {
        let b = cameras.body[c].idx();
        let fixed_pos = position.p_WB[b] + position.R_WB[b] * cameras.pos[c];
        let fixed_mat = (position.quat_WB[b] * cameras.quat[c]).to_mat3();
        let (p, R) = match cameras.mode[c] {
            TrackMode::Fixed => (fixed_pos, fixed_mat),
            TrackMode::Track => (position.p_WB[b] + cameras.pos0[c], cameras.mat0[c]),
            TrackMode::TrackCom => (position.com[b] + cameras.pos_com0[c], cameras.mat0[c]),
            mode => match target(position, mode, cameras.target[c]) {
                Some(point) => (fixed_pos, looking_at(fixed_pos, point)),
                None => (fixed_pos, fixed_mat),
            },
        };
        (position.p_WC[c], position.R_WC[c]) = (p, R);
    }
    let lights = &model.lights;
    for l in 0..model.nlight() {
        let b = lights.body[l].idx();
        let fixed_pos = position.p_WB[b] + position.R_WB[b] * lights.pos[l];
        let fixed_dir = position.R_WB[b] * lights.dir[l];
        let (p, dir) = match lights.mode[l] {
            TrackMode::Fixed => (fixed_pos, fixed_dir),
            TrackMode::Track => (position.p_WB[b] + lights.pos0[l], lights.dir0[l]),
            TrackMode::TrackCom => (position.com[b] + lights.pos_com0[l], lights.dir0[l]),
            mode => match target(position, mode, lights.target[l]) {
                Some(point) => (fixed_pos, point - fixed_pos),
                None => (fixed_pos, fixed_dir),
            },
        };
        (position.light_pos[l], position.light_dir[l]) = (p, normalize(dir).0);
    }
}

fn target(position: &Position, mode: TrackMode, body: Option<BodyId>) -> Option<Vec3> {
    let b = body?.idx();
    Some(if mode == TrackMode::TargetBodyCom { position.com[b] } else { position.p_WB[b] })
}

/// Camera axes with −z toward `point` and x horizontal.
fn looking_at(eye: Vec3, point: Vec3) -> Mat3 {
    let (z, _) = normalize(eye - point);
    let (x, _) = normalize(Vec3::Z.cross(z));
    let (y, _) = normalize(z.cross(x));
    Mat3::from_cols(x, y, z)
}
