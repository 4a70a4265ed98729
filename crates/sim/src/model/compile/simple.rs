//! Which dofs have a diagonal block of the inertia matrix, and the pattern of that matrix.

use crate::model::Model;
use crate::model::kinds::JointKind;
use saltus_math::{Vec3, ldl::TreePattern};

/// Fills `bodies.simple`, `dofs.simple_num` and the pattern of M.
pub(super) fn fill_simple(model: &mut Model) {
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
        // The parent must not move: the world, or fixed to it.
        let grounded = b == 0 || parent == 0 || (bodies.parent[parent].idx() == 0 && bodies.dofs[parent].is_empty());
        let leaf = b == 0 || !has_child[b];
        if bodies.same_frame[b] != 1 || !grounded || !leaf {
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
    model.mass_pattern = TreePattern::new(&parent, &diagonal);
}

/// 0 if the joints couple; 1 if each moves along or about its own principal axis; 2 if they only slide.
fn joints_are_simple(joints: &crate::model::tables::JointTable, range: std::ops::Range<usize>) -> u8 {
    let mut sliders = !range.is_empty();
    let mut used = [[false; 3]; 2];
    for j in range {
        match joints.kind[j] {
            JointKind::Free => sliders = false,
            JointKind::Ball if joints.pos[j] == Vec3::ZERO => sliders = false,
            kind @ (JointKind::Slide | JointKind::Hinge) => {
                let rotates = kind == JointKind::Hinge;
                let axis = joints.axis[j].abs();
                let Some(k) = (0..3).find(|k| axis[*k] > 1.0 - 1e-14) else { return 0 };
                if used[usize::from(rotates)][k] || (rotates && joints.pos[j] != Vec3::ZERO) {
                    return 0;
                }
                used[usize::from(rotates)][k] = true;
                sliders &= !rotates;
            }
            JointKind::Ball => return 0,
        }
    }
    if sliders { 2 } else { 1 }
}
