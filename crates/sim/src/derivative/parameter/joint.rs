//! Derivatives with respect to springs, dampers, armature, dry friction and limits of joints.

use super::product::{Implicit, Vector};
use super::{Parameter, Point, Quantity};
use crate::data::{Block, RowKind};
use crate::dynamics::derivatives::calc_dof_damping;
use crate::dynamics::passive::{ball_displacement, joint_spring};
use crate::model::kinds::JointKind;
use crate::options::Disable;
use saltus_math::Vec3;

fn add_vector(target: &mut [f64], x: Vec3) {
    target.iter_mut().zip(x.to_array()).for_each(|(t, x)| *t += x);
}

pub(super) fn add(point: &Point<'_>, Parameter { quantity, element: j, component: k }: Parameter, column: &mut [f64]) {
    let (model, data) = (point.at.model, point.at.data);
    let (i, d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
    let q = &data.state.q;
    match quantity {
        Quantity::JointDamping if !point.off(Disable::DAMPER) => column[d + k] += data.state.v[d + k],
        Quantity::JointArmature => column[d + k] += data.acceleration.a[d + k],
        Quantity::JointFrictionLoss => {
            each_block(point, RowKind::FrictionDof, d + k, |block| {
                column[d + k] -= point.answers.by_loss(model, block)
            });
        }
        Quantity::JointStiffness if !point.off(Disable::SPRING) => match model.joints.kind[j] {
            JointKind::Slide | JointKind::Hinge => column[d] += q[i] - model.q_spring[i],
            JointKind::Ball => add_vector(&mut column[d..d + 3], ball_displacement(model, q, i)),
            JointKind::Free => {
                let x = Vec3::from_slice(&q[i..]) - Vec3::from_slice(&model.q_spring[i..]);
                add_vector(&mut column[d..d + 3], x);
                add_vector(&mut column[d + 3..d + 6], ball_displacement(model, q, i + 3));
            }
        },
        Quantity::JointSpringRef if !point.off(Disable::SPRING) => {
            column[d] -= joint_spring(model, j).spring_slope(q[i] - model.q_spring[i]);
        }
        Quantity::JointRange => each_block(point, RowKind::LimitJoint, j, |block| limit(point, block, k, column)),
        _ => {}
    }
}

/// Calls `f` for the blocks of one kind and one element.
pub(super) fn each_block(point: &Point<'_>, kind: RowKind, id: usize, f: impl FnMut(&Block)) {
    point.at.data.constraints.blocks.iter().filter(|b| b.kind == kind && b.id as usize == id).for_each(f);
}

/// Derivative with respect to a limit: r = value − low or r = high − value, and
/// −∂f = stiffness · ∂r.
pub(super) fn limit(point: &Point<'_>, block: &Block, side: usize, column: &mut [f64]) {
    let (rows, i) = (&point.at.data.constraints, block.rows.start as usize);
    let range = match block.kind {
        RowKind::LimitJoint => point.at.model.joints.range[block.id as usize],
        _ => point.at.model.tendons.range[block.id as usize],
    };
    let value = match block.kind {
        RowKind::LimitJoint => point.at.data.state.q[point.at.model.joints.q_start[block.id as usize] as usize],
        _ => point.at.data.position.tendon_length[block.id as usize],
    };
    let own = usize::from(rows.pos[i] != value - range[0]);
    if own != side {
        return;
    }
    let change = point.answers.row(block).1.length * if side == 0 { -1.0 } else { 1.0 };
    for (&c, J) in rows.col[block.cols.range()].iter().zip(&rows.J[block.row_values(0)]) {
        column[c as usize] += J * change;
    }
}

/// ∂M y.
pub(super) fn add_product(point: &Point<'_>, y: &Vector<'_>, parameter: Parameter, column: &mut [f64]) {
    let d = point.at.model.joints.dof_start[parameter.element] as usize + parameter.component;
    column[d] += y.y[d];
}

/// ∂((M̂ − M) x + s h K v).
pub(super) fn add_implicit(point: &Point<'_>, implicit: &Implicit<'_>, parameter: Parameter, column: &mut [f64]) {
    let (model, j) = (point.at.model, parameter.element);
    let (mut i, mut d) = (model.joints.q_start[j] as usize, model.joints.dof_start[j] as usize);
    let (q, v) = (&point.at.data.state.q, &point.at.data.state.v);
    if parameter.quantity == Quantity::JointDamping {
        if !point.off(Disable::DAMPER) {
            let mut damping = vec![0.0; model.size.nv];
            calc_dof_damping(model, point.at.data, &mut damping);
            d += parameter.component;
            column[d] += implicit.answer(implicit.counted(damping[d], 1.0), 0.0, implicit.x[d], v[d]);
        }
        return;
    }
    if point.off(Disable::SPRING) || !implicit.is_discrete() {
        return;
    }
    let poly = joint_spring(model, j);
    let mut add = |d: usize, n: usize, stretch: f64| {
        let change = if parameter.quantity == Quantity::JointStiffness { 1.0 } else { -poly.spring_curvature(stretch) };
        let change = implicit.counted(poly.spring_slope(stretch), change);
        (d..d + n).for_each(|d| column[d] += implicit.answer(0.0, change, implicit.x[d], v[d]));
    };
    match model.joints.kind[j] {
        JointKind::Slide | JointKind::Hinge => add(d, 1, q[i] - model.q_spring[i]),
        kind => {
            if kind == JointKind::Free {
                add(d, 3, (Vec3::from_slice(&q[i..]) - Vec3::from_slice(&model.q_spring[i..])).length());
                (i, d) = (i + 3, d + 3);
            }
            add(d, 3, ball_displacement(model, q, i).length());
        }
    }
}
