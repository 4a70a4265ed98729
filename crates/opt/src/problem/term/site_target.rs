//! Position of a point that is fixed in a body.

use super::Frame;
use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_math::Vec3;
use saltus_sim::kinematics::jacobian::dofs_of;

/// r = w (p − target) along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteTarget {
    /// The frame whose origin is the point.
    pub frame: Frame,
    /// The target position, world, m.
    pub target: Vec3,
    /// Weight by axis; 0: free.
    pub weights: Vec3,
}

impl Term for SiteTarget {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let (position, b) = (&knot.data.position, self.frame.body.idx());
        let p = self.frame.place(knot.data);
        let r = p - position.com[knot.model.bodies.root[b].idx()];
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let w = axis.dot(self.weights);
            if w == 0.0 {
                continue;
            }
            out.row(w * axis.dot(p - self.target));
            if out.wants_jacobian() {
                for i in dofs_of(knot.model, b) {
                    let S = position.S[i];
                    out.add(Part::Q, i, w * axis.dot(S.lin + S.ang.cross(r)));
                }
            }
        }
    }
}
