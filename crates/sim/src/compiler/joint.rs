//! Joints, degrees of freedom, coordinates in the reference pose.

use super::limits::{limited, push_user, user_len};
use super::names::{Element, Outcome};
use super::work::WorkBody;
use crate::ids::{BodyId, DofId, JointId, Span};
use crate::model::Model;
use crate::model::kinds::JointKind;
use crate::model::spec::{JointSpec, ModelSpec};
use saltus_math::{MIN_VAL, Vec3, normalize};

/// Shortest axis whose direction is defined.
const MIN_AXIS: f64 = 1e-14;

/// Fills the tables of joints and dofs and the reference coordinates.
pub(super) fn fill_joints(spec: &ModelSpec, bodies: &[WorkBody], model: &mut Model) -> Outcome {
    let users = bodies.iter().flat_map(|b| &b.spec.joints).map(|j| j.user.as_slice());
    model.joints.user_len = user_len("joint", spec.size.user_joint, users)?;
    for (id, body) in bodies.iter().enumerate() {
        check_combination(body, &body.element(id))?;
        let (first_joint, first_dof) = (model.joints.kind.len(), model.dofs.body.len());
        for joint in &body.spec.joints {
            let index = model.joints.kind.len();
            let element = Element::new("joint", &joint.name, index, &joint.place);
            push_joint(joint, &element, body, id, spec.compiler.auto_limits, model)?;
        }
        model.bodies.joints[id] = Span::new(first_joint, model.joints.kind.len() - first_joint);
        model.bodies.dofs[id] = Span::new(first_dof, model.dofs.body.len() - first_dof);
        if let Some(tree) = model.bodies.tree[id] {
            let dofs = &mut model.trees.dofs[tree.idx()];
            if dofs.len == 0 {
                dofs.start = first_dof as u32;
            }
            dofs.len += model.bodies.dofs[id].len;
        }
    }
    model.size.nq = model.q0.len();
    model.size.nv = model.dofs.body.len();
    Ok(())
}

/// Checks for at most six dofs, no rotation after a ball joint, and a free joint only for children
/// of the world.
fn check_combination(body: &WorkBody, element: &Element) -> Outcome {
    let joints = &body.spec.joints;
    let dofs: usize = joints.iter().map(|j| j.kind.nv()).sum();
    element.check(dofs <= 6, || format!("a body can have at most 6 degrees of freedom, got {dofs}"))?;
    let mut after_ball = false;
    for joint in joints {
        let rotates = matches!(joint.kind, JointKind::Ball | JointKind::Hinge);
        element.check(!(after_ball && rotates), || "a ball joint cannot be followed by another rotation".into())?;
        after_ball |= joint.kind == JointKind::Ball;
        element.check(joint.kind != JointKind::Free || body.parent == 0, || {
            "a free joint can only be on a child of the world".into()
        })?;
    }
    Ok(())
}

