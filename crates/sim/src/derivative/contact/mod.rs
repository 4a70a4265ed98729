//! Contacts as wrenches that depend on the motion of two bodies.
//!
//! In contact axes, at the contact point, the wrench w = (f, m) on the second body changes by
//!   ∂w = ∂f (`law`) + (φ × f, φ × m + ∂p × f),
//! and the relative motion c(y) = F (Y₂ − Y₁) at the point, for y = a and v, by
//!   ∂c_lin = −φ × c_lin + c_ang × ∂p + F (∂Y₂ − ∂Y₁)_lin,   ∂c_ang = −φ × c_ang + F (∂Y₂ − ∂Y₁)_ang,
//! with ∂p, φ and ∂dist of `geometry`. What a body's Y does is in `terms` and `chain`.

mod feature;
mod geometry;
mod law;

use super::chain::Chain;
use super::terms::{Slope, Terms, product, transposed_product};
use super::{Inexact, Report};
use crate::data::{Contact, Data, RowKind};
use crate::model::Model;
use crate::options::Disable;
use feature::Features;
use geometry::Change;
use law::Response;
use saltus_math::{Force, Mat3, Mat6, Motion, Vec3};

/// Adds all contacts that make force at the rows' `x` = J a − a_ref.
pub(super) fn add(model: &Model, data: &Data, chain: &Chain, x: &[f64], terms: &mut Terms, report: &mut Report) {
    let rows = &data.constraints;
    let first = rows.blocks.partition_point(|b| (b.kind as i32) < RowKind::ContactFrictionless as i32);
    let disable = model.options.disable;
    // The pull of adhesion counts as a passive force.
    let passive = !(disable.has(Disable::SPRING) && disable.has(Disable::DAMPER));
    for block in &rows.blocks[first..] {
        let contact = &data.contacts[block.id as usize];
        let mut response = Response::of(rows, contact, block, x);
        let pulled = passive && contact.adhesion > 0.0;
        if response.force == [0.0; 6] && !pulled {
            continue;
        }
        if pulled {
            response.force[0] -= contact.adhesion;
        }
        let features = Features::of(model, data, contact);
        if !features.exact {
            report.add(Inexact::Contact(block.id as usize));
        }
        Wrench::new(model, data, chain, contact, &features, &response).add_to(terms);
    }
}

/// A side of a contact: its body, whether it moves, and the map from motions of the body to contact axes.
struct Body {
    id: usize,
    moves: bool,
    sign: f64,
    to_contact: [[f64; 6]; 6],
    /// V and Y of the body, and the motion of its surface, in contact axes at the contact point.
    V: Motion,
    Y: Motion,
    surface: Motion,
}

struct Wrench {
    bodies: [Body; 2],
    force: [f64; 6],
    /// Maps of (twist, V, Y) of each body to the wrench on the second, without the sign of the body in V and Y.
    K: [[[f64; 6]; 6]; 2],
    B: [[f64; 6]; 6],
    Y: [[f64; 6]; 6],
}

impl Wrench {
    fn new(
        model: &Model,
        data: &Data,
        chain: &Chain,
        contact: &Contact,
        features: &Features,
        response: &Response,
    ) -> Self {
        let bodies = [0, 1].map(|k| Body::of(model, data, chain, contact, k));
        let mut out = Self {
            force: response.force,
            K: [[[0.0; 6]; 6]; 2],
            B: core::array::from_fn(|i| core::array::from_fn(|j| -response.H[i][j] * response.b[j])),
            Y: response.H.map(|row| row.map(|h| -h)),
            bodies,
        };
        let [one, two] = &out.bodies;
        let relative = Relative { a: two.Y - one.Y, v: two.V - one.V, surface: two.surface - one.surface };
        for k in 0..2 {
            if out.bodies[k].moves {
                for axis in 0..6 {
                    let twist = unit(axis);
                    let change = geometry::change(features, contact.dist, k, twist);
                    let column = wrench_change(response, &relative, &out.bodies[k], &change, twist);
                    for (row, value) in out.K[k].iter_mut().zip(column) {
                        row[axis] = value;
                    }
                }
            }
        }
        out
    }

