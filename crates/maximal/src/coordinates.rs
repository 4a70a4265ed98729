//! Between generalized and maximal coordinates.

use crate::joint::{self, Frame, Place};
use crate::links::Links;
use crate::pose;
use crate::report::JointError;
use crate::six::Six;
use crate::state::Bodies;
use saltus_math::{Motion, Vec3};
use saltus_sim::kinematics::{update_body_velocity, update_com, update_kinematics};
use saltus_sim::{Data, Model};

/// Links from the q and v of `data`, exactly.
pub fn import(model: &Model, links: &Links, bodies: &mut Bodies, data: &mut Data, roots: &[usize]) {
    update_kinematics(model, data);
    update_com(model, data);
    update_body_velocity(model, data);
    bodies.import(links, data, roots);
}

/// q and v of `data` from the links, and the poses of everything that moves.
pub fn export(model: &Model, links: &Links, bodies: &Bodies, frames: &mut [Frame], data: &mut Data) -> JointError {
    pose::write_poses(model, links, bodies, data);
    let mut q = core::mem::take(&mut data.state.q);
    for link in 1..links.len() {
        joint::find_coordinates(&Place { model, links, bodies, data }, link, &mut q);
    }
    let error = update_frames(&Place { model, links, bodies, data }, &q, frames);
    data.state.q = q;
    calc_velocities(links, bodies, &bodies.V, frames, &mut data.state.v);
    error
}

/// Joint frames of all links in the present pose; how far joints are apart.
pub fn update_frames(at: &Place<'_>, q: &[f64], frames: &mut [Frame]) -> JointError {
    let mut error = JointError::default();
    for link in 1..at.links.len() {
        joint::update_frame(at, link, q, &mut frames[link]);
        let frame = &frames[link];
        let [mut turn, mut way] = [Vec3::ZERO; 2];
        for N in &frame.N[..frame.rows] {
            let e = N.ang.dot(frame.error.ang) + N.lin.dot(frame.error.lin);
            turn += N.ang * e;
            way += N.lin * e;
        }
        error.angle = error.angle.max(turn.length());
        error.distance = error.distance.max(way.length());
    }
    error
}

/// Generalized velocities of the links' velocities V.
pub fn calc_velocities(links: &Links, bodies: &Bodies, V: &[Six], frames: &[Frame], v: &mut [f64]) {
    for link in 1..links.len() {
        let relative = relative_velocity(links, bodies, V, &frames[link], link);
        for (k, i) in links.dofs[link].clone().enumerate() {
            let D = frames[link].D[k];
            v[i] = D.ang.dot(relative.ang) + D.lin.dot(relative.lin);
        }
    }
}

/// Velocity of a link relative to its parent at the joints' origin.
fn relative_velocity(links: &Links, bodies: &Bodies, V: &[Six], frame: &Frame, link: usize) -> Motion {
    let at = |l: usize| {
        let V = &V[l];
        Motion::new(V.ang(), V.lin() + V.ang().cross(frame.origin - bodies.x[l]))
    };
    match links.parent[link] {
        0 => at(link),
        parent => at(link) - at(parent),
    }
}
