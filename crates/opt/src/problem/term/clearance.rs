//! Moving feet keep a clearance above the ground.

use crate::geometry::ContactBall;
use crate::problem::Term;
use crate::problem::point::PointMotion;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::Rotations;
use saltus_math::Vec3;

/// r = w s(c − z) v along the ground: v the horizontal velocity of a point, z its height, c the
/// clearance that is requested while it moves. s(x) = ½ (x + √(x² + ¼c²)) is x far below the
/// clearance and fades above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Clearance {
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// Body, centre in its frame and radius of the balls.
    pub points: Vec<ContactBall>,
    /// Height of the ground and the clearance above it, m.
    pub ground: f64,
    /// The clearance that is requested, m.
    pub clearance: f64,
    /// Weight of the residuals.
    pub weight: f64,
}

impl Term for Clearance {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let position = &knot.data.position;
        for &ContactBall { body, centre: local, radius } in &self.points {
            let b = body.idx();
            let p = position.p_WB[b] + position.quat_WB[b].rotate(local);
            let motion = PointMotion::new(knot.model, &self.rotations, knot.data, b, p);
            let missing = self.clearance - (p.z - radius - self.ground);
            let root = (missing * missing + 0.25 * self.clearance * self.clearance).sqrt();
            let (share, slope) = (0.5 * (missing + root), 0.5 * (1.0 + missing / root));
            for axis in [Vec3::X, Vec3::Y] {
                let v = axis.dot(motion.velocity);
                out.row(self.weight * share * v);
                for c in &motion.columns {
                    let by_q = share * axis.dot(c.linear_by_q) - slope * c.linear.z * v;
                    out.add(Part::Q, c.dof, self.weight * by_q);
                    out.add(Part::V, c.dof, self.weight * share * axis.dot(c.linear));
                }
            }
        }
    }
}
