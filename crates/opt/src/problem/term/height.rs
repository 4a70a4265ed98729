//! Points stay above the ground.

use crate::geometry::ContactBall;
use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_sim::kinematics::jacobian::dofs_of;

/// (ground − allowed − z)/unit ≤ 0 for the lowest points of balls.
#[derive(Clone, Debug, PartialEq)]
pub struct AboveGround {
    /// Body, centre in its frame and radius of the balls.
    pub points: Vec<ContactBall>,
    /// Height of the ground, m.
    pub ground: f64,
    /// Penetration that is allowed, m, in addition to half of the distance at which bodies rest
    /// under the contact law.
    pub allowed: f64,
    /// Unit that residuals are measured in.
    pub unit: f64,
}

impl Term for AboveGround {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let position = &knot.data.position;
        let allowed = self.allowed + 0.5 * knot.model.options.laws.invertible.hover;
        for &ContactBall { body, centre: local, radius } in &self.points {
            let b = body.idx();
            let p = position.p_WB[b] + position.quat_WB[b].rotate(local);
            out.row((self.ground - allowed - p.z + radius) / self.unit);
            if out.wants_jacobian() {
                let r = p - position.com[knot.model.bodies.root[b].idx()];
                for i in dofs_of(knot.model, b) {
                    let S = position.S[i];
                    out.add(Part::Q, i, -(S.lin + S.ang.cross(r)).z / self.unit);
                }
            }
        }
    }
}