    fn add_to(&self, terms: &mut Terms) {
        for by in self.bodies.iter().filter(|b| b.moves) {
            let k = usize::from(by.sign > 0.0);
            let maps = [&self.K[k], &self.B, &self.Y].map(|m| product(m, &by.to_contact));
            for on in self.bodies.iter().filter(|b| b.moves) {
                let [mut K, mut B, mut Y] = maps.map(|m| Mat6(transposed_product(&on.to_contact, &m)));
                scale(&mut K, on.sign);
                scale(&mut B, on.sign * by.sign);
                scale(&mut Y, on.sign * by.sign);
                terms.add_slope(on.id, by.id, &Slope { K, B, Y, A: Mat6::ZERO });
            }
        }
        for on in self.bodies.iter().filter(|b| b.moves) {
            let mut wrench = [0.0; 6];
            for (row, f) in on.to_contact.iter().zip(self.force) {
                for (w, t) in wrench.iter_mut().zip(row) {
                    *w += t * f * on.sign;
                }
            }
            terms.add_wrench(on.id, Force::new(Vec3::from_slice(&wrench), Vec3::from_slice(&wrench[3..])));
        }
    }
}

fn scale(m: &mut Mat6, s: f64) {
    if s != 1.0 {
        m.0.iter_mut().flatten().for_each(|x| *x *= s);
    }
}

/// Unit twist along contact axes: linear first, as contact directions are.
fn unit(axis: usize) -> Motion {
    let mut m = Motion::ZERO;
    if axis < 3 {
        m.lin[axis] = 1.0
    } else {
        m.ang[axis - 3] = 1.0
    }
    m
}

/// Relative motions of the two bodies in contact axes.
struct Relative {
    a: Motion,
    v: Motion,
    surface: Motion,
}

/// Change of a relative motion's components: of the point, the frame, and the body's own field Y turned by `twist`.
fn motion_change(relative: Motion, own: Motion, sign: f64, change: &Change, twist: Motion) -> [f64; 6] {
    let carried = twist.cross_motion(own) * sign;
    let lin = relative.ang.cross(change.point) - change.turn.cross(relative.lin) + carried.lin;
    let ang = carried.ang - change.turn.cross(relative.ang);
    [lin.x, lin.y, lin.z, ang.x, ang.y, ang.z]
}

fn wrench_change(r: &Response, relative: &Relative, body: &Body, change: &Change, twist: Motion) -> [f64; 6] {
    let mut z = motion_change(relative.a, body.Y, body.sign, change, twist);
    let v = motion_change(relative.v, body.V, body.sign, change, twist);
    for i in 0..6 {
        z[i] += r.b[i] * v[i];
    }
    if relative.surface != Motion::ZERO {
        let v = motion_change(relative.surface, body.surface, body.sign, change, twist);
        // Surfaces slide and spin.
        for i in 1..4 {
            z[i] += r.b[i] * v[i];
        }
    }
    let mut w = [0.0; 6];
    for i in 0..r.dim {
        let row = &r.H[i];
        w[i] = r.e[i] * change.dist - (0..r.dim).map(|j| row[j] * z[j]).sum::<f64>();
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
    fn of(model: &Model, data: &Data, chain: &Chain, contact: &Contact, k: usize) -> Self {
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
            to_contact: to_contact(frame, r),
            V: local(chain.V[id]),
            Y: local(chain.Y[id]),
            surface: surface(model, data, contact, geom),
        }
    }
}

/// The map from motions in the c-frame to (linear, angular) in contact axes at the point `r` from its origin.
fn to_contact(frame: &Mat3, r: Vec3) -> [[f64; 6]; 6] {
    let row = |n: Vec3| {
        // n · (lin + ang × r) = n · lin + ang · (r × n).
        let arm = r.cross(n);
        [arm.x, arm.y, arm.z, n.x, n.y, n.z]
    };
    let turn = |n: Vec3| [n.x, n.y, n.z, 0.0, 0.0, 0.0];
    [row(frame.r0), row(frame.r1), row(frame.r2), turn(frame.r0), turn(frame.r1), turn(frame.r2)]
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
