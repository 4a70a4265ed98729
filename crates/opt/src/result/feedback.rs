//! Feedback from the optimizer's own Hessian.
//!
//! If the state at step t is not the planned one, the rest of the motion is optimized anew, to
//! first order: the Hessian of what follows, eliminated from the end, leaves for node t + 1
//!   S_{t+1} δ_{t+1} + E_{t+1} δ_t + F_{t+1} δ_{t−1} = 0,                                           (1)
//! so that δ_{t+1} follows from δ_t and δ_{t−1}, and δτ_t from all three. δ_{t−1} = δ_t − h δv to
//! first order (`tangent`). For limit cycles elimination goes around until it no longer changes.

use crate::problem::layout::Ends;
use crate::problem::{Evaluation, Problem};
use crate::solve::knot::stride;
use crate::solve::minimize::Optimizer;
use saltus_math::cholesky;

/// Times that elimination goes around a limit cycle.
const ROUNDS: usize = 6;

/// K with δτ = K (δq, δv), by step · steps × nv × 2 nv; empty where dynamics is evaluated at the
/// end of steps. The knots of the optimizer are those of the trajectory, with derivatives.
pub fn gains(problem: &Problem, optimizer: &mut Optimizer) -> Vec<f64> {
    if problem.evaluation == Evaluation::End {
        return Vec::new();
    }
    let (n, steps, h) = (optimizer.layout.n, problem.steps, problem.h());
    let ld = stride(n);
    let knots = &optimizer.knots;
    let mirror = match &problem.ends {
        Ends::Periodic(cycle) => cycle.mirror.as_ref(),
        _ => None,
    };
    let periodic = matches!(problem.ends, Ends::Periodic(_));
    // Cost to go as a quadratic form of (δ_{t−1}, δ_t) before step t: blocks oo, no, nn (n: the
    // newer one).
    let mut form = Form { oo: vec![0.0; n * n], no: vec![0.0; n * n], nn: vec![0.0; n * n] };
    if !periodic && let Some(last) = knots.get(steps) {
        form.add(&last.hessian, n, ld);
    }
    let mut out = vec![0.0; steps * 2 * n * n];
    for _ in 0..if periodic { ROUNDS } else { 1 } {
        for t in (0..steps).rev() {
            if periodic && t == steps - 1 {
                form = form.mirrored(mirror.map(|m| &m.dof[..]), n);
            }
            let knot = &knots[t];
            let block = |i: usize, j: usize, r: usize, c: usize| {
                let (row, col) = (i * n + r, j * n + c);
                if row >= col { knot.hessian[row * ld + col] } else { knot.hessian[col * ld + row] }
            };
            // Local Hessian plus the cost to go of (δ_t, δ_{t+1}): S, E (by δ_t), F (by δ_{t−1}).
            let (mut S, mut E, mut F) = (vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]);
            for r in 0..n {
                for c in 0..n {
                    S[r * n + c] = block(2, 2, r, c) + form.nn[r * n + c];
                    E[r * n + c] = block(2, 1, r, c) + form.no[r * n + c];
                    F[r * n + c] = block(2, 0, r, c);
                }
            }
            let floor = 1e-12 * (0..n).fold(0.0f64, |m, i| m.max(S[i * n + i]));
            let before = (E.clone(), F.clone());
            cholesky::factor(n, n, &mut S, floor.max(f64::MIN_POSITIVE));
            solve_columns(n, &S, &mut E);
            solve_columns(n, &S, &mut F);
            // Cost to go of (δ_{t−1}, δ_t).
            let mut next = Form { oo: vec![0.0; n * n], no: vec![0.0; n * n], nn: vec![0.0; n * n] };
            for r in 0..n {
                for c in 0..n {
                    next.oo[r * n + c] = block(0, 0, r, c) - product(&before.1, &F, n, r, c);
                    next.no[r * n + c] = block(1, 0, r, c) - product(&before.0, &F, n, r, c);
                    next.nn[r * n + c] = block(1, 1, r, c) + form.oo[r * n + c] - product(&before.0, &E, n, r, c);
                }
            }
            form = next;
            // δτ = τ₀ δ_{t−1} + τ₁ δ_t − τ₂ (E δ_t + F δ_{t−1}), δ_{t−1} = δq − h δv.
            let gain = &mut out[t * 2 * n * n..(t + 1) * 2 * n * n];
            for r in 0..n {
                let tau = |node: usize, c: usize| knot.tau_x[r * ld + node * n + c];
                for c in 0..n {
                    let (mut old, mut new) = (tau(0, c), tau(1, c));
                    for k in 0..n {
                        old -= tau(2, k) * F[k * n + c];
                        new -= tau(2, k) * E[k * n + c];
                    }
                    gain[r * 2 * n + c] = new + old;
                    gain[r * 2 * n + n + c] = -h * old;
                }
            }
        }
    }
    out
}

/// A quadratic form of two nodes, the older and the newer.
struct Form {
    oo: Vec<f64>,
    no: Vec<f64>,
    nn: Vec<f64>,
}

impl Form {
    /// Adds the local Hessian of a state without a step.
    fn add(&mut self, hessian: &[f64], n: usize, ld: usize) {
        for r in 0..n {
            for c in 0..n {
                let at = |row: usize, col: usize| hessian[row.max(col) * ld + row.min(col)];
                self.oo[r * n + c] += at(r, c);
                self.no[r * n + c] += at(n + r, c);
                self.nn[r * n + c] += at(n + r, n + c);
            }
        }
    }
    /// P̂ᵀ · P̂ of all blocks.
    fn mirrored(self, dof: Option<&[(usize, f64)]>, n: usize) -> Self {
        let Some(dof) = dof else { return self };
        let turn = |m: &[f64]| {
            let mut out = vec![0.0; n * n];
            for r in 0..n {
                for c in 0..n {
                    let ((i, si), (j, sj)) = (dof[r], dof[c]);
                    out[r * n + c] = si * sj * m[i * n + j];
                }
            }
            out
        };
        Self { oo: turn(&self.oo), no: turn(&self.no), nn: turn(&self.nn) }
    }
}

/// Column by column x ← S⁻¹ x of an n × n matrix.
fn solve_columns(n: usize, factor: &[f64], x: &mut [f64]) {
    let mut column = vec![0.0; n];
    for c in 0..n {
        (0..n).for_each(|r| column[r] = x[r * n + c]);
        cholesky::solve(n, n, factor, &mut column);
        (0..n).for_each(|r| x[r * n + c] = column[r]);
    }
}

/// (Aᵀ B) entry.
fn product(a: &[f64], b: &[f64], n: usize, r: usize, c: usize) -> f64 {
    (0..n).map(|k| a[k * n + r] * b[k * n + c]).sum()
}
