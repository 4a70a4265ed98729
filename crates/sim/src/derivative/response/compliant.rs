//! The compliant law: forces are functions of residuals and J v, independent of the acceleration.

use super::{Contact as Response, Frames, Stiffness};
use crate::data::{Block, Constraints, Contact, Data};
use crate::law::compliant::Compliant;
use crate::model::Model;
use saltus_math::Vec3;

/// The law of a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Springs<'a> {
    pub model: &'a Model,
    pub law: Compliant,
}

impl Springs<'_> {
    /// The response of a contact.
    pub fn contact(&self, rows: &Constraints, contact: &Contact, block: &Block) -> Response {
        let push = self.law.contact(rows, contact, block);
        Response {
            force: push.f,
            H: push.by_velocity.map(|row| row.map(|x| -x)),
            b: [1.0; 6],
            e: push.by_gap,
            sees_acceleration: false,
            ..Response::new(contact.dim)
        }
    }

    /// The response of a scalar row.
    pub fn row(&self, data: &Data, block: &Block) -> (f64, Stiffness) {
        let push = self.law.row(self.model, data, block, block.rows.start as usize);
        (push.f, Stiffness { length: -push.by_residual, velocity: -push.by_velocity, acceleration: 0.0 })
    }

    /// Derivative of the force of dry friction with respect to the friction loss.
    pub fn by_loss(&self, rows: &Constraints, block: &Block) -> f64 {
        let [slip, _] = self.law.slip(rows.vel[block.rows.start as usize]);
        -slip
    }

    /// The response of a connect or weld.
    pub fn frames(&self, data: &Data, block: &Block) -> Frames {
        let mut out = Frames::at_velocities();
        for part in 0..block.rows.len as usize / 3 {
            let first = block.rows.start as usize + 3 * part;
            let pushes = [0, 1, 2].map(|k| self.law.row(self.model, data, block, first + k));
            out.force[part] = Vec3::from_array(pushes.map(|p| p.f));
            out.velocity[part] = Vec3::from_array(pushes.map(|p| -p.by_velocity));
            out.length[part] = Vec3::from_array(pushes.map(|p| -p.by_residual));
        }
        out
    }
}
