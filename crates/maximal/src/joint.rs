//! The joints between a link and its parent, as axes and as rows.
//!
//! At a point O (the anchor of the last joint) relative velocities that the joints allow are span
//! S, S the motion axes of their dofs. (1) Dual axes D with Dᵀ S = 1 and D in span S: v = Dᵀ V_rel,
//! and D τ is a wrench that does the work of τ. (2) Complement N, orthonormal, Nᵀ S = 0: the
//! bilateral rows Nᵀ V_rel = 0. (3) Error e of a pose: rotation vector and displacement at O from
//! where q puts the link to where it is; Nᵀ e is the rows' error.

use crate::links::Links;
use crate::state::Bodies;
use saltus_math::{Motion, Quat, Vec3, real};
use saltus_sim::model::kinds::JointKind;
use saltus_sim::{Data, Model};

/// Most joints of a body: each has a dof at least.
const MOST: usize = 6;
/// Squared length below which an axis depends on those before it.
const DEPENDENT: f64 = 1e-12;

/// Distance below which two anchors are one, m.
const COINCIDENT: f64 = 1e-14;

/// Joints of one link in the present pose, world axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// O.
    pub origin: Vec3,
    pub anchor: [Vec3; MOST],
    pub axis: [Vec3; MOST],
    /// Dofs, and as many columns of S and D.
    pub dofs: usize,
    pub S: [Motion; 6],
    pub D: [Motion; 6],
    /// Rows, and as many columns of N.
    pub rows: usize,
    pub N: [Motion; 6],
    /// e of (3).
    pub error: Motion,
    /// Whether the axes depend on each other.
    pub dependent: bool,
}

/// A body frame.
#[derive(Clone, Copy, Debug)]
struct Pose {
    p: Vec3,
    quat: Quat,
}

/// Makes `frame` that of the joints of `link` for coordinates q. Needs the parent body's pose in
/// `data.position`.
pub fn update_frame(at: &Place<'_>, link: usize, q: &[f64], frame: &mut Frame) {
    update_motion(at, link, q, frame);
    set_complement(frame);
}

/// Where links are.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub model: &'a Model,
    pub links: &'a Links,
    pub bodies: &'a Bodies,
    pub data: &'a Data,
}

/// All of a frame but its rows.
fn update_motion(at: &Place<'_>, link: usize, q: &[f64], frame: &mut Frame) {
    let (model, links) = (at.model, at.links);
    let actual = actual_pose(links, at.bodies, link);
    (frame.dofs, frame.rows, frame.dependent) = (0, 0, false);
    let joints = links.joints[link].clone();
    if joints.clone().next().is_some_and(|j| model.joints.kind[j] == JointKind::Free) {
        set_free(model, joints.start, actual, frame);
        return;
    }
    let mut pose = start_pose(model, at.data, links.main[link]);
    frame.origin = pose.p;
    for (k, j) in joints.clone().enumerate().take(MOST) {
        let local = model.joints.pos[j];
        frame.axis[k] = pose.quat.rotate(model.joints.axis[j]);
        frame.anchor[k] = pose.p + pose.quat.rotate(local);
        frame.origin = frame.anchor[k];
        pose = moved(model, j, q, pose, frame.axis[k], frame.anchor[k]);
        if model.joints.kind[j] == JointKind::Slide {
            frame.origin = pose.p + pose.quat.rotate(local);
        }
    }
    set_axes(model, joints, actual, frame);
    set_dual(frame);
    let turn = actual.quat * pose.quat.conj();
    let local = pose.quat.conj().rotate(frame.origin - pose.p);
    frame.error = Motion::new(turn.log(), actual.p + actual.quat.rotate(local) - frame.origin);
}

/// Pose of a link's main body.
fn actual_pose(links: &Links, bodies: &Bodies, link: usize) -> Pose {
    let quat = bodies.quat[link];
    Pose { p: bodies.x[link] - quat.rotate(links.com[link]), quat }
}

/// Pose of body `b` before its joints move it.
fn start_pose(model: &Model, data: &Data, b: usize) -> Pose {
    let (x, parent) = (&data.position, model.bodies.parent[b].idx());
    Pose {
        p: x.p_WB[parent] + x.R_WB[parent] * model.bodies.pos[b],
        quat: (x.quat_WB[parent] * model.bodies.quat[b]).renormalized(),
    }
}

/// The pose that joint `j` makes of `pose`.
fn moved(model: &Model, j: usize, q: &[f64], pose: Pose, axis: Vec3, anchor: Vec3) -> Pose {
    let i = model.joints.q_start[j] as usize;
    let turned = |turn: Quat| {
        let quat = (pose.quat * turn).renormalized();
        Pose { p: anchor - quat.rotate(model.joints.pos[j]), quat }
    };
    match model.joints.kind[j] {
        JointKind::Hinge => turned(Quat::from_axis_angle(model.joints.axis[j], q[i] - model.q0[i])),
        JointKind::Ball => turned(Quat::from_slice(&q[i..i + 4]).normalized()),
        JointKind::Slide => Pose { p: pose.p + axis * (q[i] - model.q0[i]), ..pose },
        JointKind::Free => pose,
    }
}

