//! Bodies that touch the environment do not slide: like [`super::Slip`], on any surface.

use crate::problem::Term;
use crate::problem::point::PointMotion;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::Rotations;
use crate::problem::term::penetration::sight;
use crate::problem::term::slip::fade;
use saltus_math::Vec3;
use saltus_sim::Model;
use saltus_sim::ids::GeomId;
use saltus_sim::kinematics::jacobian::apply_wrench;

/// r = w v s(g/d) (1 − x⁴)² in all directions, for every pair of geoms that the model lists and of
/// which one does not move: v the velocity of the other one's centre, g the gap, x = g/sight above
/// the surface. Pairs farther apart than that are ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct Sliding {
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// Distance over which it fades, m.
    pub fade: f64,
    /// Weight of the residuals.
    pub weight: f64,
}

impl Term for Sliding {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let (model, data) = (knot.model, knot.data);
        let mut gradient = vec![0.0; if out.wants_jacobian() { model.size.nv } else { 0 }];
        for k in 0..model.pairs.geom1.len() {
            let Some(geom) = mover(model, [model.pairs.geom1[k], model.pairs.geom2[k]]) else { continue };
            let pair = [model.pairs.geom1[k], model.pairs.geom2[k]];
            let own = data.contacts.iter().filter(|c| pair == [c.geom1, c.geom2] || pair == [c.geom2, c.geom1]);
            let Some(contact) = own.min_by(|a, b| a.dist.total_cmp(&b.dist)) else {
                (0..3).for_each(|_| out.row(0.0));
                continue;
            };
            let body = model.geoms.body[geom.idx()].idx();
            let motion = PointMotion::new(model, &self.rotations, data, body, data.position.p_WG[geom.idx()]);
            let (share, slope) = self.share(contact.dist, sight(model, k));
            if !gradient.is_empty() {
                // The gap grows with the motion of the second surface along the normal.
                gradient.fill(0.0);
                let away = if contact.geom2 == geom { contact.frame.r0 } else { -contact.frame.r0 };
                apply_wrench(model, data, body, contact.pos, away, Vec3::ZERO, &mut gradient);
            }
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let v = axis.dot(motion.velocity);
                out.row(self.weight * share * v);
                out.add_all(Part::Q, self.weight * slope * v, &gradient);
                for c in &motion.columns {
                    out.add(Part::Q, c.dof, self.weight * share * axis.dot(c.linear_by_q));
                    out.add(Part::V, c.dof, self.weight * share * axis.dot(c.linear));
                }
            }
        }
    }
}

impl Sliding {
    /// Weight of sliding at a gap, and its derivative.
    fn share(&self, gap: f64, sight: f64) -> (f64, f64) {
        let (near, slope) = fade(gap / self.fade);
        let x = (gap / sight).clamp(0.0, 1.0);
        let left = 1.0 - x * x * x * x;
        let edge = -8.0 * left * x * x * x / sight;
        (near * left * left, slope / self.fade * left * left + near * edge)
    }
}

/// The one of two geoms that moves, if the other does not.
fn mover(model: &Model, pair: [GeomId; 2]) -> Option<GeomId> {
    let moves = pair.map(|g| model.bodies.tree[model.geoms.body[g.idx()].idx()].is_some());
    match moves {
        [true, false] => Some(pair[0]),
        [false, true] => Some(pair[1]),
        _ => None,
    }
}
