//! The impulse law: forces are functions of x = J a − a_ref as under the soft law, with constant R
//! and a_ref = (v_ref − J v)/h, v_ref linear in the error e and its rate, less the sliding speed
//! for normals.

use super::{Contact as Response, Frames, Stiffness, pair, soft};
use crate::data::{Block, Constraints, Contact, RowKind};
use crate::law::impulse::{reference_slopes, slip_by_friction, slip_slopes};
use crate::law::soft::cost::Cone;
use crate::options::law::ImpulseOptions;
use saltus_math::Vec3;

/// Parameters of the law, and the time step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impulse<'a> {
    pub settings: &'a ImpulseOptions,
    pub h: f64,
}

impl Impulse<'_> {
    /// Derivatives of x with respect to the error and J v, at a block's first row.
    fn slopes(&self, rows: &Constraints, block: &Block) -> [f64; 2] {
        let i = block.rows.start as usize;
        let (e, rate) = (rows.pos[i] - rows.margin[i], rows.vel[i]);
        let [by_error, by_rate] = reference_slopes(self.settings, self.h, block.kind, e, rate);
        [-by_error / self.h, (1.0 - by_rate) / self.h]
    }

    /// The response of a contact at the rows' `x`.
    pub fn contact(&self, rows: &Constraints, contact: &Contact, block: &Block, x: &[f64]) -> Response {
        let mut out = Response::new(contact.dim);
        let own = block.rows.range();
        let [by_dist, damping] = self.slopes(rows, block);
        if block.kind == RowKind::ContactElliptic {
            out.of_cone(&Cone::of_contact(contact, 0), &x[own.clone()], &rows.D[own.clone()]);
            out.b.fill(1.0 / self.h);
            out.s = slip_slopes(self.settings, contact, &rows.vel[own]).map(|s| s / self.h);
        } else {
            (out.force[0], out.H[0][0]) = soft::scalar(rows, block, x[own.start]);
        }
        out.b[0] = damping;
        for i in 0..out.dim {
            out.e[i] = -out.H[i][0] * by_dist;
        }
        out
    }

    /// Derivative of x of a contact's normal with respect to its friction coefficients, in the
    /// direction `d`.
    pub fn normal_by_friction(&self, rows: &Constraints, contact: &Contact, block: &Block, d: [f64; 5]) -> f64 {
        if block.kind != RowKind::ContactElliptic {
            return 0.0;
        }
        slip_by_friction(self.settings, contact, &rows.vel[block.rows.range()], d) / self.h
    }

    /// The response of a scalar row.
    pub fn row(&self, rows: &Constraints, block: &Block, x: f64) -> (f64, Stiffness) {
        let (f, h) = soft::scalar(rows, block, x);
        let [by_error, by_rate] = self.slopes(rows, block);
        (f, Stiffness { length: h * by_error, velocity: h * by_rate, acceleration: h })
    }

    /// The response of a connect or weld.
    pub fn frames(&self, rows: &Constraints, block: &Block, x: &[f64]) -> Frames {
        let first = block.rows.start as usize;
        let D = [rows.D[first], if block.rows.len == 6 { rows.D[first + 3] } else { 0.0 }].map(Vec3::splat);
        let [by_error, by_rate] = self.slopes(rows, block);
        let x = pair(block, x);
        Frames {
            force: [-x[0] * D[0], -x[1] * D[1]],
            acceleration: D,
            velocity: D.map(|D| D * by_rate),
            length: D.map(|D| D * by_error),
            ..Frames::at_velocities()
        }
    }
}
