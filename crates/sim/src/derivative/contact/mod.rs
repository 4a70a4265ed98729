//! Contacts as wrenches that depend on the motion of two bodies.
//!
//! In contact axes, at the contact point, the wrench w = (f, m) on the second body changes by
//!   ∂w = ∂f (`response`) + (φ × f, φ × m + ∂p × f),
//! and the relative motion c(y) = F (Y₂ − Y₁) at the point, for y = a and v, by
//!   ∂c_lin = −φ × c_lin + c_ang × ∂p + F (∂Y₂ − ∂Y₁)_lin,
//!   ∂c_ang = −φ × c_ang + F (∂Y₂ − ∂Y₁)_ang,
//! with ∂p, φ and ∂dist of `geometry`. Derivatives with respect to a body's Y are in `terms` and
//! `chain`.

pub(super) mod bend;
mod convex;
mod feature;
mod force;
mod friction;
mod geometry;
mod local;
mod moved;
mod shapes;
pub(super) mod softness;
mod terrain;

pub(super) use moved::{Perturbation, contacts_of, each_wrench_change, row_change};

use super::chain::At;
use super::response::{Answers, Contact as Response};
use super::terms::{Slope, Terms};
use super::{Inexact, Report};
use crate::data::{Contact, Data, RowKind};
use crate::model::Model;
use crate::options::Disable;
use feature::Features;
pub(super) use force::Forces;
pub(super) use geometry::Changes;
use geometry::{Change, unit};
use saltus_math::{Mat6, Motion, Vec3};

/// Adds all contacts that exert force. `memory` receives the derivatives of their geometry, which
/// are used again for the barriers of the same contacts.
pub(super) fn add(
    at: At<'_>,
    answers: &Answers<'_>,
    memory: &mut Vec<Changes>,
    terms: &mut Terms,
    report: &mut Report,
) {
    let At { model, data, .. } = at;
    let rows = &data.constraints;
    let first = rows.blocks.partition_point(|b| (b.kind as i32) < RowKind::ContactFrictionless as i32);
    let disable = model.options.disable;
    // Adhesion counts as a passive force.
    let passive = !(answers.is_barrier() || disable.has(Disable::SPRING) && disable.has(Disable::DAMPER));
    let blocks = &rows.blocks[first..];
    let known = answers.is_barrier() && memory.len() == blocks.len();
    if !known {
        memory.clear();
    }
    for (k, block) in blocks.iter().enumerate() {
        let contact = &data.contacts[block.id as usize];
        let mut response = answers.contact(block);
        let pulled = passive && contact.adhesion > 0.0;
        if response.is_idle() && !pulled {
            continue;
        }
        if pulled {
            response.force[0] -= contact.adhesion;
        }
        if !known {
            let features = Features::of(model, data, contact);
            if !features.exact {
                report.add(Inexact::Contact(block.id as usize));
            }
            memory.push(Changes::default());
            if let Some(changes) = memory.last_mut() {
                geometry::write_changes(&features, contact.dist, moves(model, contact), changes);
            }
        }
        if let Some(changes) = if known { memory.get(k) } else { memory.last() } {
            add_contact(at, contact, changes, &response, terms);
        }
    }
}

/// Adds a force that pulls the two bodies of a contact together along its normal.
pub(super) fn add_pull(at: At<'_>, k: usize, pull: f64, terms: &mut Terms, report: &mut Report) {
    let At { model, data, .. } = at;
    let contact = &data.contacts[k];
    let features = Features::of(model, data, contact);
    if !features.exact {
        report.add(Inexact::Contact(k));
    }
    let mut response = Response::new(1);
    response.force[0] = -pull;
    let mut changes = Changes::default();
    geometry::write_changes(&features, contact.dist, moves(model, contact), &mut changes);
    add_contact(at, contact, &changes, &response, terms);
}

/// Which of a contact's bodies move.
fn moves(model: &Model, contact: &Contact) -> [bool; 2] {
    [contact.geom1, contact.geom2].map(|geom| model.bodies.tree[model.geoms.body[geom.idx()].idx()].is_some())
}

/// A side of a contact.
#[derive(Clone, Copy)]
struct Body {
    id: usize,
    moves: bool,
    sign: f64,
    /// From the origin of the body's c-frame to the contact point.
    r: Vec3,
    /// V and Y of the body, and the motion of its surface, in contact axes at the contact point.
    V: Motion,
    Y: Motion,
    surface: Motion,
}

