//! The table of bodies and kinematic trees.

use super::limits::{push_user, user_len};
use super::names::Outcome;
use super::pose::{Pose, same_frame};
use super::work::WorkBody;
use crate::ids::{BodyId, Span, TreeId};
use crate::model::Model;
use crate::model::spec::ModelSpec;

/// Fills the body table. Spans are filled together with the tables they refer to.
pub(super) fn fill_bodies(spec: &ModelSpec, bodies: &[WorkBody], model: &mut Model) -> Outcome {
    let user = user_len("body", spec.size.user_body, bodies.iter().map(|b| b.spec.user.as_slice()))?;
    let table = &mut model.bodies;
    table.user_len = user;
    let mut mocap_count = 0;
    for (id, body) in bodies.iter().enumerate() {
        let element = body.element(id);
        element.check_finite("pos", &body.spec.pos.to_array())?;
        element.check_finite("quat", &body.spec.quat.to_array())?;
        element.check_finite("gravcomp", &[body.spec.gravcomp])?;
        element.check_finite("user", &body.spec.user)?;
        let moves = !body.spec.joints.is_empty();
        element.check(id > 0 || !moves, || "the world cannot have joints".into())?;
        element.check(!body.spec.mocap || (id > 0 && body.parent == 0 && !moves), || {
            "a mocap body must be a child of the world and have no joints".into()
        })?;
        let root = if body.parent == 0 { BodyId::new(id) } else { table.root[body.parent] };
        let weld = if moves || body.spec.mocap || id == 0 { BodyId::new(id) } else { table.weld[body.parent] };
        table.name.push(body.spec.name.clone());
        table.parent.push(BodyId::new(body.parent));
        table.root.push(root);
        table.weld.push(weld);
        table.mocap.push(body.spec.mocap.then_some(mocap_count));
        mocap_count += u32::from(body.spec.mocap);
        table.joints.push(Span::default());
        table.dofs.push(Span::default());
        table.geoms.push(Span::default());
        table.sites.push(Span::default());
        table.simple.push(0);
        table.same_frame.push(same_frame(body.inertial.frame, Pose::IDENTITY));
        table.pos.push(body.spec.pos);
        table.quat.push(body.spec.quat);
        table.inertial_pos.push(body.inertial.frame.pos);
        table.inertial_quat.push(body.inertial.frame.quat);
        table.mass.push(body.inertial.mass);
        table.subtree_mass.push(body.inertial.mass);
        table.inertia.push(body.inertial.moments);
        table.inv_weight.push([0.0; 2]);
        table.gravcomp.push(body.spec.gravcomp);
        let margins = body.spec.geoms.iter().map(|g| g.margin + g.gap);
        table.margin.push(margins.fold(0.0, f64::max));
        table.contype.push(body.spec.geoms.iter().fold(0, |c, g| c | g.contype));
        table.conaffinity.push(body.spec.geoms.iter().fold(0, |c, g| c | g.conaffinity));
        push_user(&mut table.user, &body.spec.user, user);
    }
    model.size.nmocap = mocap_count as usize;
    fill_trees(bodies, model);
    Ok(())
}

/// A moving body with a static parent starts a tree, which contains all its descendants.
fn fill_trees(bodies: &[WorkBody], model: &mut Model) {
    let (table, trees) = (&mut model.bodies, &mut model.trees);
    for (id, body) in bodies.iter().enumerate() {
        let inherited: Option<TreeId> = if id == 0 { None } else { table.tree[body.parent] };
        let tree = match inherited {
            Some(tree) => {
                trees.bodies[tree.idx()].len += 1;
                Some(tree)
            }
            None if !body.spec.joints.is_empty() => {
                trees.bodies.push(Span::new(id, 1));
                trees.dofs.push(Span::default());
                Some(TreeId::new(trees.bodies.len() - 1))
            }
            None => None,
        };
        table.tree.push(tree);
    }
}
