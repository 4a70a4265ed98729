//! Momentum of bodies: linear, and angular about their common centre of mass.
//!
//!   P = Σ m v,   L = Σ I ω + m (p − c) × v                                                                    (1)
//! with v, ω, p of the centre of mass of each body. By a coordinate q_j, where ω_j, J_j are the
//! columns of a body's motion,
//!   ∂(I ω) = ω_j × I ω + I (∂ω − ω_j × ω),   ∂(m (p − c) × v) = m ((J_j − ∂c) × v + (p − c) × ∂v).           (2)
//! Σ m ∂c × v = ∂c × P, with M ∂c = Σ m J_j = ∂P/∂v_j.

use crate::problem::Term;
use crate::problem::point::PointMotion;
use crate::problem::rows::{Knot, Part, Rows};
use crate::problem::tangent::Rotations;
use saltus_math::Vec3;
use saltus_sim::ids::BodyId;

/// r = w (P − target), and the same for L, along the axes of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Momentum {
    /// Which dofs are rotations.
    pub rotations: Rotations,
    /// The bodies.
    pub bodies: Vec<BodyId>,
    /// kg m/s.
    pub linear: Vec3,
    /// kg m²/s.
    pub angular: Vec3,
    /// By axis; 0: free.
    pub weights: Vec3,
    /// Weights of the angular part.
    pub angular_weights: Vec3,
}

/// Derivatives of P and L by one dof.
#[derive(Clone, Copy, Default)]
struct Column {
    linear_by_q: Vec3,
    linear_by_v: Vec3,
    angular_by_q: Vec3,
    angular_by_v: Vec3,
}

impl Term for Momentum {
    fn evaluate(&self, knot: &Knot<'_>, out: &mut Rows) {
        let (linear, angular, columns) = self.sum(knot);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let w = axis.dot(self.weights);
            if w != 0.0 {
                out.row(w * axis.dot(linear - self.linear));
                for (i, c) in columns.iter().enumerate() {
                    out.add(Part::Q, i, w * axis.dot(c.linear_by_q));
                    out.add(Part::V, i, w * axis.dot(c.linear_by_v));
                }
            }
            let w = axis.dot(self.angular_weights);
            if w != 0.0 {
                out.row(w * axis.dot(angular - self.angular));
                for (i, c) in columns.iter().enumerate() {
                    out.add(Part::Q, i, w * axis.dot(c.angular_by_q));
                    out.add(Part::V, i, w * axis.dot(c.angular_by_v));
                }
            }
        }
    }
}

impl Momentum {
    /// (1) and (2).
    fn sum(&self, knot: &Knot<'_>) -> (Vec3, Vec3, Vec<Column>) {
        let (model, position) = (knot.model, &knot.data.position);
        let own = |b: &BodyId| (model.bodies.mass[b.idx()], position.p_WI[b.idx()]);
        let mass: f64 = self.bodies.iter().map(|b| own(b).0).sum();
        let centre = self.bodies.iter().map(own).map(|(m, p)| p * (m / mass)).sum::<Vec3>();
        let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
        let mut columns = vec![Column::default(); model.size.nv];
        for body in &self.bodies {
            let (b, (m, p)) = (body.idx(), own(body));
            let motion = PointMotion::new(model, &self.rotations, knot.data, b, p);
            let R = &position.R_WI[b];
            let times_inertia = |w: Vec3| *R * (model.bodies.inertia[b] * R.tmul(w));
            let (v, w, arm) = (motion.velocity, motion.angular, p - centre);
            let spin = times_inertia(w);
            linear += v * m;
            angular += spin + arm.cross(v) * m;
            for c in &motion.columns {
                let column = &mut columns[c.dof];
                column.linear_by_v += c.linear * m;
                column.linear_by_q += c.linear_by_q * m;
                column.angular_by_v += times_inertia(c.angular) + arm.cross(c.linear) * m;
                column.angular_by_q += c.angular.cross(spin) + times_inertia(c.angular_by_q - c.angular.cross(w));
                column.angular_by_q += (c.linear.cross(v) + arm.cross(c.linear_by_q)) * m;
            }
        }
        for column in &mut columns {
            column.angular_by_q -= column.linear_by_v.cross(linear) / mass;
        }
        (linear, angular, columns)
    }
}
