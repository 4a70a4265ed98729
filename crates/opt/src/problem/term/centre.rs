//! Position of the centre of mass.

use crate::problem::Term;
use crate::problem::rows::{Knot, Part, Rows};
use saltus_math::Vec3;
use saltus_sim::Model;
use saltus_sim::ids::BodyId;
use saltus_sim::kinematics::jacobian::dofs_of;

/// r = w (c − target) along the axes of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct CentreOfMass {
    /// The bodies whose common centre of mass it is.
    pub bodies: Vec<BodyId>,
    /// The target position, world, m.
    pub target: Vec3,
    /// Weight by axis; 0: free.
    pub weights: Vec3,
}

/// A body and its moving descendants; all moving bodies if no body is given.
pub fn moving_bodies(model: &Model, root: Option<BodyId>) -> Vec<BodyId> {
    let root = root.map_or(0, |b| b.idx());
    let up = |b: usize| core::iter::successors(Some(b), |&x| (x != 0).then(|| model.bodies.parent[x].idx()));
    let chosen = |&b: &usize| model.bodies.tree[b].is_some() && up(b).any(|x| x == root);
    (1..model.nbody()).filter(chosen).map(BodyId::new).collect()
}

impl Term for CentreOfMass {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let (model, position) = (knot.model, &knot.data.position);
        let mass: f64 = self.bodies.iter().map(|b| model.bodies.mass[b.idx()]).sum();
        let mut centre = Vec3::ZERO;
        let mut columns = vec![Vec3::ZERO; if out.wants_jacobian() { model.size.nv } else { 0 }];
        for b in self.bodies.iter().map(|b| b.idx()) {
            let share = model.bodies.mass[b] / mass;
            centre += position.p_WI[b] * share;
            if out.wants_jacobian() {
                let r = position.p_WI[b] - position.com[model.bodies.root[b].idx()];
                for i in dofs_of(model, b) {
                    let S = position.S[i];
                    columns[i] += (S.lin + S.ang.cross(r)) * share;
                }
            }
        }
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let w = axis.dot(self.weights);
            if w != 0.0 {
                out.row(w * axis.dot(centre - self.target));
                for (i, c) in columns.iter().enumerate() {
                    out.add(Part::Q, i, w * axis.dot(*c));
                }
            }
        }
    }
}
