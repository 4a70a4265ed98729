//! Finds dofs with a diagonal block of the inertia matrix, and the sparsity pattern of that matrix.

use super::limits::MAX_ENTRIES;
use super::names::{Element, Outcome};
use crate::model::Model;
use crate::model::kinds::{JointKind, SameFrame, WrapKind};
use crate::model::tables::JointTable;
use saltus_math::{Vec3, ldl::TreePattern};
use std::ops::Range;

/// An axis is a coordinate axis if its component along it differs from 1 by less than this.
const AXIS_EPS: f64 = 1e-14;

/// Fills `bodies.simple`, `dofs.simple_num` and the pattern of M. Needs tendons, because their
/// armature couples dofs.
pub(super) fn fill_simple(model: &mut Model) -> Outcome {
    let coupled = coupled_bodies(model);
    let bodies = &mut model.bodies;
    let has_child: Vec<bool> = {
        let mut has = vec![false; bodies.parent.len()];
        for p in bodies.parent.iter().skip(1) {
            has[p.idx()] = true;
        }
        has
    };
    for b in 0..bodies.parent.len() {
        let parent = bodies.parent[b].idx();
        // The parent must be static: the world, or fixed to it.
        let grounded = b == 0 || parent == 0 || (bodies.parent[parent].idx() == 0 && bodies.dofs[parent].is_empty());
        let leaf = b == 0 || !has_child[b];
        if bodies.same_frame[b] != SameFrame::Body || !grounded || !leaf || coupled[b] {
            continue;
        }
        bodies.simple[b] = joints_are_simple(&model.joints, bodies.joints[b].range());
    }
    let nv = model.dofs.body.len();
    let mut run = 0;
    for d in (0..nv).rev() {
        run = if bodies.simple[model.dofs.body[d].idx()] != 0 { run + 1 } else { 0 };
        model.dofs.simple_num[d] = run;
    }
    let parent: Vec<Option<u32>> = model.dofs.parent.iter().map(|p| p.map(|d| d.0)).collect();
    let diagonal: Vec<bool> = model.dofs.simple_num.iter().map(|n| *n > 0).collect();
    check_entries(model, &parent)?;
    model.mass_pattern = TreePattern::new(&parent, &diagonal);
    Ok(())
}

/// The number of entries grows with the square of the length of a chain.
fn check_entries(model: &Model, parent: &[Option<u32>]) -> Outcome {
    let mut depth: Vec<usize> = Vec::with_capacity(parent.len());
    for p in parent {
        depth.push(p.map_or(1, |p| depth[p as usize] + 1));
    }
    let entries: usize = depth.iter().sum();
    Element::new("model", &model.name, 0, "").check(entries <= MAX_ENTRIES, || {
        format!("the inertia matrix has {entries} entries, more than {MAX_ENTRIES}: the kinematic chains are too long")
    })
}

/// Bodies on the path of a tendon with armature, and those whose dofs move it.
fn coupled_bodies(model: &Model) -> Vec<bool> {
    let mut coupled = vec![false; model.nbody()];
    for t in 0..model.ntendon() {
        let driven = model.tendons.actuator[t].is_some_and(|a| model.actuators.armature[a.idx()] > 0.0);
        if model.tendons.armature[t] > 0.0 || driven {
            for &d in &model.tendons.jac_col[model.tendons.jac[t].range()] {
                coupled[model.dofs.body[d as usize].idx()] = true;
            }
            for w in model.tendons.path[t].range() {
                let object = model.wraps.object[w] as usize;
                let body = match model.wraps.kind[w] {
                    WrapKind::Joint => model.joints.body[object],
                    WrapKind::Site => model.sites.body[object],
                    WrapKind::Sphere | WrapKind::Cylinder => model.geoms.body[object],
                    WrapKind::Pulley => continue,
                };
                coupled[body.idx()] = true;
            }
        }
    }
    coupled
}

/// 0 if the joints are coupled; 1 if each moves along or about its own principal axis; 2 if they
/// are all slide joints. A rotation must be the last joint, since it would rotate the axes of
/// subsequent ones.
fn joints_are_simple(joints: &JointTable, range: Range<usize>) -> u8 {
    let mut slid = [false; 3];
    let mut rotated = false;
    let mut sliders = !range.is_empty();
    for j in range {
        let kind = joints.kind[j];
        if rotated || (matches!(kind, JointKind::Ball | JointKind::Hinge) && joints.pos[j] != Vec3::ZERO) {
            return 0;
        }
        if matches!(kind, JointKind::Slide | JointKind::Hinge) {
            let axis = joints.axis[j].abs();
            let Some(k) = (0..3).find(|k| axis[*k] > 1.0 - AXIS_EPS) else { return 0 };
            if kind == JointKind::Slide && core::mem::replace(&mut slid[k], true) {
                return 0;
            }
        }
        rotated = kind != JointKind::Slide;
        sliders &= !rotated;
    }
    if sliders { 2 } else { 1 }
}
