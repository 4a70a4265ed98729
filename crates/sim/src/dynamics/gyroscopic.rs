//! Gyroscopic derivatives of free bodies under the discrete integrator.
//!
//! For an isolated free body on which no constraint, tendon or actuator term of M̂ acts, the
//! gyroscopic derivative B = ∂c/∂v, which is not symmetric, is applied after the constraint solve:
//!   (M̂ + h B) a' = M̂ a on its 6×6 block.                                                    (1)

use super::derivatives::Damping;
use crate::data::Data;
use crate::model::Model;
use saltus_math::MIN_VAL;

/// Working memory.
#[derive(Clone, Debug, Default)]
struct Work {
    /// Whether (1) applies to each tree.
    trees: Vec<bool>,
    damping: Damping,
}

/// Applies the gyroscopic derivatives of free bodies (1) to the acceleration computed by the
/// solver.
pub(crate) fn add_gyroscopic(model: &Model, data: &mut Data) {
    for_each_free_body(model, data, |_, metric, gyroscopic, a| {
        let force = product(metric, a);
        let block = core::array::from_fn(|i| core::array::from_fn(|j| metric[i][j] + gyroscopic[i][j]));
        if let Some(solution) = solve6(block, &force) {
            a.copy_from_slice(&solution);
        }
    });
}

/// τ += h B a: contribution of (1) to inverse dynamics.
pub(crate) fn add_gyroscopic_force(model: &Model, data: &mut Data, tau: &mut [f64]) {
    for_each_free_body(model, data, |first, _, gyroscopic, a| {
        for (tau, force) in tau[first..first + 6].iter_mut().zip(product(gyroscopic, a)) {
            *tau += force;
        }
    });
}

type Block = [[f64; 6]; 6];

fn product(block: &Block, x: &[f64]) -> [f64; 6] {
    core::array::from_fn(|i| block[i].iter().zip(x).map(|(b, x)| b * x).sum())
}

/// Calls `f(first dof, M̂, h B, a)` for each free body that (1) applies to.
fn for_each_free_body(model: &Model, data: &mut Data, mut f: impl FnMut(usize, &Block, &Block, &mut [f64])) {
    let mut work = data.scratch.modules.take::<Work>();
    find_gyroscopic(model, data, &mut work.trees);
    if work.trees.contains(&true) {
        let mut a = core::mem::take(&mut data.acceleration.a);
        work.damping.update_bias(model, data, |t| work.trees[t]);
        for t in (0..work.trees.len()).filter(|&t| work.trees[t]) {
            let dofs = model.trees.dofs[t].range();
            let (metric, gyroscopic) = free_blocks(model, data.inertia.of_step().values, &work.damping, dofs.start);
            f(dofs.start, &metric, &gyroscopic, &mut a[dofs]);
        }
        data.acceleration.a = a;
    }
    data.scratch.modules.put(work);
}

/// Determines the trees that (1) applies to. Needs M̂.
pub(crate) fn find_gyroscopic(model: &Model, data: &Data, trees: &mut Vec<bool>) {
    trees.clear();
    trees.extend((0..model.trees.dofs.len()).map(|t| model.stands_alone(t) && !data.inertia.is_coupled(t)));
    for &i in &data.constraints.col {
        trees[model.dofs.tree[i as usize].idx()] = false;
    }
}

/// M̂ and h B of the free body whose dofs start at `first`.
fn free_blocks(model: &Model, M_hat: &[f64], bias: &Damping, first: usize) -> (Block, Block) {
    let (mut M, mut B) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
    let h = model.options.timestep;
    for i in 0..6 {
        for (j, k) in bias.tree.range(first + i).enumerate() {
            B[j][i] = h * bias.D.upper[k];
            B[i][j] = h * bias.D.lower[k];
        }
        for k in model.mass_pattern.range(first + i) {
            let j = model.mass_pattern.col[k] as usize - first;
            (M[i][j], M[j][i]) = (M_hat[k], M_hat[k]);
        }
    }
    (M, B)
}

/// A⁻¹ b with partial pivoting; `None` if A is singular.
pub(crate) fn solve6(mut a: [[f64; 6]; 6], b: &[f64]) -> Option<[f64; 6]> {
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
