//! Scalar rows: limits, dry friction, equalities of joints and tendons.
//!
//! The law gives f and the derivatives of −f with respect to the residual r, J v and J a
//! (`response`); ∂r = J δ. Rows of tendons are passed on to `tendon`; others are added here, with
//! the contribution of ∂J.

use super::outer::{Row, add_outer};
use super::passive::add_block;
use super::response::Answers;
use super::so3;
use super::sweep::Matrices;
use super::tendon::Tendons;
use crate::data::{Block, Data, RowKind};
use crate::model::Model;
use crate::model::kinds::{EqualityType, JointKind};
use saltus_math::{Mat3, Quat, Vec3, normalize};

/// Adds all rows except those of contacts, connects and welds.
pub(super) fn add(model: &Model, data: &Data, answers: &Answers<'_>, tendons: &mut Tendons, out: &mut Matrices) {
    let (nv, rows) = (model.size.nv, &data.constraints);
    for (k, block) in rows.blocks.iter().enumerate() {
        let J = Row::new(&rows.col[block.cols.range()], &rows.J[block.row_values(0)]);
        match block.kind {
            RowKind::Equality => match model.equalities.kind[block.id as usize] {
                EqualityType::Joint => add_joint_equality(model, data, block, answers, out),
                EqualityType::Tendon => tendons.equalities.push(k),
                EqualityType::Connect | EqualityType::Weld => {}
            },
            RowKind::LimitJoint if model.joints.kind[block.id as usize] == JointKind::Ball => {
                add_ball_limit(model, data, block, answers, out);
            }
            RowKind::FrictionDof | RowKind::LimitJoint => {
                answers.row(block).1.add_constant_row(J, nv, out);
            }
            RowKind::FrictionTendon => {
                let (f, stiffness) = answers.row(block);
                tendons.add(block.id as usize, f, stiffness);
            }
            RowKind::LimitTendon => {
                let (f, stiffness) = answers.row(block);
                tendons.add(block.id as usize, f * tendon_sign(model, data, block), stiffness);
            }
            RowKind::ContactFrictionless | RowKind::ContactPyramidal | RowKind::ContactElliptic => break,
        }
    }
}

/// Sign of the derivative of a tendon limit's residual with respect to the length, which tells the
/// lower from the upper limit.
pub(super) fn tendon_sign(model: &Model, data: &Data, block: &Block) -> f64 {
    let lower = data.position.tendon_length[block.id as usize] - model.tendons.range[block.id as usize][0];
    if data.constraints.pos[block.rows.start as usize] == lower { 1.0 } else { -1.0 }
}

/// ∂J of the limit of a ball joint: J = −x/|x| with x the rotation vector, ∂J = −(1 − x xᵀ/|x|²)
/// J_r⁻¹(x) / |x|.
pub(super) fn ball_limit_change(model: &Model, data: &Data, j: usize) -> Mat3 {
    let i = model.joints.q_start[j] as usize;
    let turn = Quat::from_slice(&data.state.q[i..i + 4]).normalized().log();
    let (axis, angle) = normalize(turn);
    if angle == 0.0 {
        return Mat3::ZERO;
    }
    let across = Mat3::IDENTITY - Mat3::new(axis * axis.x, axis * axis.y, axis * axis.z);
    (across * so3::right_jacobian_inverse(turn)) * (-1.0 / angle)
}

fn add_ball_limit(model: &Model, data: &Data, block: &Block, answers: &Answers<'_>, out: &mut Matrices) {
    let (nv, j) = (model.size.nv, block.id as usize);
    let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
    let turn = Quat::from_slice(&data.state.q[i..i + 4]).normalized().log();
    let (axis, angle) = normalize(turn);
    let (f, stiffness) = answers.row(block);
    if (f == 0.0 && stiffness.is_zero()) || angle == 0.0 {
        return;
    }
    let J_change = ball_limit_change(model, data, j);
    let J = -axis;
    let v = Vec3::from_slice(&data.state.v[d..]);
    let a = Vec3::from_slice(&answers.a[d..]);
    let by_q = J * stiffness.length + J_change.tmul(v * stiffness.velocity + a * stiffness.acceleration);
    let outer = |y: Vec3| Mat3::new(y * J.x, y * J.y, y * J.z);
    add_block(&mut out.q, nv, d, &(outer(by_q) - J_change * f));
    add_block(&mut out.v, nv, d, &outer(J * stiffness.velocity));
    add_block(&mut out.a, nv, d, &outer(J * stiffness.acceleration));
}

/// Slope and curvature of the polynomial of an equality.
pub(super) fn polynomial_slopes(c: &[f64; 12], x: f64) -> (f64, f64) {
    let slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
    (slope, 2.0 * c[2] + x * (6.0 * c[3] + x * 12.0 * c[4]))
}

/// r = y − p(x), J = (1, −p').
fn add_joint_equality(model: &Model, data: &Data, block: &Block, answers: &Answers<'_>, out: &mut Matrices) {
    let (nv, rows, e) = (model.size.nv, &data.constraints, block.id as usize);
    let J = Row::new(&rows.col[block.cols.range()], &rows.J[block.row_values(0)]);
    let (f, stiffness) = answers.row(block);
    stiffness.add_constant_row(J, nv, out);
    let Some(x) = model.equalities.object2[e].map(|j| j as usize) else { return };
    let i = model.joints.q_start[x] as usize;
    let curvature = polynomial_slopes(&model.equalities.data[e], data.state.q[i] - model.q0[i]).1;
    let d = model.joints.dof_start[x] as usize;
    out.q[d * nv + d] += f * curvature;
    let drift = stiffness.velocity * data.state.v[d] + stiffness.acceleration * answers.a[d];
    add_outer(&mut out.q, nv, -curvature * drift, J, Row::new(&[d as u32], &[1.0]));
}
