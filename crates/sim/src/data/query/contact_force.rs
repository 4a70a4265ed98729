//! Contact forces and their components.

use crate::data::Stale;
use crate::data::{Contact, Data, RowKind};
use crate::ids::{BodyId, GeomId};
use crate::model::Model;
use crate::stage::Stage;
use saltus_math::{Mat3, Vec3};

/// Force and torque that geom 1 exerts on geom 2 in a contact, in contact axes: normal and two
/// tangential forces, then torsional and two rolling torques. Zero if the contact has no rows. The
/// normal component is negative if the contact pulls.
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

/// The force that the first of two bodies exerts on the second in one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    pub geoms: [GeomId; 2],
    pub bodies: [BodyId; 2],
    /// Point of application: the midpoint between the two surfaces in the world.
    pub point: Vec3,
    /// Distance between the surfaces, m; negative for penetration.
    pub distance: f64,
    /// Contact axes in the world, as rows: the normal from the first to the second geom and two
    /// tangents.
    pub frame: Mat3,
    /// Normal force, N; negative if the contact pulls.
    pub normal: f64,
    /// Forces along the two tangents, N.
    pub friction: [f64; 2],
    /// Torques about the normal and the two tangents, N m; zero unless the contact has torsional or
    /// rolling friction.
    pub spin: f64,
    pub roll: [f64; 2],
    /// Total force and torque on the second body, in world axes.
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

    /// The force on one of the two bodies, in world axes; zero for other bodies.
    pub fn force_on(&self, body: BodyId) -> Vec3 {
        let [first, second] = self.bodies.map(|b| f64::from(u8::from(b == body)));
        self.force * (second - first)
    }
}

/// Contact forces.
impl Data {
    /// The force of contact `k` of `data.contacts`. Panics if `k` is out of range.
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
