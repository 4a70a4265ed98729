//! Implicit in velocity: (M + h D) a* = M a = τ_smooth + τ_constraint, D = −∂τ_smooth/∂v.
//!
//! `implicit` uses all of D inside the sparsity of the kinematic tree: not symmetric, factored as U L. `implicitfast`
//! leaves the Coriolis and centrifugal part out and symmetrizes the rest, so that the symmetric factors of M serve; a
//! free body that stands alone is a decoupled 6×6 block, and keeps all of D.

use super::Workspace;
use super::advance::advance as advance_by;
use crate::data::Data;
use crate::dynamics::derivatives::{
    add_actuator_damping, add_bias_slope, add_fluid_damping, add_tendon_damping, calc_dof_damping,
};
use crate::model::{Model, kinds::JointKind};
use crate::options::Disable;
use saltus_math::{MIN_VAL, ldl};

/// One step of `implicit` from the results of the acceleration stage.
pub(super) fn advance_full(model: &Model, data: &mut Data, work: &mut Workspace) {
    update_damping(model, data, work, |_| true);
    update_full_metric(model, data, work);
    net_force(data, &mut work.a_step);
    work.full.factor(&work.tree, &mut work.pivot_inv, MIN_VAL);
    work.full.solve(&work.tree, &work.pivot_inv, &mut work.a_step);
    advance_by(model, data, &work.a_step, None, None);
}

/// One step of `implicitfast` from the results of the acceleration stage.
pub(super) fn advance_fast(model: &Model, data: &mut Data, work: &mut Workspace) {
    update_damping(model, data, work, |tree| stands_alone(model, tree));
    update_symmetric_metric(model, data, work);
    net_force(data, &mut work.a_step);
    let bodies = (0..model.trees.dofs.len()).filter(|&t| stands_alone(model, t));
    // The right-hand sides of the blocks, before the solution of the whole replaces them.
    work.block_force.clear();
    for t in bodies.clone() {
        work.block_force.extend_from_slice(&work.a_step[model.trees.dofs[t].range()]);
    }
    ldl::factor(&model.mass_pattern, &mut work.M_hat, &mut work.pivot_inv, MIN_VAL);
    ldl::solve(&model.mass_pattern, &work.M_hat, &work.pivot_inv, &mut work.a_step);
    for (t, force) in bodies.zip(work.block_force.chunks_exact(6)) {
        let block = free_block(model, data, work.h, &work.tree, &work.D, t);
        let dofs = model.trees.dofs[t].range();
        if let Some(a) = solve6(block, force) {
            work.a_step[dofs].copy_from_slice(&a);
        }
    }
    advance_by(model, data, &work.a_step, None, None);
}

fn net_force(data: &Data, force: &mut [f64]) {
    let acceleration = &data.acceleration;
    for (f, (s, c)) in force.iter_mut().zip(acceleration.tau_smooth.iter().zip(&acceleration.tau_constraint)) {
        *f = s + c;
    }
}

/// A free body without jointed descendants.
pub(super) fn stands_alone(model: &Model, tree: usize) -> bool {
    let dofs = model.trees.dofs[tree];
    let joint = model.dofs.joint[dofs.start as usize].idx();
    dofs.len == 6 && model.joints.kind[joint] == JointKind::Free
}

/// D on the full tree pattern in `work.D`; the bias force counts for the trees that `with_bias` accepts.
pub(super) fn update_damping(model: &Model, data: &Data, work: &mut Workspace, with_bias: impl Fn(usize) -> bool) {
    work.tree.rebuild(model.dofs.parent.iter().map(|p| p.map(|d| d.0)));
    work.D.reset(&work.tree);
    work.h = model.options.timestep;
    if !model.options.disable.has(Disable::DAMPER) {
        calc_dof_damping(model, data, &mut work.damping);
        for (i, d) in work.damping.iter().enumerate() {
            let diag = work.tree.diag(i);
            work.D.lower[diag] += d;
        }
    }
    add_tendon_damping(model, data, &work.tree, &mut work.D);
    add_actuator_damping(model, data, &work.tree, &mut work.D);
    add_fluid_damping(model, data, &work.tree, &mut work.columns, &mut work.D);
    add_bias_slope(model, data, &work.tree, &mut work.bias, &mut work.D, with_bias);
}

/// M + h D on the full tree pattern in `work.full`.
pub(super) fn update_full_metric(model: &Model, data: &Data, work: &mut Workspace) {
    let (h, tree, pattern) = (work.h, &work.tree, &model.mass_pattern);
    work.full.reset(tree);
    for (x, d) in [(&mut work.full.lower, &work.D.lower), (&mut work.full.upper, &work.D.upper)] {
        x.iter_mut().zip(d).for_each(|(x, d)| *x = h * d);
    }
    for i in 0..model.size.nv {
        // A row of M is as long as the tree's, or its diagonal only; both end with the diagonal.
        let row = pattern.range(i);
        let start = tree.range(i).end - row.len();
        for (k, &m) in data.position.M[row].iter().enumerate() {
            work.full.lower[start + k] += m;
            work.full.upper[start + k] += m;
        }
    }
}

/// M + h (D + Dᵀ) / 2 on the pattern of M in `work.M_hat`.
pub(super) fn update_symmetric_metric(model: &Model, data: &Data, work: &mut Workspace) {
    work.M_hat.copy_from_slice(&data.position.M);
    for i in 0..model.size.nv {
        let row = model.mass_pattern.range(i);
        let start = work.tree.range(i).end - row.len();
        let (diag, n) = (row.end - 1, row.len() - 1);
        for (k, x) in work.M_hat[row.start..diag].iter_mut().enumerate() {
            *x += 0.5 * work.h * (work.D.lower[start + k] + work.D.upper[start + k]);
        }
        work.M_hat[diag] += work.h * work.D.lower[start + n];
    }
}

/// M + h D of a free body that stands alone.
pub(super) fn free_block(
    model: &Model,
    data: &Data,
    h: f64,
    tree: &ldl::TreePattern,
    D: &saltus_math::TreeMatrix,
    t: usize,
) -> [[f64; 6]; 6] {
    let mut block = [[0.0; 6]; 6];
    let first = model.trees.dofs[t].start as usize;
    for i in 0..6 {
        for (j, k) in tree.range(first + i).enumerate() {
            block[j][i] = h * D.upper[k];
            block[i][j] = h * D.lower[k];
        }
        for k in model.mass_pattern.range(first + i) {
            let j = model.mass_pattern.col[k] as usize - first;
            block[i][j] += data.position.M[k];
            if i != j {
                block[j][i] += data.position.M[k];
            }
        }
    }
    block
}

/// A⁻¹ b with partial pivoting; `None` if A is singular.
pub(super) fn solve6(mut a: [[f64; 6]; 6], b: &[f64]) -> Option<[f64; 6]> {
    let mut x: [f64; 6] = b.try_into().ok()?;
    for k in 0..6 {
        let pivot = (k..6).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[pivot][k].abs() < MIN_VAL {
            return None;
        }
        a.swap(k, pivot);
        x.swap(k, pivot);
        for i in k + 1..6 {
            let factor = a[i][k] / a[k][k];
            for j in k..6 {
                a[i][j] -= factor * a[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..6).rev() {
        let sum: f64 = (k + 1..6).map(|j| a[k][j] * x[j]).sum();
        x[k] = (x[k] - sum) / a[k][k];
    }
    Some(x)
}
