//! Feet in contact do not slide, and moving feet are lifted.

use crate::geometry::ContactBall;
use crate::problem::Term;
use crate::problem::point::PointMotion;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::Rotations;
use saltus_math::{Vec3, real};

/// r = w v s(g/d) in all directions: v the velocity of a point, g its height above the ground.
/// Along the normal it makes feet touch down softly.
#[derive(Clone, Debug, PartialEq)]
pub struct Slip {
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// Body, centre in its frame and radius of the balls.
    pub points: Vec<ContactBall>,
    /// Height of the ground and over which it fades, m.
    pub ground: f64,
    /// Height over which it fades, m.
    pub fade: f64,
    /// Weight of the residuals.
    pub weight: f64,
}

impl Term for Slip {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let position = &knot.data.position;
        for &ContactBall { body, centre: local, radius } in &self.points {
            let b = body.idx();
            let p = position.p_WB[b] + position.quat_WB[b].rotate(local);
            let motion = if out.wants_jacobian() {
                PointMotion::new(knot.model, &self.rotations, knot.data, b, p)
            } else {
                PointMotion::of_values(knot.model, knot.data, b, p)
            };
            // Below the ground the weight is bounded, smoothly.
            let g = (p.z - radius - self.ground) / self.fade;
            let (share, slope) = fade(g);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let v = axis.dot(motion.velocity);
                out.row(self.weight * share * v);
                for c in &motion.columns {
                    let by_q = share * axis.dot(c.linear_by_q) + slope * c.linear.z / self.fade * v;
                    out.add(Part::Q, c.dof, self.weight * by_q);
                    out.add(Part::V, c.dof, self.weight * share * axis.dot(c.linear));
                }
            }
        }
    }
}

/// 2/(1 + eᵍ) and its derivative: 1 on the ground, 2 e⁻ᵍ far above, 2 far below.
pub(super) fn fade(g: f64) -> (f64, f64) {
    let e = real::exp(-g.abs());
    let share = if g > 0.0 { 2.0 * e / (1.0 + e) } else { 2.0 / (1.0 + e) };
    (share, -0.5 * share * (2.0 - share))
}
