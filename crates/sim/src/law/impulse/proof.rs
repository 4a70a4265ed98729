//! Duality gap: a bound on the distance of a solution from the optimum.
//!
//! The problem over accelerations, P(a) = ½‖a − a₀‖²_M + s(J a − a_ref), and the problem over
//! forces are duals. For any a and any admissible forces f, with r = M(a − a₀) − Jᵀf, x = J
//! a − a_ref and f̂ the forces of the law at x,
//!   P(a) − P* ≤ ½ rᵀM⁻¹r + Σ ½ (f − f̂)ᵀR(f − f̂) + (x + R f̂)·(f − f̂),                     (1)
//! where no term is negative. P is M-strongly convex, so ½‖a − a*‖²_M has the same bound. A small
//! last decrease of the cost proves no such bound: where the cost is large, it may be round-off.
//!
//! Round-off limits what can be proven. x is a sum, known to δx = ε (|J||a| + |a_ref|), and a
//! nonzero force follows from it by 1/R; f itself is known to ε |f|. Where overlapping links cannot
//! separate, 1/R and opposing forces are so large that (1) cannot be less than about
//!   Σ ½ δx²/R + ε |f||x + R f|,  over rows with force.                                      (2)

use crate::data::{Constraints, Data, RowState};
use crate::law::soft::inverse::constraint_forces;
use crate::model::Model;
use saltus_math::dot;

/// Relative tolerance with respect to ½‖a − a₀‖²_M: eight digits of the acceleration that
/// constraints cause.
const DIGITS: f64 = 1e-16;

/// Relative tolerance up to which a gap may be attributed to round-off: five digits.
const FEWER_DIGITS: f64 = 1e-10;
/// Round-off of a sum of a few dozen terms, relative to the sum of their magnitudes.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Proof {
    x: Vec<f64>,
    law: Vec<f64>,
    state: Vec<RowState>,
    change: Vec<f64>,
    r: Vec<f64>,
    response: Vec<f64>,
}

/// Bounds on the error of a solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// (1), scaled as the solvers' costs are.
    pub gap: f64,
    /// Scaled norm of M(a − a₀) − Jᵀf̂.
    pub residual: f64,
    /// ½‖a − a₀‖²_M, scaled.
    pub kinetic: f64,
    /// (2), scaled.
    pub noise: f64,
}

impl Bound {
    /// Whether the solution is proven to be within the tolerance, or within the limits of
    /// round-off. False if a value is not finite. (2) applies to forces that are functions of the
    /// motion (`from_motion`), not to those of Gauss–Seidel, which are independent unknowns.
    pub fn proves(&self, tolerance: f64, from_motion: bool) -> bool {
        let digits = DIGITS * self.kinetic;
        let noise = if from_motion { self.noise.min(FEWER_DIGITS * self.kinetic) } else { 0.0 };
        self.gap <= tolerance.max(digits).max(noise)
    }
}

impl Proof {
    /// Bounds the error of the current acceleration and forces, with all terms recomputed.
    pub fn bound(&mut self, model: &Model, data: &mut Data) -> Bound {
        let nv = model.size.nv;
        for v in [&mut self.change, &mut self.r, &mut self.response] {
            v.clear();
            v.resize(nv, 0.0);
        }
        let rows = &data.constraints;
        self.x.resize(rows.len(), 0.0);
        self.law.resize(rows.len(), 0.0);
        self.state.resize(rows.len(), RowState::Satisfied);
        rows.mul(&data.acceleration.a, &mut self.x);
        self.x.iter_mut().zip(&rows.a_ref).for_each(|(x, a_ref)| *x -= a_ref);
        constraint_forces(rows, &data.contacts, &self.x, &mut self.law, &mut self.state);
        let mut gap = 0.0;
        // Rows without columns belong to no island and have no force.
        for block in rows.blocks.iter().filter(|b| b.cols.len > 0) {
            let (mut work, mut squares) = (0.0, 0.0);
            for i in block.rows.range() {
                let (R, x, excess) = (rows.R[i], self.x[i], rows.force[i] - self.law[i]);
                // Hard equalities have no force law: their x is round-off, and its work is the
                // missing part of the gap.
                work += if R > 0.0 { excess * (x + R * self.law[i]) } else { (x * rows.force[i]).abs() };
                squares += R * excess * excess;
            }
            // Negative if a force is outside its cone by round-off.
            gap += work.abs() + 0.5 * squares;
        }
        let Data { acceleration, inertia, .. } = &*data;
        let difference = acceleration.a.iter().zip(&acceleration.a_smooth).map(|(a, b)| a - b);
        self.change.iter_mut().zip(difference).for_each(|(c, d)| *c = d);
        inertia.mul_step(model, &self.change, &mut self.r);
        let scale = 1.0 / (model.statistic.mean_inertia * nv.max(1) as f64);
        let kinetic = 0.5 * scale * dot(&self.change, &self.r);
        self.change.clone_from(&self.r);
        self.response.fill(0.0);
        rows.add_transposed(&self.law, &mut self.response);
        let residual =
            scale * self.change.iter().zip(&self.response).map(|(r, t)| (r - t) * (r - t)).sum::<f64>().sqrt();
        self.response.fill(0.0);
        rows.add_transposed(&rows.force, &mut self.response);
        self.r.iter_mut().zip(&self.response).for_each(|(r, t)| *r -= t);
        self.response.clone_from(&self.r);
        data.inertia.solve_step(model, &mut self.response);
        gap += 0.5 * dot(&self.r, &self.response);
        let noise = scale * noise(&data.constraints, &data.acceleration.a, &self.x, &self.law);
        Bound { gap: scale * gap, residual, kinetic, noise }
    }
}

/// (2) for the forces `law` at `x`.
fn noise(rows: &Constraints, a: &[f64], x: &[f64], law: &[f64]) -> f64 {
    let mut sum = 0.0;
    for block in &rows.blocks {
        let cols = &rows.col[block.cols.range()];
        for (k, row) in block.rows.range().enumerate().filter(|(_, row)| law[*row] != 0.0) {
            let terms = rows.J[block.row_values(k)].iter().zip(cols).map(|(j, &c)| (j * a[c as usize]).abs());
            let error = ROUND_OFF * (terms.sum::<f64>() + rows.a_ref[row].abs());
            let slip = (x[row] + rows.R[row] * law[row]).abs();
            sum += 0.5 * rows.D[row] * error * error + ROUND_OFF * law[row].abs() * slip;
        }
    }
    sum
}
