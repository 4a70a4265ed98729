//! How far to go along Newton's step of `forward`.

use super::forward::{CLOSE, Forward};
use super::inertia::Inertia;
use super::rows::Rows;
use saltus_math::dot;

/// Places to try.
const TRIALS: u32 = 40;
/// Slope, relative to that at the beginning, where the search ends, and the interval relative to its end.
const FLAT: f64 = 0.2;
const NARROW: f64 = 1e-8;

/// Where a search begins: the cost, its slope along the step, and the length of the step.
pub(super) struct Start {
    pub cost: f64,
    pub slope: f64,
    pub decrement: f64,
}

impl Forward {
    /// Goes along δz to where the cost falls and its slope is small; false if that is nowhere.
    pub(super) fn search(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], start: &Start) -> bool {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let (mut slope_low, mut slope_high) = (start.slope, 0.0);
        let mut alpha = 1.0;
        for trial in 0..TRIALS {
            let cost = self.evaluate_at(rows, A, c, alpha);
            if start.decrement < CLOSE && cost < f64::INFINITY {
                return true;
            }
            let slope = if cost < f64::INFINITY { self.slope(rows) } else { f64::INFINITY };
            // The path is curved: a flat end may lie beyond a hill. Costs that differ by round-off cannot tell.
            let is_lower = cost <= start.cost + 1e-12 * start.cost.abs();
            if is_lower && slope.abs() <= FLAT * start.slope.abs() {
                return true;
            }
            if is_lower && slope < 0.0 {
                if alpha >= 1.0 {
                    return true;
                }
                (low, slope_low) = (alpha, slope);
            } else {
                (high, slope_high) = (alpha, slope);
            }
            // Barriers are walls that a straight line does not see coming: every second trial halves.
            let part = slope_low / (slope_low - slope_high);
            let part = if trial % 2 == 0 && slope_high.is_finite() && slope_high > 0.0 { part } else { 0.5 };
            alpha = low + (high - low) * part.clamp(0.02, 0.98);
            if high - low <= NARROW * high {
                break;
            }
        }
        low > 0.0 && self.evaluate_at(rows, A, c, low) < f64::INFINITY
    }
    /// The cost at z + α δz.
    fn evaluate_at(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], alpha: f64) -> f64 {
        for i in 0..rows.len() {
            self.z[i] = self.z_old[i] + alpha * self.dz[i];
        }
        self.evaluate(rows, A, c)
    }
    /// Slope of the cost along δz at z: rᵀ ∂f/∂z δz.
    fn slope(&mut self, rows: &Rows) -> f64 {
        self.response.update_factors(rows, &self.z);
        self.response.mul_transposed(rows, &self.dz, &mut self.y);
        self.response.mul_negative(rows, &self.y, &mut self.d);
        dot(&self.r, &self.d)
    }
}
