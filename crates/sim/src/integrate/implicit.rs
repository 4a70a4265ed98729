//! Implicit in velocity: (M + h D) a* = M a = τ_smooth + τ_constraint, D = −∂τ_smooth/∂v.
//!
//! `implicit` uses all of D within the sparsity of the kinematic tree: not symmetric, factored as
//! U L. `implicitfast` omits the Coriolis and centrifugal part and symmetrizes the rest, so that
//! the symmetric factorization of M applies; an isolated free body is a decoupled 6×6 block, and
//! keeps all of D.

use super::Workspace;
use super::advance::advance as advance_by;
use crate::data::Data;
use crate::dynamics::derivatives::Damping;
use crate::dynamics::solve6;
use crate::model::Model;
use saltus_math::{MIN_VAL, ldl};

/// One step of `implicit` from the results of the acceleration stage.
pub(super) fn advance_full(model: &Model, data: &mut Data, work: &mut Workspace) {
    work.damping.update(model, data, |_| true);
    update_full_metric(model, data, work);
    net_force(data, &mut work.a_step);
    work.full.factor(&work.damping.tree, &mut work.pivot_inv, MIN_VAL);
    work.full.solve(&work.damping.tree, &work.pivot_inv, &mut work.a_step);
    advance_by(model, data, &work.a_step, None, None);
}

/// One step of `implicitfast` from the results of the acceleration stage.
pub(super) fn advance_fast(model: &Model, data: &mut Data, work: &mut Workspace) {
    work.damping.update(model, data, |tree| model.stands_alone(tree));
    update_symmetric_metric(model, data, work);
    net_force(data, &mut work.a_step);
    let bodies = (0..model.trees.dofs.len()).filter(|&t| model.stands_alone(t));
    // The right-hand sides of the blocks must be saved before the solution overwrites them.
    work.block_force.clear();
    for t in bodies.clone() {
        work.block_force.extend_from_slice(&work.a_step[model.trees.dofs[t].range()]);
    }
    ldl::factor(&model.mass_pattern, &mut work.M_hat, &mut work.pivot_inv, MIN_VAL);
    ldl::solve(&model.mass_pattern, &work.M_hat, &work.pivot_inv, &mut work.a_step);
    for (t, force) in bodies.zip(work.block_force.chunks_exact(6)) {
        let block = free_block(model, data, &work.damping, t);
        let dofs = model.trees.dofs[t].range();
        if let Some(a) = solve6(block, force) {
            work.a_step[dofs].copy_from_slice(&a);
        }
    }
    advance_by(model, data, &work.a_step, None, None);
}

/// `work.a_step` = (M + h D) a with the D of `implicit`.
pub(super) fn mul_full_metric(model: &Model, data: &Data, a: &[f64], work: &mut Workspace) -> bool {
    work.damping.update(model, data, |_| true);
    update_full_metric(model, data, work);
    work.full.mul(&work.damping.tree, a, &mut work.a_step);
    true
}

/// `work.a_step` = (M + h D) a with the D of `implicitfast`.
pub(super) fn mul_fast_metric(model: &Model, data: &Data, a: &[f64], work: &mut Workspace) -> bool {
    work.damping.update(model, data, |tree| model.stands_alone(tree));
    update_symmetric_metric(model, data, work);
    ldl::mul(&model.mass_pattern, &work.M_hat, a, &mut work.a_step);
    for t in (0..model.trees.dofs.len()).filter(|&t| model.stands_alone(t)) {
        let block = free_block(model, data, &work.damping, t);
        let dofs = model.trees.dofs[t].range();
        for (row, i) in block.iter().zip(dofs.clone()) {
            work.a_step[i] = row.iter().zip(&a[dofs.clone()]).map(|(b, a)| b * a).sum();
        }
    }
    true
}

fn net_force(data: &Data, force: &mut [f64]) {
    let acceleration = &data.acceleration;
    for (f, (s, c)) in force.iter_mut().zip(acceleration.tau_smooth.iter().zip(&acceleration.tau_constraint)) {
        *f = s + c;
    }
}

/// M + h D on the full tree pattern in `work.full`.
pub(super) fn update_full_metric(model: &Model, data: &Data, work: &mut Workspace) {
    let (h, tree, pattern) = (model.options.timestep, &work.damping.tree, &model.mass_pattern);
    work.full.reset(tree);
    for (x, d) in [(&mut work.full.lower, &work.damping.D.lower), (&mut work.full.upper, &work.damping.D.upper)] {
        x.iter_mut().zip(d).for_each(|(x, d)| *x = h * d);
    }
    for i in 0..model.size.nv {
        // A row of M is either as long as the tree's or only its diagonal; both end with the
        // diagonal.
        let row = pattern.range(i);
        let start = tree.range(i).end - row.len();
        for (k, &m) in data.inertia.M[row].iter().enumerate() {
            work.full.lower[start + k] += m;
            work.full.upper[start + k] += m;
        }
    }
}

/// M + h (D + Dᵀ) / 2 on the pattern of M in `work.M_hat`.
pub(super) fn update_symmetric_metric(model: &Model, data: &Data, work: &mut Workspace) {
    let h = model.options.timestep;
    work.M_hat.copy_from_slice(&data.inertia.M);
    for i in 0..model.size.nv {
        let row = model.mass_pattern.range(i);
        let start = work.damping.tree.range(i).end - row.len();
        let (diag, n) = (row.end - 1, row.len() - 1);
        for (k, x) in work.M_hat[row.start..diag].iter_mut().enumerate() {
            *x += 0.5 * h * (work.damping.D.lower[start + k] + work.damping.D.upper[start + k]);
        }
        work.M_hat[diag] += h * work.damping.D.lower[start + n];
    }
}

/// M + h D of an isolated free body.
pub(super) fn free_block(model: &Model, data: &Data, damping: &Damping, t: usize) -> [[f64; 6]; 6] {
    let (h, Damping { tree, D, .. }) = (model.options.timestep, damping);
    let mut block = [[0.0; 6]; 6];
    let first = model.trees.dofs[t].start as usize;
    for i in 0..6 {
        for (j, k) in tree.range(first + i).enumerate() {
            block[j][i] = h * D.upper[k];
            block[i][j] = h * D.lower[k];
        }
        for k in model.mass_pattern.range(first + i) {
            let j = model.mass_pattern.col[k] as usize - first;
            block[i][j] += data.inertia.M[k];
            if i != j {
                block[j][i] += data.inertia.M[k];
            }
        }
    }
    block
}