fn set_free(model: &Model, j: usize, actual: Pose, frame: &mut Frame) {
    (frame.origin, frame.dofs, frame.error) = (actual.p, 6, Motion::ZERO);
    frame.anchor[0] = actual.p;
    frame.axis[0] = model.joints.axis[j];
    let R = actual.quat.to_mat3();
    for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        frame.S[k] = Motion::new(Vec3::ZERO, axis);
        frame.S[k + 3] = Motion::new(R.col(k), Vec3::ZERO);
    }
    frame.D = frame.S;
}

fn set_axes(model: &Model, joints: core::ops::Range<usize>, actual: Pose, frame: &mut Frame) {
    for (k, j) in joints.enumerate().take(MOST) {
        let mut r = frame.origin - frame.anchor[k];
        if r.length_squared() < COINCIDENT * COINCIDENT {
            // Axes through one point, but for round-off: their rows have a closed form.
            r = Vec3::ZERO;
        }
        let mut push = |S: Motion| {
            if frame.dofs < 6 {
                frame.S[frame.dofs] = S;
                frame.dofs += 1;
            }
        };
        match model.joints.kind[j] {
            JointKind::Hinge => push(Motion::new(frame.axis[k], frame.axis[k].cross(r))),
            JointKind::Slide => push(Motion::new(Vec3::ZERO, frame.axis[k])),
            JointKind::Ball => {
                let R = actual.quat.to_mat3();
                (0..3).for_each(|i| push(Motion::new(R.col(i), R.col(i).cross(r))));
            }
            JointKind::Free => {}
        }
    }
}

fn dot(a: Motion, b: Motion) -> f64 {
    a.ang.dot(b.ang) + a.lin.dot(b.lin)
}

/// D = S (Sᵀ S)⁻¹ by elimination (1). Columns that depend on others get no dual axis.
fn set_dual(frame: &mut Frame) {
    let n = frame.dofs;
    if n == 1 {
        frame.D[0] = frame.S[0] * (1.0 / dot(frame.S[0], frame.S[0]));
        return;
    }
    // [G | D] with G = Sᵀ S and D = S to begin with: Gauss–Jordan turns G into 1.
    let mut G = [[0.0; 6]; 6];
    for i in 0..n {
        for j in 0..n {
            G[i][j] = dot(frame.S[i], frame.S[j]);
        }
    }
    frame.D = frame.S;
    for i in 0..n {
        let pivot = G[i][i];
        if pivot <= DEPENDENT {
            frame.dependent = true;
            frame.D[i] = Motion::ZERO;
            continue;
        }
        let scale = 1.0 / pivot;
        G[i].iter_mut().for_each(|g| *g *= scale);
        frame.D[i] = frame.D[i] * scale;
        for r in (0..n).filter(|&r| r != i) {
            let s = G[r][i];
            for c in 0..n {
                G[r][c] -= s * G[i][c];
            }
            frame.D[r] -= frame.D[i] * s;
        }
    }
}

/// N (2), in closed form for single joints.
fn set_complement(frame: &mut Frame) {
    let turns = |k: usize| frame.S[k].lin == Vec3::ZERO;
    let units = [Vec3::X, Vec3::Y, Vec3::Z];
    let ang = |a: Vec3| Motion::new(a, Vec3::ZERO);
    let lin = |a: Vec3| Motion::new(Vec3::ZERO, a);
    let mut push = |N: Motion| {
        frame.N[frame.rows] = N;
        frame.rows += 1;
    };
    match frame.dofs {
        // Free.
        6 => {}
        0 => units.iter().for_each(|u| {
            push(ang(*u));
            push(lin(*u));
        }),
        1 if turns(0) => {
            across(frame.S[0].ang).into_iter().for_each(|t| push(ang(t)));
            units.iter().for_each(|u| push(lin(*u)));
        }
        1 if frame.S[0].ang == Vec3::ZERO => {
            units.iter().for_each(|u| push(ang(*u)));
            across(frame.S[0].lin).into_iter().for_each(|t| push(lin(t)));
        }
        2 if (0..2).all(turns) && !frame.dependent => {
            push(ang(frame.S[0].ang.cross(frame.S[1].ang).normalize()));
            units.iter().for_each(|u| push(lin(*u)));
        }
        3 if (0..3).all(turns) && !frame.dependent => units.iter().for_each(|u| push(lin(*u))),
        _ => complete(frame),
    }
}

