//! Orientation of a frame that is fixed in a body.
//!
//! r = w log(R*ᵀ R) in the axes of the frame. Dof i turns the frame by ω_i in the world, Rᵀ ω_i in
//! its own axes, so that
//!   ∂r/∂q_i = J_r⁻¹(r) Rᵀ ω_i                                                                                 (1)
//! with J_r⁻¹ of `tangent`. The residual is smooth except at rotations by π.

use super::Frame;
use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::log_jacobian;
use saltus_math::{Quat, Vec3};
use saltus_sim::kinematics::jacobian::dofs_of;

/// The rotation from `target` to the frame, as a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteOrientation {
    /// The frame.
    pub frame: Frame,
    /// The target orientation.
    pub target: Quat,
    /// By axis of the frame; 0: free.
    pub weights: Vec3,
}

impl Term for SiteOrientation {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let turned = self.frame.turned(knot.data);
        let r = (self.target.conj() * turned).log();
        let jacobian = log_jacobian(r);
        let rows = [jacobian.r0, jacobian.r1, jacobian.r2];
        for (k, row) in rows.into_iter().enumerate() {
            let w = self.weights.to_array()[k];
            if w == 0.0 {
                continue;
            }
            out.row(w * r.to_array()[k]);
            if out.wants_jacobian() {
                // (1)
                let along = turned.rotate(row);
                for i in dofs_of(knot.model, self.frame.body.idx()) {
                    out.add(Part::Q, i, w * along.dot(knot.data.position.S[i].ang));
                }
            }
        }
    }
}
