//! Impulses of the last step, found again for the rows of the present one: the start of sweeps and
//! the other end of smoothing.

use crate::rows::{Bound, Kind, LANES, Rows};
use saltus_math::Vec3;
use saltus_sim::Model;
use saltus_sim::data::Contact;

/// A contact of the last step.
#[derive(Clone, Copy, Debug)]
struct Old {
    /// Bodies, smaller first: contacts come in their order.
    bodies: [u32; 2],
    geoms: [u32; 2],
    pos: Vec3,
    force: [[f64; LANES]; 6],
}

/// What the last step left.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    rows: Vec<(Kind, [f64; LANES])>,
    contacts: Vec<Old>,
    /// Contact of the last step for each present one.
    found: Vec<Option<u32>>,
}

impl Memory {
    pub fn clear(&mut self) {
        self.rows.clear();
        self.contacts.clear();
    }

    /// Sets `last` of all rows, and `force` to β times it.
    pub fn recall(&mut self, model: &Model, contacts: &[Contact], beta: f64, rows: &mut Rows) {
        let mut found = core::mem::take(&mut self.found);
        found.clear();
        found.extend(contacts.iter().map(|c| self.nearest(model, c)));
        self.found = found;
        let mut cursor = 0;
        for i in 0..rows.len() {
            let row = &mut rows.rows[i];
            row.last = match row.kind {
                Kind::Normal { contact } => self.of_contact(contact, 0),
                Kind::Friction { contact, direction } => self.of_contact(contact, usize::from(direction) + 1),
                kind => self.of_row(kind, &mut cursor),
            };
            if matches!(row.bound, Bound::Friction { mu, .. } if mu <= 0.0) {
                // A contact that has become smooth in this direction.
                row.last = [0.0; LANES];
            }
            row.force = row.last.map(|f| beta * f);
        }
    }

    fn of_contact(&self, contact: u32, k: usize) -> [f64; LANES] {
        self.found[contact as usize].map_or([0.0; LANES], |old| self.contacts[old as usize].force[k])
    }

    /// Rows keep their order from step to step, so that the next of the same kind is near the last
    /// one found.
    fn of_row(&self, kind: Kind, cursor: &mut usize) -> [f64; LANES] {
        match self.rows[*cursor..].iter().position(|(k, _)| *k == kind) {
            Some(ahead) => {
                *cursor += ahead + 1;
                self.rows[*cursor - 1].1
            }
            None => [0.0; LANES],
        }
    }

    /// The contact of the same geoms that is nearest.
    fn nearest(&self, model: &Model, contact: &Contact) -> Option<u32> {
        let (bodies, geoms) = keys(model, contact);
        let first = self.contacts.partition_point(|old| old.bodies < bodies);
        let near = |(k, old): (usize, &Old)| (k, (old.pos - contact.pos).length_squared());
        self.contacts[first..]
            .iter()
            .enumerate()
            .take_while(|(_, old)| old.bodies == bodies)
            .filter(|(_, old)| old.geoms == geoms)
            .map(near)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(k, _)| (first + k) as u32)
    }

    /// Keeps the impulses of this step.
    pub fn store(&mut self, model: &Model, contacts: &[Contact], rows: &Rows) {
        self.clear();
        let old = |c: &Contact| {
            let (bodies, geoms) = keys(model, c);
            Old { bodies, geoms, pos: c.pos, force: [[0.0; LANES]; 6] }
        };
        self.contacts.extend(contacts.iter().map(old));
        for row in &rows.rows {
            match row.kind {
                Kind::Normal { contact } => self.contacts[contact as usize].force[0] = row.force,
                Kind::Friction { contact, direction } => {
                    self.contacts[contact as usize].force[usize::from(direction) + 1] = row.force;
                }
                kind => self.rows.push((kind, row.force)),
            }
        }
    }
}

fn keys(model: &Model, contact: &Contact) -> ([u32; 2], [u32; 2]) {
    let [a, b] = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()].0);
    ([a.min(b), a.max(b)], [contact.geom1.0, contact.geom2.0])
}