/// Two directions at right angles to a unit vector and to each other.
fn across(axis: Vec3) -> [Vec3; 2] {
    let other = if axis.x.abs() < 0.5 { Vec3::X } else { Vec3::Y };
    let first = axis.cross(other).normalize();
    [first, axis.cross(first)]
}

/// N by Gram–Schmidt: what is left of unit motions after the axes and the rows so far are taken
/// off.
fn complete(frame: &mut Frame) {
    let mut basis = [Motion::ZERO; 6];
    let mut n = 0;
    let residual = |m: Motion, basis: &[Motion]| {
        // Twice is enough.
        let once = basis.iter().fold(m, |m, b| m - *b * dot(m, *b));
        basis.iter().fold(once, |m, b| m - *b * dot(m, *b))
    };
    for k in 0..frame.dofs {
        let rest = residual(frame.S[k], &basis[..n]);
        let size = dot(rest, rest);
        if size > DEPENDENT {
            basis[n] = rest * (1.0 / size.sqrt());
            n += 1;
        }
    }
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    while n < 6 {
        let units =
            axes.iter().map(|a| Motion::new(*a, Vec3::ZERO)).chain(axes.iter().map(|a| Motion::new(Vec3::ZERO, *a)));
        let mut best = (Motion::ZERO, 0.0);
        for unit in units {
            let rest = residual(unit, &basis[..n]);
            let size = dot(rest, rest);
            if size > best.1 {
                best = (rest, size);
            }
        }
        basis[n] = best.0 * (1.0 / best.1.sqrt());
        frame.N[frame.rows] = basis[n];
        frame.rows += 1;
        n += 1;
    }
}

/// Coordinates of the joints of `link` that come nearest to its pose; `q` holds those of the last
/// step, to which angles and signs are continued. Needs the parent body's pose in `data.position`.
pub fn find_coordinates(at: &Place<'_>, link: usize, q: &mut [f64]) {
    let (model, links, data) = (at.model, at.links, at.data);
    let joints = links.joints[link].clone();
    let actual = actual_pose(links, at.bodies, link);
    if joints.len() == 1 {
        let j = joints.start;
        let i = model.joints.q_start[j] as usize;
        let start = start_pose(model, data, links.main[link]);
        let turn = start.quat.conj() * actual.quat;
        match model.joints.kind[j] {
            JointKind::Free => {
                actual.p.write_to_slice(&mut q[i..i + 3]);
                write_quat(actual.quat, &mut q[i + 3..i + 7]);
            }
            JointKind::Ball => write_quat(turn, &mut q[i..i + 4]),
            JointKind::Hinge => {
                let angle = 2.0 * real::atan2(turn.vec().dot(model.joints.axis[j]), turn.w);
                q[i] = continued(angle + model.q0[i], q[i]);
            }
            JointKind::Slide => {
                let local = model.joints.pos[j];
                let way = actual.p + actual.quat.rotate(local) - start.p - start.quat.rotate(local);
                q[i] = model.q0[i] + way.dot(start.quat.rotate(model.joints.axis[j]));
            }
        }
        return;
    }
    // Gauss–Newton on the pose error: exact where the error can vanish.
    let mut frame = Frame::default();
    for _ in 0..8 {
        update_motion(at, link, q, &mut frame);
        let mut change = [0.0; 6];
        (0..frame.dofs).for_each(|k| change[k] = dot(frame.D[k], frame.error));
        shift(model, joints.clone(), &change, q);
        if change.iter().all(|c| c.abs() < 1e-14) {
            break;
        }
    }
}

/// q ← q ⊕ change for the joints of one body.
fn shift(model: &Model, joints: core::ops::Range<usize>, change: &[f64; 6], q: &mut [f64]) {
    let mut d = 0;
    for j in joints {
        let i = model.joints.q_start[j] as usize;
        if model.joints.kind[j] == JointKind::Ball {
            let turn = Vec3::from_slice(&change[d..d + 3]);
            write_quat(Quat::from_slice(&q[i..i + 4]).normalized().integrate(turn, 1.0), &mut q[i..i + 4]);
        } else {
            q[i] += change[d];
        }
        d += model.joints.kind[j].nv();
    }
}

/// The quaternion or its negative, whichever is nearer to what is there.
fn write_quat(quat: Quat, out: &mut [f64]) {
    let new = quat.normalized().to_array();
    let sign = if new.iter().zip(out.iter()).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
    out.iter_mut().zip(new).for_each(|(o, n)| *o = sign * n);
}

/// The angle plus whole turns, nearest to `last`.
fn continued(angle: f64, last: f64) -> f64 {
    let turns = ((last - angle) / (2.0 * real::PI)).round();
    angle + 2.0 * real::PI * turns
}
