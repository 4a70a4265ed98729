//! Surfaces do not penetrate each other.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_math::Vec3;
use saltus_sim::Model;
use saltus_sim::kinematics::jacobian::apply_wrench;
use saltus_sim::options::law::Law;

/// (−gap − allowed)/unit ≤ 0 for the deepest contact of every pair of geoms that the model lists.
/// Pairs out of reach count with the distance at which contacts are detected, where the constraint
/// is far from active.
#[derive(Clone, Debug, PartialEq)]
pub struct Penetration {
    /// Penetration that is allowed, m. Under the invertible law, half of the distance at which
    /// bodies rest is added.
    pub allowed: f64,
    /// Unit that residuals are measured in.
    pub unit: f64,
}

impl Term for Penetration {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let (model, data) = (knot.model, knot.data);
        let laws = &model.options.laws;
        let allowed = self.allowed + if laws.law == Law::Invertible { 0.5 * laws.invertible.hover } else { 0.0 };
        let mut gradient = vec![0.0; if out.wants_jacobian() { model.size.nv } else { 0 }];
        for k in 0..model.pairs.geom1.len() {
            let pair = [model.pairs.geom1[k], model.pairs.geom2[k]];
            let own = data.contacts.iter().filter(|c| pair == [c.geom1, c.geom2] || pair == [c.geom2, c.geom1]);
            let Some(contact) = own.min_by(|a, b| a.dist.total_cmp(&b.dist)) else {
                out.row((-sight(model, k) - allowed) / self.unit);
                continue;
            };
            out.row((-contact.dist - allowed) / self.unit);
            if !gradient.is_empty() {
                // The gap grows with the motion of the second surface along the normal.
                gradient.fill(0.0);
                let normal = contact.frame.r0;
                for (geom, n) in [(contact.geom2, normal), (contact.geom1, -normal)] {
                    let body = model.geoms.body[geom.idx()].idx();
                    apply_wrench(model, data, body, contact.pos, n, Vec3::ZERO, &mut gradient);
                }
                out.add_all(Part::Q, -1.0 / self.unit, &gradient);
            }
        }
    }
}

/// Distance at which contacts of a pair are detected.
pub(super) fn sight(model: &Model, pair: usize) -> f64 {
    model.pairs.margin[pair] + model.options.laws.contact_reach()
}
