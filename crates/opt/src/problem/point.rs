//! Motion of a point that is fixed in a body, and its derivatives by q and v.
//!
//! v_p = Σ_i J_i v_i. A change of dof j rotates the part of the chain behind it, and moves the
//! point in the motion of the part before it:
//!   ∂v_p/∂q_j = ω_j × (v_p − v_p^{<j}) + Ω^{<j} × J_j,   ω^·/∂q_j = ω_j × (Ω − Ω^{<j})                       (1)
//! where ω_j, J_j are the angular and linear parts of the dof's column, and v_p^{<j}, Ω^{<j} the
//! velocities that the dofs before it make by themselves. The three axes of a ball turn with it:
//! for each, all three count as behind it.

use crate::problem::tangent::Rotations;
use saltus_math::Vec3;
use saltus_sim::kinematics::jacobian::dofs_of;
use saltus_sim::{Data, Model};

/// One dof that moves the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The dof.
    pub dof: usize,
    /// Derivatives of the velocity of the point and of its body's angular velocity by the velocity
    /// of the dof; also of the position by its coordinate.
    pub linear: Vec3,
    /// Derivative of the angular velocity by the velocity of the dof.
    pub angular: Vec3,
    /// Derivatives of both velocities by the coordinate of the dof.
    pub linear_by_q: Vec3,
    /// Derivative of the angular velocity by the coordinate of the dof.
    pub angular_by_q: Vec3,
}

/// Velocity of a point and its derivatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointMotion {
    /// Velocity of the point.
    pub velocity: Vec3,
    /// Angular velocity of its body.
    pub angular: Vec3,
    /// Derivatives by the dofs that move the point.
    pub columns: Vec<Column>,
}

impl PointMotion {
    /// The motion of the world point `p` that is fixed in `body`, without its derivatives: from the
    /// velocity stage of `data`.
    pub fn of_values(model: &Model, data: &Data, body: usize, p: Vec3) -> Self {
        let V = data.velocity.V[body].shifted(p - data.position.com[model.bodies.root[body].idx()]);
        Self { velocity: V.lin, angular: V.ang, columns: Vec::new() }
    }

    /// The motion of the world point `p` that is fixed in `body`, from the velocity stage of
    /// `data`.
    pub fn new(model: &Model, rotations: &Rotations, data: &Data, body: usize, p: Vec3) -> Self {
        let r = p - data.position.com[model.bodies.root[body].idx()];
        let zero = Vec3::ZERO;
        let mut columns: Vec<Column> = Vec::with_capacity(model.size.nv);
        for dof in dofs_of(model, body) {
            let S = data.position.S[dof];
            let linear = S.lin + S.ang.cross(r);
            columns.push(Column { dof, linear, angular: S.ang, linear_by_q: zero, angular_by_q: zero });
        }
        columns.reverse();
        let sum = |(v, w): (Vec3, Vec3), c: &Column| {
            (v + c.linear * data.state.v[c.dof], w + c.angular * data.state.v[c.dof])
        };
        let Self { velocity, angular, .. } = Self::of_values(model, data, body, p);
        // Velocities before the present column, and before the joint that it belongs to: of a ball,
        // what is before its first axis is before all.
        let mut so_far = (zero, zero);
        let mut before = so_far;
        for c in &mut columns {
            if !matches!(rotations.of_dof[c.dof], Some((_, 1 | 2))) {
                before = so_far;
            }
            so_far = sum(so_far, c);
            c.linear_by_q = c.angular.cross(velocity - before.0) + before.1.cross(c.linear);
            c.angular_by_q = c.angular.cross(angular - before.1);
        }
        Self { velocity, angular, columns }
    }
}
