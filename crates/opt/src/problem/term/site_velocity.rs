//! Velocity of a point that is fixed in a body.

use super::Frame;
use crate::problem::Term;
use crate::problem::point::PointMotion;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::Rotations;
use saltus_math::Vec3;

/// r = w (v_p − target), and the same for the angular velocity of the body, along the axes of the
/// world.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteVelocity {
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// The frame whose origin is the point.
    pub frame: Frame,
    /// Target velocity, world, m/s.
    pub target: Vec3,
    /// Target angular velocity, world, rad/s.
    pub angular_target: Vec3,
    /// Weights of the velocity by axis; 0: free.
    pub weights: Vec3,
    /// Weights of the angular velocity by axis; 0: free.
    pub angular_weights: Vec3,
}

impl Term for SiteVelocity {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let p = self.frame.place(knot.data);
        let motion = PointMotion::new(knot.model, &self.rotations, knot.data, self.frame.body.idx(), p);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let w = axis.dot(self.weights);
            if w != 0.0 {
                out.row(w * axis.dot(motion.velocity - self.target));
                for c in &motion.columns {
                    out.add(Part::Q, c.dof, w * axis.dot(c.linear_by_q));
                    out.add(Part::V, c.dof, w * axis.dot(c.linear));
                }
            }
            let w = axis.dot(self.angular_weights);
            if w != 0.0 {
                out.row(w * axis.dot(motion.angular - self.angular_target));
                for c in &motion.columns {
                    out.add(Part::Q, c.dof, w * axis.dot(c.angular_by_q));
                    out.add(Part::V, c.dof, w * axis.dot(c.angular));
                }
            }
        }
    }
}
