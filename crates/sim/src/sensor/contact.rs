//! Contact sensors: touch, and the contact sensor (matches contacts, reduces them to slots, writes
//! fields).

use super::position::is_inside;
use crate::collide::ray_primitive;
use crate::constraint::contact_force;
use crate::data::{Contact, Data};
use crate::ids::GeomId;
use crate::model::Model;
use crate::model::kinds::ObjectKind;
use saltus_math::{MIN_VAL, Mat3, Motion, Vec3};

/// Sum of the normal forces of the contacts of a site's body that are inside the site's volume or
/// whose normal passes through it.
pub(super) fn touch(model: &Model, data: &Data, site: usize) -> f64 {
    let body = model.sites.body[site];
    let mut sum = 0.0;
    for contact in data.contacts.iter().filter(|c| c.first_row >= 0) {
        let [on_first, on_second] = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()] == body);
        if !on_first && !on_second {
            continue;
        }
        let force = contact_force(data, contact)[0];
        if force <= 0.0 {
            continue;
        }
        let direction = if on_second { -contact.frame.r0 } else { contact.frame.r0 };
        let (p, R) = (data.position.p_WS[site], &data.position.R_WS[site]);
        let (local_p, local_v) = (R.tmul(contact.pos - p), R.tmul(direction));
        let size = Vec3::from_array(model.sites.size[site]);
        if ray_primitive(model.sites.shape[site], size, local_p, local_v).is_some() {
            sum += force;
        }
    }
    sum
}

/// A contact as a sensor reports it.
#[derive(Clone, Copy, Default)]
struct Report {
    force: Vec3,
    torque: Vec3,
    dist: f64,
    pos: Vec3,
    normal: Vec3,
    tangent: Vec3,
    velocity: Motion,
}

/// Reduction of contacts to slots; numbered as in MJCF.
const MIN_DIST: i32 = 1;
const MAX_FORCE: i32 = 2;
const NET_FORCE: i32 = 3;

/// Evaluates the contact sensor `s`.
pub(super) fn read(model: &Model, data: &Data, s: usize, out: &mut [f64]) {
    let [fields, reduce, num] = model.sensors.int_prm[s];
    out.fill(0.0);
    let num = num.max(1) as usize;
    let size = out.len() / num;
    let found = matches(model, data, s).count();
    if found == 0 || size == 0 {
        return;
    }
    let mut slots = out.chunks_exact_mut(size);
    match reduce {
        MIN_DIST | MAX_FORCE => {
            // Each slot takes the best of the contacts ranked after the previous one; this needs no
            // list and no allocation.
            let mut last: Option<(f64, usize)> = None;
            for slot in slots {
                let mut best: Option<(f64, usize, f64)> = None;
                for (k, sign) in matches(model, data, s) {
                    let contact = &data.contacts[k];
                    let key = if reduce == MIN_DIST { contact.dist } else { -force_norm(data, contact) };
                    let after = last.is_none_or(|(x, i)| key > x || (key == x && k > i));
                    if after && best.is_none_or(|(x, _, _)| key < x) {
                        best = Some((key, k, sign));
                    }
                }
                let Some((key, k, sign)) = best else { break };
                last = Some((key, k));
                write(&report(model, data, &data.contacts[k], sign), found, fields, slot);
            }
        }
        NET_FORCE => {
            if let Some(slot) = slots.next() {
                write(&net(model, data, s), found, fields, slot);
            }
        }
        _ => {
            for ((k, sign), slot) in matches(model, data, s).zip(slots) {
                write(&report(model, data, &data.contacts[k], sign), found, fields, slot);
            }
        }
    }
}

fn force_norm(data: &Data, contact: &Contact) -> f64 {
    let f = contact_force(data, contact);
    Vec3::new(f[0], f[1], f[2]).length()
}

