//! Motion of a point that is fixed in a body, and its derivatives by q and v.
//!
//! v_p = Σ_i J_i v_i. A change of dof j turns what lies behind it, and moves the point in the motion before it:
//!   ∂v_p/∂q_j = ω_j × (v_p − v_p^{<j}) + Ω^{<j} × J_j,   ω^·/∂q_j = ω_j × (Ω − Ω^{<j})                       (1)
//! where ω_j, J_j are the angular and linear parts of the dof's column, and v_p^{<j}, Ω^{<j} the velocities that the dofs
//! before it make by themselves. The three axes of a ball turn with it: for each, all three count as behind it.

use crate::tangent::Rotations;
use saltus_math::Vec3;
use saltus_sim::kinematics::jacobian::dofs_of;
use saltus_sim::{Data, Model};

/// One dof that moves the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    pub dof: usize,
    /// Derivatives of the velocity of the point and of its body's angular velocity by the velocity of the dof; also of the
    /// position by its coordinate.
    pub linear: Vec3,
    pub angular: Vec3,
    /// Derivatives of both velocities by the coordinate of the dof.
    pub linear_by_q: Vec3,
    pub angular_by_q: Vec3,
}

/// Velocity of a point and its derivatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointMotion {
    pub velocity: Vec3,
    pub angular: Vec3,
    pub columns: Vec<Column>,
}

impl PointMotion {
    /// The motion of the world point `p` that is fixed in `body`, from the position stage of `data`.
    pub fn new(model: &Model, rotations: &Rotations, data: &Data, body: usize, p: Vec3) -> Self {
        let r = p - data.position.com[model.bodies.root[body].idx()];
        let mut dofs: Vec<usize> = dofs_of(model, body).collect();
        dofs.reverse();
        let zero = Vec3::ZERO;
        let column = |dof: usize| {
            let S = data.position.S[dof];
            let linear = S.lin + S.ang.cross(r);
            Column { dof, linear, angular: S.ang, linear_by_q: zero, angular_by_q: zero }
        };
        let mut columns: Vec<Column> = dofs.iter().map(|&dof| column(dof)).collect();
        let (mut velocity, mut angular) = (zero, zero);
        let mut before = Vec::with_capacity(columns.len());
        for c in &columns {
            // Of a ball, what is before its first axis is before all.
            match rotations.of_dof[c.dof] {
                Some((_, k)) if k > 0 => before.push(before[before.len() - k]),
                _ => before.push((velocity, angular)),
            }
            let v = data.state.v[c.dof];
            velocity += c.linear * v;
            angular += c.angular * v;
        }
        for (c, (v_before, w_before)) in columns.iter_mut().zip(before) {
            c.linear_by_q = c.angular.cross(velocity - v_before) + w_before.cross(c.linear);
            c.angular_by_q = c.angular.cross(angular - w_before);
        }
        Self { velocity, angular, columns }
    }
}
