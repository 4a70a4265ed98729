//! Forces of contacts, in parts.

use crate::data::Stale;
use crate::data::{Contact, Data, RowKind};
use crate::ids::{BodyId, GeomId};
use crate::model::Model;
use crate::stage::Stage;
use saltus_math::{Mat3, Vec3};

/// Force and torque of a contact in its frame, from geom 1 on geom 2: normal, two tangents; spin, two rolls. Zero if
/// the contact has no rows. The normal component is negative where the contact pulls.
pub fn contact_force(data: &Data, contact: &Contact) -> [f64; 6] {
    let mut wrench = [0.0; 6];
    let rows = &data.constraints;
    let Ok(first) = usize::try_from(contact.first_row) else { return wrench };
    let Some(kind) = rows.kind.get(first) else { return wrench };
    let dim = usize::from(contact.dim).min(6);
    if *kind == RowKind::ContactPyramidal {
        let Some(edges) = rows.force.get(first..first + 2 * (dim - 1)) else { return wrench };
        for (k, edge) in edges.chunks_exact(2).enumerate() {
            wrench[0] += edge[0] + edge[1];
            wrench[k + 1] = contact.friction[k] * (edge[0] - edge[1]);
        }
    } else {
        let Some(force) = rows.force.get(first..first + dim) else { return wrench };
        wrench[..dim].copy_from_slice(force);
    }
    wrench[0] -= contact.adhesion;
    wrench
}

/// The force with which the first of two bodies pushes the second in one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    pub geoms: [GeomId; 2],
    pub bodies: [BodyId; 2],
    /// Where it acts: midpoint between the two surfaces, world.
    pub point: Vec3,
    /// Distance between the surfaces; negative: penetration, m.
    pub distance: f64,
    /// Rows: normal from the first to the second geom, two tangents; world.
    pub frame: Mat3,
    /// Along the normal, N; negative where the contact pulls.
    pub normal: f64,
    /// Along the two tangents, N.
    pub friction: [f64; 2],
    /// Torque about the normal and about the two tangents, N m; zero unless the contact has torsional and rolling friction.
    pub spin: f64,
    pub roll: [f64; 2],
    /// Force and torque on the second body, world axes: the sum of the parts.
    pub force: Vec3,
    pub torque: Vec3,
}

impl ContactForce {
    fn new(model: &Model, data: &Data, contact: &Contact) -> Self {
        let f = contact_force(data, contact);
        let geoms = [contact.geom1, contact.geom2];
        Self {
            geoms,
            bodies: geoms.map(|geom| model.geoms.body[geom.idx()]),
            point: contact.pos,
            distance: contact.dist,
            frame: contact.frame,
            normal: f[0],
            friction: [f[1], f[2]],
            spin: f[3],
            roll: [f[4], f[5]],
            force: contact.frame.tmul(Vec3::new(f[0], f[1], f[2])),
            torque: contact.frame.tmul(Vec3::new(f[3], f[4], f[5])),
        }
    }

    /// The force on one of the two bodies, world axes; zero for others.
    pub fn force_on(&self, body: BodyId) -> Vec3 {
        let [first, second] = self.bodies.map(|b| f64::from(u8::from(b == body)));
        self.force * (second - first)
    }
}

/// Forces of contacts.
impl Data {
    /// The force of contact `k` of `data.contacts`. Panics if there are not so many.
    pub fn contact_force(&self, model: &Model, k: usize) -> Result<ContactForce, Stale> {
        self.require(Stage::Acceleration)?;
        Ok(ContactForce::new(model, self, &self.contacts[k]))
    }

    /// The forces of all contacts, in the order of `data.contacts`.
    pub fn contact_forces<'a>(
        &'a self,
        model: &'a Model,
    ) -> Result<impl ExactSizeIterator<Item = ContactForce> + 'a, Stale> {
        self.require(Stage::Acceleration)?;
        Ok(self.contacts.iter().map(|contact| ContactForce::new(model, self, contact)))
    }
}
