//! Correction of a step for the curvature of forces.
//!
//! A step x of the quadratic model follows constraints along their tangent, but forces are curved:
//! a joint angle of 0.01 rad moves the stance foot by some hundredths of a millimetre, which is
//! enough for a contact force to change by a tenth of the weight, and the merit would allow only
//! tiny steps. With the forces of the trial,
//!   δτ = τ(q ⊕ x) − τ(q) − ∂τ x,     (H + μD) y = −Σ ∂τᵀ W δτ,                                  (1)
//! W being the weights of the squares of forces in the merit, x + y follows the constraints to
//! second order. Jacobians and factors are those of x, so that a correction costs an evaluation of
//! values and one solution.

use crate::problem::layout::Unknowns;
use crate::solve::assemble::{gather, scatter};
use crate::solve::knot::{KnotMemory, KnotResult, stride};
use crate::solve::pool::Pool;

/// A step of the whole trajectory.
pub struct Change<'a> {
    /// The trajectory before the step, with derivatives.
    pub from: &'a [KnotResult],
    /// The trajectory after the step. Its gradients are the shares of (1) afterwards.
    pub to: &'a mut [KnotResult],
    /// The step x.
    pub step: &'a [f64],
}

/// −Σ ∂τᵀ W δτ in `out`.
pub fn calc_correction(pool: &Pool<KnotMemory>, unknowns: Unknowns<'_>, change: Change<'_>, out: &mut [f64]) {
    let (Unknowns { layout, ends }, Change { from, to, step }) = (unknowns, change);
    pool.each(to, |t, there, memory| {
        gather(layout, ends, t, step, memory.local(3 * layout.n));
        update_share(layout.n, &from[t], memory.local(3 * layout.n), there);
    });
    out.fill(0.0);
    for (t, there) in to.iter().enumerate() {
        scatter(layout, ends, t, &there.gradient, out);
    }
}

/// The share of one step, whose local unknowns change by `local`.
fn update_share(n: usize, knot: &KnotResult, local: &[f64], there: &mut KnotResult) {
    there.gradient.clear();
    there.gradient.resize(3 * n, 0.0);
    for (i, row) in knot.tau_x.chunks_exact(stride(n)).enumerate() {
        let weight = knot.tau_weight[i];
        if weight != 0.0 {
            let bend = there.tau[i] - knot.tau[i] - saltus_math::dot(&row[..3 * n], local);
            there.gradient.iter_mut().zip(row).for_each(|(g, r)| *g -= weight * bend * r);
        }
    }
}