/// Contacts that a sensor matches, with the sign −1 if the sensor's first object is the contact's
/// second.
fn matches<'a>(model: &'a Model, data: &'a Data, s: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
    let sensors = &model.sensors;
    let (object_kind, object) = (sensors.object_kind[s], sensors.object[s]);
    let (reference_kind, reference) = (sensors.reference_kind[s], sensors.reference[s]);
    data.contacts.iter().enumerate().filter_map(move |(k, contact)| {
        if object_kind == ObjectKind::Site {
            let site = object? as usize;
            let x = &data.position;
            let local = x.R_WS[site].tmul(contact.pos - x.p_WS[site]);
            if !is_inside(model.sites.shape[site], model.sites.size[site], local) {
                return None;
            }
        }
        let first = |g| object_kind == ObjectKind::Site || belongs(model, g, object_kind, object);
        let second = |g| belongs(model, g, reference_kind, reference);
        if first(contact.geom1) && second(contact.geom2) {
            Some((k, 1.0))
        } else if first(contact.geom2) && second(contact.geom1) {
            Some((k, -1.0))
        } else {
            None
        }
    })
}

/// Whether a geom is the object, or belongs to the body or the subtree; true for any geom if there
/// is no object.
fn belongs(model: &Model, geom: GeomId, kind: ObjectKind, object: Option<u32>) -> bool {
    let Some(object) = object else { return true };
    let mut body = model.geoms.body[geom.idx()].0;
    match kind {
        ObjectKind::Geom => geom.0 == object,
        ObjectKind::Body => body == object,
        ObjectKind::XBody => {
            while body > object {
                body = model.bodies.parent[body as usize].0;
            }
            body == object
        }
        _ => true,
    }
}

/// A contact as a report; if `sign` is −1, seen from its second object: the frame is rotated about
/// its second tangent.
fn report(model: &Model, data: &Data, contact: &Contact, sign: f64) -> Report {
    let turned = |v: Vec3| Vec3::new(v.x, v.y, sign * v.z);
    let f = contact_force(data, contact);
    let frame = &contact.frame;
    let relative =
        velocity(model, data, contact.geom2, contact.pos) - velocity(model, data, contact.geom1, contact.pos);
    Report {
        force: turned(Vec3::new(f[0], f[1], f[2])),
        torque: turned(Vec3::new(f[3], f[4], f[5])),
        dist: contact.dist,
        pos: contact.pos,
        normal: frame.r0 * sign,
        tangent: frame.r1 * sign,
        velocity: Motion::new(turned(*frame * relative.ang), turned(*frame * relative.lin)),
    }
}

/// Velocity of a geom's body at a world point.
fn velocity(model: &Model, data: &Data, geom: GeomId, p: Vec3) -> Motion {
    let b = model.geoms.body[geom.idx()].idx();
    data.velocity.V[b].shifted(p - data.position.com[model.bodies.root[b].idx()])
}

/// The resultant wrench of all contacts, in world axes, at their centroid weighted by force.
fn net(model: &Model, data: &Data, s: usize) -> Report {
    let wrench = |k: usize, sign: f64| {
        let contact = &data.contacts[k];
        let f = contact_force(data, contact);
        let to_world = |v: Vec3, frame: &Mat3| frame.tmul(v) * sign;
        let force = to_world(Vec3::new(f[0], f[1], f[2]), &contact.frame);
        (contact.pos, force, to_world(Vec3::new(f[3], f[4], f[5]), &contact.frame))
    };
    let mut total = 0.0;
    let mut net = Report { normal: Vec3::X, tangent: Vec3::Y, ..Report::default() };
    for (k, sign) in matches(model, data, s) {
        let (pos, force, _) = wrench(k, sign);
        total += force.length();
        net.pos += pos * force.length();
    }
    net.pos /= total.max(MIN_VAL);
    for (k, sign) in matches(model, data, s) {
        let (pos, force, torque) = wrench(k, sign);
        net.force += force;
        net.torque += torque + (pos - net.pos).cross(force);
    }
    net
}

/// Writes the fields of a slot, in the order of their bits.
fn write(report: &Report, found: usize, fields: i32, slot: &mut [f64]) {
    let mut rest = slot;
    let mut put = |bit: i32, values: &[f64]| {
        if fields & (1 << bit) != 0 {
            let (now, later) = core::mem::take(&mut rest).split_at_mut(values.len());
            now.copy_from_slice(values);
            rest = later;
        }
    };
    put(0, &[found as f64]);
    put(1, &report.force.to_array());
    put(2, &report.torque.to_array());
    put(3, &[report.dist]);
    put(4, &report.pos.to_array());
    put(5, &report.normal.to_array());
    put(6, &report.tangent.to_array());
    put(7, &report.velocity.lin.to_array());
    put(8, &report.velocity.ang.to_array());
}
