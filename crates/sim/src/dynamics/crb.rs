//! Inertia matrix by the composite-rigid-body algorithm, and its factorization [Featherstone2008,
//! §6.2, §6.5].
//!
//! M_ij = S_jᵀ I_c(body i) S_i for j an ancestor of i (or i itself), + armature on the
//! diagonal, + Σ a Jᵀ J for tendons with armature a. Cost O(n · depth).

use crate::data::Data;
use crate::model::Model;
use crate::model::kinds::TransmissionKind;

/// Fills `data.position.I_composite` and `data.inertia.M`. Needs `update_com`, and tendons if any
/// has armature.
pub fn update_inertia(model: &Model, data: &mut Data) {
    data.inertia.set_explicit();
    let (bodies, position, M) = (&model.bodies, &mut data.position, &mut data.inertia.M);
    position.I_composite.copy_from_slice(&position.I);
    for b in (1..model.nbody()).rev() {
        let parent = bodies.parent[b].idx();
        if parent > 0 {
            let child = position.I_composite[b];
            position.I_composite[parent] += child;
        }
    }
    let pattern = &model.mass_pattern;
    for i in 0..model.size.nv {
        let f = position.I_composite[model.dofs.body[i].idx()].mul(position.S[i]);
        let row = pattern.range(i);
        let diag = row.end - 1;
        for k in row {
            M[k] = position.S[pattern.col[k] as usize].dot(f);
        }
        M[diag] += model.dofs.armature[i];
    }
    add_actuator_armature(model, data);
    add_tendon_armature(model, data);
}

/// M += a g² on every dof of a joint that is driven by an actuator with armature a and gear g.
fn add_actuator_armature(model: &Model, data: &mut Data) {
    for (a, &armature) in model.actuators.armature.iter().enumerate() {
        let joint =
            matches!(model.actuators.transmission[a], TransmissionKind::Joint | TransmissionKind::JointInParent);
        if let (true, true, Some(j)) = (armature != 0.0, joint, model.actuators.target[a][0]) {
            let start = model.joints.dof_start[j as usize] as usize;
            let reflected = armature * model.actuators.gear[a][0] * model.actuators.gear[a][0];
            for d in start..start + model.joints.kind[j as usize].nv() {
                data.inertia.M[model.mass_pattern.diag(d)] += reflected;
            }
        }
    }
}

/// Armature along a tendon: its own and that of its actuators.
pub(crate) fn tendon_armature(model: &Model, t: usize) -> f64 {
    let own = model.tendons.armature[t];
    if model.tendons.actuator[t].is_none() {
        return own;
    }
    let reflected = |a: usize| model.actuators.armature[a] * model.actuators.gear[a][0] * model.actuators.gear[a][0];
    own + model.actuators.on_tendon(t).map(reflected).sum::<f64>()
}

/// M += a Jᵀ J for each tendon with armature.
fn add_tendon_armature(model: &Model, data: &mut Data) {
    let (pattern, position, M) = (&model.mass_pattern, &data.position, &mut data.inertia.M);
    for t in 0..model.ntendon() {
        let armature = tendon_armature(model, t);
        if armature == 0.0 {
            continue;
        }
        let span = model.tendons.jac[t].range();
        let (cols, jac) = (&model.tendons.jac_col[span.clone()], &position.tendon_jac[span]);
        for (&i, &ji) in cols.iter().zip(jac) {
            if ji == 0.0 {
                continue;
            }
            let row = pattern.range(i as usize);
            // Merges both column lists, which are ascending.
            let mut k = row.start;
            for (&j, &jj) in cols.iter().zip(jac) {
                while k < row.end && pattern.col[k] < j {
                    k += 1;
                }
                if k < row.end && pattern.col[k] == j {
                    M[k] += armature * ji * jj;
                }
            }
        }
    }
}

/// Factors `M`.
pub fn update_factor(model: &Model, data: &mut Data) {
    data.inertia.factor(model);
}
