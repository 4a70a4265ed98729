//! Left and right do the same at the same time: each configuration is its own mirror image.
//!
//! r = w ½ (q ⊖ P q),   ∂r/∂δ = w ½ (J₂ + J₁ P̂),                                                    (1)
//! P the reflection, J₂ and J₁ the derivatives of the difference by its second and first
//! configuration (`tangent`). Since P̂ r = −r, one dof of each pair is enough, and of the dofs that
//! are their own partners those whose sign changes.

use crate::problem::Term;
use crate::problem::mirror::Mirror;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::{Rotations, log_jacobian, turn};
use saltus_sim::kinematics::coordinates::difference;

/// Distance from the mirror image, (1).
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetry {
    /// Left and right.
    pub mirror: Mirror,
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// nv; 0: free.
    pub weights: Vec<f64>,
}

impl Term for Symmetry {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let (model, q) = (knot.model, knot.q());
        let mut image = vec![0.0; q.len()];
        self.mirror.apply(q, &mut image);
        let mut r = vec![0.0; model.size.nv];
        difference(model, &image, q, 1.0, &mut r);
        for (i, &(partner, sign)) in self.mirror.dof.iter().enumerate() {
            let says_something = partner > i || (partner == i && sign < 0.0);
            if self.weights[i] == 0.0 || !says_something {
                continue;
            }
            let w = 0.5 * self.weights[i];
            out.row(w * r[i]);
            let Some((rotation, k)) = self.rotations.of_dof[i] else {
                out.add(Part::Q, i, w);
                out.add(Part::Q, partner, -w * sign);
                continue;
            };
            let at = self.rotations.at[rotation];
            let jacobian = log_jacobian(turn(at, &image, q));
            let (by_second, by_first) = (jacobian.transpose().col(k).to_array(), jacobian.col(k).to_array());
            for c in 0..3 {
                let (source, sign) = self.mirror.dof[at.1 + c];
                out.add(Part::Q, at.1 + c, w * by_second[c]);
                out.add(Part::Q, source, -w * sign * by_first[c]);
            }
        }
    }
}
