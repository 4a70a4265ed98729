//! Correction of a step for the curvature of forces.
//!
//! A step x of the quadratic model follows constraints along their tangent. Forces bend: a joint angle of 0.01 rad moves the
//! foot that stands by some hundredths of a millimetre, which is enough for a contact force to change by a tenth of the weight,
//! and the merit would allow only tiny steps. With the forces of the trial,
//!   δτ = τ(q ⊕ x) − τ(q) − ∂τ x,     (H + μD) y = −Σ ∂τᵀ W δτ,                                  (1)
//! W being the weights of the squares of forces in the merit, x + y follows the constraints to second order. Jacobians and
//! factors are those of x, so that a correction costs an evaluation of values and one solution.

use crate::assemble::{gather, scatter};
use crate::knot::{KnotResult, stride};
use crate::layout::{Ends, Layout};

/// −Σ ∂τᵀ W δτ in `out`, for the step `x` from `knots` to `trial`.
pub fn calc_correction(
    layout: &Layout,
    ends: &Ends,
    (knots, trial): (&[KnotResult], &[KnotResult]),
    x: &[f64],
    out: &mut [f64],
) {
    let n = layout.n;
    let ld = stride(n);
    let mut local = vec![0.0; 3 * n];
    let mut back = vec![0.0; 3 * n];
    out.fill(0.0);
    for (t, (knot, there)) in knots.iter().zip(trial).enumerate() {
        if knot.tau_x.is_empty() || layout.slots.len() < t + 3 {
            continue;
        }
        gather(layout, ends, t, x, &mut local);
        back.fill(0.0);
        for i in 0..n {
            let weight = knot.tau_weight[i];
            if weight == 0.0 {
                continue;
            }
            let row = &knot.tau_x[i * ld..i * ld + 3 * n];
            let bend = there.tau[i] - knot.tau[i] - saltus_math::dot(row, &local);
            back.iter_mut().zip(row).for_each(|(b, r)| *b -= weight * bend * r);
        }
        scatter(layout, ends, t, &back, out);
    }
}