fn push_joint(
    joint: &JointSpec,
    element: &Element,
    body: &WorkBody,
    body_id: usize,
    auto_limits: bool,
    model: &mut Model,
) -> Outcome {
    check_numbers(joint, element)?;
    let scalar = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
    let axis = if scalar {
        let (axis, length) = normalize(joint.axis);
        element.check(length > MIN_AXIS, || "the axis must not be zero".into())?;
        axis
    } else {
        Vec3::Z
    };
    let table = &mut model.joints;
    table.q_start.push(model.q0.len() as u32);
    table.dof_start.push(model.dofs.body.len() as u32);
    table.name.push(joint.name.clone());
    table.kind.push(joint.kind);
    table.body.push(BodyId::new(body_id));
    table.actuator.push(None);
    table.group.push(joint.group);
    table.limited.push(is_limited(joint, element, auto_limits)?);
    let force_limited =
        limited(element, "actuatorfrc", joint.actuator_force_limited, joint.actuator_force_range, auto_limits)?;
    table.actuator_force_limited.push(force_limited);
    table.actuator_gravcomp.push(joint.actuator_gravcomp);
    table.solref.push(joint.solref_limit);
    table.solimp.push(joint.solimp_limit);
    table.pos.push(if joint.kind == JointKind::Free { Vec3::ZERO } else { joint.pos });
    table.axis.push(axis);
    table.stiffness.push(joint.stiffness[0]);
    table.stiffness_poly.push([joint.stiffness[1], joint.stiffness[2]]);
    table.range.push(joint.range);
    table.actuator_force_range.push(joint.actuator_force_range);
    table.margin.push(joint.margin);
    push_user(&mut table.user, &joint.user, table.user_len);
    push_dofs(joint, body_id, model);
    match joint.kind {
        JointKind::Free => {
            let (p, q) = (body.spec.pos, body.spec.quat);
            let pose = [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
            model.q0.extend(pose);
            model.q_spring.extend(pose);
        }
        JointKind::Ball => {
            model.q0.extend([1.0, 0.0, 0.0, 0.0]);
            model.q_spring.extend([1.0, 0.0, 0.0, 0.0]);
        }
        JointKind::Slide | JointKind::Hinge => {
            model.q0.push(joint.reference);
            model.q_spring.push(joint.spring_reference);
        }
    }
    Ok(())
}

fn is_limited(joint: &JointSpec, element: &Element, auto_limits: bool) -> Outcome<bool> {
    match joint.kind {
        JointKind::Free => {
            element.check(joint.limited != Some(true), || "a free joint cannot be limited".into())?;
            Ok(false)
        }
        // The range of a ball joint is (0, largest angle).
        JointKind::Ball if joint.limited == Some(true) => {
            element.check(joint.range[0] == 0.0, || "the range of a ball joint must begin at 0".into())?;
            Ok(true)
        }
        JointKind::Ball => {
            let on = limited(element, "joint", joint.limited, joint.range, auto_limits)?;
            element.check(!on || joint.range[0] == 0.0, || "the range of a ball joint must begin at 0".into())?;
            Ok(on)
        }
        _ => limited(element, "joint", joint.limited, joint.range, auto_limits),
    }
}

fn check_numbers(joint: &JointSpec, element: &Element) -> Outcome {
    element.check_finite("pos", &joint.pos.to_array())?;
    element.check_finite("axis", &joint.axis.to_array())?;
    element.check_finite("ref and springref", &[joint.reference, joint.spring_reference])?;
    element.check_finite("stiffness", &joint.stiffness)?;
    element.check_finite("damping", &joint.damping)?;
    element.check_finite("range", &joint.range)?;
    element.check_finite("solref", &[joint.solref_limit, joint.solref_friction].concat())?;
    element.check_finite("solimp", &[joint.solimp_limit, joint.solimp_friction].concat())?;
    element.check_finite("margin, armature or frictionloss", &[joint.margin, joint.armature, joint.friction_loss])?;
    element.check_finite("user", &joint.user)?;
    let [time, ratio] = joint.spring_damper;
    let none = time == 0.0 && ratio == 0.0;
    let both = time > MIN_VAL && ratio > MIN_VAL && time.is_finite() && ratio.is_finite();
    element.check(none || both, || "both numbers of springdamper must be positive".into())
}

fn push_dofs(joint: &JointSpec, body: usize, model: &mut Model) {
    let dofs = &mut model.dofs;
    for k in 0..joint.kind.nv() {
        let id = dofs.body.len();
        // The previous dof of the same body, or the last dof of the nearest ancestor that has any.
        let parent = match dofs.body.last() {
            Some(b) if b.idx() == body => Some(DofId::new(id - 1)),
            _ => last_dof_above(&model.bodies.parent, &model.bodies.dofs, body),
        };
        dofs.body.push(BodyId::new(body));
        dofs.joint.push(JointId::new(model.joints.kind.len() - 1));
        dofs.parent.push(parent);
        // A body with joints always has a tree.
        dofs.tree.push(model.bodies.tree[body].unwrap_or(crate::ids::TreeId(0)));
        dofs.simple_num.push(0);
        dofs.solref.push(joint.solref_friction);
        dofs.solimp.push(joint.solimp_friction);
        dofs.friction_loss.push(joint.friction_loss);
        dofs.armature.push(joint.armature);
        dofs.damping.push(joint.damping[0]);
        dofs.damping_poly.push([joint.damping[1], joint.damping[2]]);
        dofs.inv_weight.push(0.0);
        dofs.m0.push(0.0);
        let linear = joint.kind == JointKind::Slide || (joint.kind == JointKind::Free && k < 3);
        dofs.length.push(if linear { 1.0 } else { 0.0 });
    }
}

fn last_dof_above(parent: &[BodyId], dofs: &[Span], body: usize) -> Option<DofId> {
    let mut b = body;
    while b != 0 {
        b = parent[b].idx();
        if !dofs[b].is_empty() {
            return Some(DofId::new((dofs[b].start + dofs[b].len - 1) as usize));
        }
    }
    None
}
