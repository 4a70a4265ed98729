//! Rows of contacts: normals 0 ≤ f ⟂ J V⁺ − c ≥ 0, then friction with bounds by (15).

use super::{At, Block, Bound, Kind, Rows};
use crate::six::Six;
use saltus_math::Vec3;
use saltus_sim::Model;
use saltus_sim::data::Contact;

/// Normals of all contacts that make force, then all their friction; `end_normals` lies between.
/// `layer` is the penetration that is not corrected.
pub fn push_contacts(at: &At<'_>, model: &Model, contacts: &[Contact], layer: f64, rows: &mut Rows) {
    let first_normal = rows.len();
    for (c, contact) in contacts.iter().enumerate() {
        let moves = pair(at, model, contact).iter().any(|l| *l != 0);
        if contact.in_gap || !moves {
            continue;
        }
        let first = rows.jacobian.len();
        push_blocks(at, model, contact, contact.frame.r0, true, rows);
        let distance = contact.dist - contact.include_margin;
        let targets = if distance > 0.0 {
            [-distance / at.h; 2]
        } else {
            at.targets(0.0, -at.correction * (distance + layer).min(0.0))
        };
        rows.push(first, Kind::Normal { contact: c as u32 }, Bound::OneSided, at.mixing, targets);
    }
    rows.end_normals = rows.len();
    for normal in first_normal..rows.end_normals {
        let Kind::Normal { contact: c } = rows.rows[normal].kind else { continue };
        let contact = &contacts[c as usize];
        let frame = &contact.frame;
        let directions = [(frame.r1, true), (frame.r2, true), (frame.r0, false), (frame.r1, false), (frame.r2, false)];
        for (k, (direction, along)) in
            directions.into_iter().enumerate().take(usize::from(contact.dim).saturating_sub(1))
        {
            let first = rows.jacobian.len();
            push_blocks(at, model, contact, direction, along, rows);
            let wanted = if k < 3 { -contact.surface_velocity[k] } else { 0.0 };
            let bound = Bound::Friction { mu: contact.friction[k], normal: normal as u32 };
            rows.push(first, Kind::Friction { contact: c, direction: k as u8 }, bound, at.mixing, [wanted; 2]);
        }
    }
}

/// Links of the two geoms.
fn pair(at: &At<'_>, model: &Model, contact: &Contact) -> [usize; 2] {
    [contact.geom1, contact.geom2].map(|g| at.links.of_body[model.geoms.body[g.idx()].idx()])
}

/// Velocity of the second geom relative to the first, along or about a direction.
fn push_blocks(at: &At<'_>, model: &Model, contact: &Contact, direction: Vec3, along: bool, rows: &mut Rows) {
    let links = pair(at, model, contact);
    for (link, sign) in [(links[0], -1.0), (links[1], 1.0)] {
        if link == 0 || links[0] == links[1] {
            continue;
        }
        let d = direction * sign;
        let value = match along {
            true => Six::new((contact.pos - at.bodies.x[link]).cross(d), d),
            false => Six::new(d, Vec3::ZERO),
        };
        rows.jacobian.push(Block { value, link: link as u32 });
    }
}