/// Adds one contact.
fn add_contact(at: At<'_>, contact: &Contact, changes: &Changes, response: &Response, terms: &mut Terms) {
    let bodies = [0, 1].map(|k| Body::of(at, contact, k));
    let [one, two] = &bodies;
    let relative = Relative { a: two.Y - one.Y, v: two.V - one.V, surface: two.surface - one.surface };
    let frame = &contact.frame;
    let damping = response.damping();
    for by in bodies.iter().filter(|b| b.moves) {
        let k = usize::from(by.sign > 0.0);
        let mut K = [[0.0; 6]; 6];
        for axis in 0..6 {
            let twist = unit(axis);
            let column = wrench_change(response, &relative, by, &changes[k][axis], twist);
            for (row, value) in K.iter_mut().zip(column) {
                row[axis] = value;
            }
        }
        for on in bodies.iter().filter(|b| b.moves) {
            let (sign, rotational) = (-on.sign * by.sign, response.dim > 3);
            let H = local::to_bodies(&response.H, frame, on.r, by.r, sign, rotational);
            let B = match &damping {
                None => scaled(&H, response.b[0]),
                Some(B) => local::to_bodies(B, frame, on.r, by.r, sign, rotational),
            };
            let Y = if response.sees_acceleration { H } else { Mat6::ZERO };
            let K = local::to_bodies(&K, frame, on.r, by.r, on.sign, true);
            terms.add_slope(on.id, by.id, &Slope { K, B, Y });
        }
    }
    for on in bodies.iter().filter(|b| b.moves) {
        terms.add_wrench(on.id, local::wrench(&response.force, frame, on.r, on.sign));
    }
}

fn scaled(m: &Mat6, s: f64) -> Mat6 {
    Mat6(m.0.map(|row| row.map(|x| s * x)))
}

/// Relative motions of the two bodies in contact axes.
struct Relative {
    a: Motion,
    v: Motion,
    surface: Motion,
}

/// Derivative of the components of a relative motion: due to the point, the frame, and the rotation
/// of the body's own field Y by `twist`.
fn motion_change(relative: Motion, own: Motion, sign: f64, change: &Change, twist: Motion) -> [f64; 6] {
    let carried = twist.cross_motion(own) * sign;
    let lin = relative.ang.cross(change.point) - change.turn.cross(relative.lin) + carried.lin;
    let ang = carried.ang - change.turn.cross(relative.ang);
    [lin.x, lin.y, lin.z, ang.x, ang.y, ang.z]
}

fn wrench_change(r: &Response, relative: &Relative, body: &Body, change: &Change, twist: Motion) -> [f64; 6] {
    let mut z =
        if r.sees_acceleration { motion_change(relative.a, body.Y, body.sign, change, twist) } else { [0.0; 6] };
    let mut v = motion_change(relative.v, body.V, body.sign, change, twist);
    if relative.surface != Motion::ZERO {
        let surface = motion_change(relative.surface, body.surface, body.sign, change, twist);
        // Surface velocities slide and spin.
        (1..4).for_each(|i| v[i] += surface[i]);
    }
    for i in 0..6 {
        z[i] += r.b[i] * v[i];
        z[0] += r.s[i] * v[i];
    }
    let mut w = r.shared.map(|x| x * change.dist);
    for i in 0..r.dim {
        let row = &r.H[i];
        w[i] += r.e[i] * change.dist - (0..r.dim).map(|j| row[j] * z[j]).sum::<f64>();
    }
    let (f, m) = (Vec3::from_slice(&r.force), Vec3::from_slice(&r.force[3..]));
    let (force, moment) = (change.turn.cross(f), change.turn.cross(m) + change.point.cross(f));
    for i in 0..3 {
        w[i] += force[i];
        w[3 + i] += moment[i];
    }
    w
}

impl Body {
    fn of(At { model, data, chain }: At<'_>, contact: &Contact, k: usize) -> Self {
        let geom = [contact.geom1, contact.geom2][k].idx();
        let id = model.geoms.body[geom].idx();
        let r = contact.pos - data.position.com[model.bodies.root[id].idx()];
        let frame = &contact.frame;
        let local = |m: Motion| {
            let m = m.shifted(r);
            Motion::new(*frame * m.ang, *frame * m.lin)
        };
        Self {
            id,
            moves: model.bodies.tree[id].is_some(),
            sign: if k == 0 { -1.0 } else { 1.0 },
            r,
            V: local(chain.V[id]),
            Y: local(chain.Y[id]),
            surface: surface(model, data, contact, geom),
        }
    }
}

/// Motion of a geom's surface relative to the geom, in contact axes at the contact point.
fn surface(model: &Model, data: &Data, contact: &Contact, geom: usize) -> Motion {
    let field = &model.geoms.surface_velocity[geom];
    if *field == [0.0; 6] {
        return Motion::ZERO;
    }
    let R = data.position.R_WG[geom];
    let motion = Motion::new(R * Vec3::from_slice(&field[3..]), R * Vec3::from_slice(field));
    let motion = motion.shifted(contact.pos - data.position.p_WG[geom]);
    Motion::new(contact.frame * motion.ang, contact.frame * motion.lin)
}
