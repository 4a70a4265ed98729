//! The invertible law: f is a function of z = J (v + h a') with a' = a + y/h and derivative −C, at
//! constant y; forces are impulses divided by h. Its velocity barriers are represented as forces p
//! of normals and limits, which are functions of J (v + h a).

use super::{Contact as Response, Frames, Stiffness};
use crate::data::{Block, Contact, Data};
use crate::law::invertible::Linear;
use crate::model::Model;
use saltus_math::Vec3;

/// Linearization of the law at the current acceleration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Invertible<'a> {
    pub law: &'a Linear,
    /// Time step.
    pub h: f64,
}

impl Invertible<'_> {
    /// The response of a contact.
    pub fn contact(&self, contact: &Contact, block: &Block) -> Response {
        let mut out = Response::new(contact.dim);
        let answer = self.law.answer(block, 0);
        let h = self.h;
        out.force = answer.f.map(|f| f / h);
        out.H = answer.C;
        out.b.fill(1.0 / h);
        out.e = answer.by_residual.map(|e| -e / h);
        out.shared = self.law.shared(block)[0].map(|f| f / h);
        out
    }

    /// Derivative of f of a contact with respect to its friction coefficients, in the direction
    /// `d`.
    pub fn by_friction(&self, block: &Block, d: [f64; 5]) -> [f64; 6] {
        self.law.by_friction(block, d).map(|f| f / self.h)
    }

    /// Derivative of f of dry friction with respect to the friction loss; both are forces, not
    /// impulses.
    pub fn by_loss(&self, model: &Model, data: &Data, block: &Block) -> f64 {
        self.law.by_loss(model, data, block) / self.h
    }

    /// The response of a scalar row.
    pub fn row(&self, block: &Block) -> (f64, Stiffness) {
        let (answer, h) = (self.law.answer(block, 0), self.h);
        let C = answer.C[0][0];
        (answer.f[0] / h, Stiffness { length: answer.by_residual[0] / h, velocity: C / h, acceleration: C })
    }

    /// The response of a connect or weld, whose rows are groups of their own.
    pub fn frames(&self, block: &Block) -> Frames {
        let (h, n) = (self.h, block.rows.len as usize);
        let mut out = Frames::at_velocities();
        for part in 0..n / 3 {
            let answers = [0, 1, 2].map(|k| self.law.answer(block, 3 * part + k));
            let C = answers[0].C[0][0];
            out.force[part] = Vec3::from_array(answers.map(|a| a.f[0] / h));
            out.acceleration[part] = Vec3::splat(C);
            out.velocity[part] = Vec3::splat(C / h);
            out.length[part] = Vec3::splat(answers[0].by_residual[0] / h);
        }
        out
    }

    /// The barrier of a contact's normal velocity.
    pub fn contact_barrier(&self, block: &Block) -> Response {
        let mut out = Response::new(1);
        let [p, G, by_residual] = self.law.barrier(block);
        (out.force[0], out.H[0][0], out.b[0], out.e[0]) = (p, -self.h * G, 1.0 / self.h, by_residual);
        out.shared = self.law.shared(block)[1];
        out
    }

    /// The barrier of a limit's velocity; other rows have none.
    pub fn row_barrier(&self, block: &Block) -> (f64, Stiffness) {
        let [p, G, by_residual] = self.law.barrier(block);
        (p, Stiffness { length: -by_residual, velocity: -G, acceleration: -self.h * G })
    }
}
