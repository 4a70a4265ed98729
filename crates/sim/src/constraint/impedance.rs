//! Impedance of a row: stiffness k, damping b, impedance d, and the resulting regularizer R.
//!
//! (1) a_ref = −b J v − k d r, (2) R = (1 − d)/d · Â, with Â ≈ diag(J M⁻¹ Jᵀ).
//!
//! The discrete integrator evaluates the spring at the end of the step,
//! r⁺ = r + h v⁺, v⁺ = v + h a. Solved for a, this is (1) and (2) divided by (3)
//! s = 1 + b h + k d h², with k d h v more in the numerator of (1).

use crate::data::Spring;
use crate::model::Model;
use crate::options::law::Law;
use crate::options::{Disable, Integrator};
use saltus_math::{MIN_VAL, real};

/// Bounds of the impedance.
const MIN_IMPEDANCE: f64 = 1e-4;
const MAX_IMPEDANCE: f64 = 0.9999;
/// Replaces a reference that is neither (time constant, damping ratio) nor (−stiffness, −damping).
const DEFAULT_SOLREF: [f64; 2] = [0.02, 1.0];

/// Derivatives of x = J a − a_ref and D = 1/R: ∂x with respect to the residual and J v, and D'/D
/// with respect to the residual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSlopes {
    pub by_residual: f64,
    pub by_velocity: f64,
    pub rho: f64,
}

/// Options that apply to all rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Smallest time constant of a spring.
    min_timeconst: f64,
    /// Time step over which rows are implicit; 0 for explicit rows.
    pub h: f64,
    /// Whether one-sided rows that are too stiff for the implicit step are softened.
    resolve: bool,
    /// Ratio of friction to normal impedance.
    pub impratio: f64,
    /// Distance beyond their margins at which limits are detected.
    pub reach: f64,
}

impl Settings {
    pub fn new(model: &Model) -> Self {
        let safe = !model.options.disable.has(Disable::REFSAFE);
        let step = model.options.timestep;
        let soft = model.options.laws.law == Law::Soft;
        let discrete = soft && model.options.integrator == Integrator::Discrete;
        Self {
            min_timeconst: if safe && !discrete { 2.0 * step } else { 0.0 },
            h: if discrete { step } else { 0.0 },
            resolve: safe && discrete,
            impratio: model.options.impratio.max(MIN_VAL),
            reach: model.options.laws.limit_reach(),
        }
    }

    /// The spring of a row at residual `r`.
    #[inline]
    pub fn spring(&self, solref: [f64; 2], solimp: &[f64; 5], r: f64) -> Spring {
        let ([stiffness, damping], [impedance, slope]) =
            (self.stiffness_and_damping(solref, solimp), impedance(solimp, r));
        Spring { stiffness, damping, impedance, slope }
    }

    /// The same for limits and the normals of contacts.
    #[inline]
    pub fn one_sided_spring(&self, solref: [f64; 2], solimp: &[f64; 5], r: f64) -> Spring {
        let mut spring = self.spring(solref, solimp, r);
        let [time, ratio] = solref;
        let stiff = spring.stiffness * spring.impedance * self.h * self.h > 1.0;
        if self.resolve && time > 0.0 && ratio > 0.0 && stiff {
            // The stiffest spring that does not rebound: k d h² = 1, with the requested damping
            // ratio.
            spring.stiffness = 1.0 / (self.h * self.h * spring.impedance);
            spring.damping = 2.0 * ratio * spring.stiffness.sqrt();
        }
        spring
    }

    /// (1), at the end of the step if rows are implicit.
    #[inline]
    pub fn reference(&self, spring: Spring, r: f64, v: f64) -> f64 {
        let Spring { stiffness: k, damping: b, impedance: d, .. } = spring;
        (-b * v - k * d * (r + self.h * v)) / self.implicit_factor(spring)
    }

    /// (3); 1 if rows are explicit.
    #[inline]
    pub fn implicit_factor(&self, spring: Spring) -> f64 {
        let Spring { stiffness: k, damping: b, impedance: d, .. } = spring;
        1.0 + self.h * (b + k * d * self.h)
    }

    /// (2), divided by (3) if rows are implicit, but not less than the regularizer of the largest
    /// impedance.
    #[inline]
    pub fn regularizer(&self, spring: Spring, diag: f64) -> f64 {
        let (d, s) = (spring.impedance, self.implicit_factor(spring));
        let R = (1.0 - d) * diag / d;
        let hardest = (1.0 - MAX_IMPEDANCE) / MAX_IMPEDANCE * diag;
        if self.h > 0.0 { (R / s).max(hardest).max(MIN_VAL) } else { R.max(MIN_VAL) }
    }

    /// The derivatives of (1) and (2) at residual `r` and velocity `v`.
    #[inline]
    pub fn slopes(&self, spring: Spring, r: f64, v: f64) -> RowSlopes {
        let Spring { stiffness: k, damping: b, impedance: d, slope } = spring;
        let rho = slope / (d * (1.0 - d));
        if self.h == 0.0 {
            return RowSlopes { by_residual: k * (d + slope * r), by_velocity: b, rho };
        }
        // Derivatives of k d and b with respect to r. A softened spring has k d h² = 1 and b ∝ √k.
        let replaced = self.resolve && k == 1.0 / (self.h * self.h * d);
        let (kd_slope, b_slope) = if replaced { (0.0, -0.5 * b * slope / d) } else { (k * slope, 0.0) };
        let (h, s) = (self.h, self.implicit_factor(spring));
        let s_slope = h * (b_slope + kd_slope * h);
        let reference = (b * v + k * d * (r + h * v)) / s;
        let by_residual = (b_slope * v + kd_slope * (r + h * v) + k * d - reference * s_slope) / s;
        let hardest = (1.0 - d) / (d * s) <= (1.0 - MAX_IMPEDANCE) / MAX_IMPEDANCE;
        RowSlopes { by_residual, by_velocity: (b + k * d * h) / s, rho: if hardest { 0.0 } else { rho + s_slope / s } }
    }

    /// Stiffness and damping; the former without the factor d(r).
    #[inline]
    pub fn stiffness_and_damping(&self, solref: [f64; 2], solimp: &[f64; 5]) -> [f64; 2] {
        let [first, second] = if (solref[0] > 0.0) == (solref[1] > 0.0) { solref } else { DEFAULT_SOLREF };
        let d_max = clamped(solimp[1]);
        if first > 0.0 {
            let time = first.max(self.min_timeconst);
            let k = 1.0 / (d_max * d_max * time * time * second * second).max(MIN_VAL);
            [k, 2.0 / (d_max * time).max(MIN_VAL)]
        } else {
            [-first / (d_max * d_max), -second / d_max]
        }
    }
}

#[inline]
fn clamped(d: f64) -> f64 {
    // Not `clamp`, which would let NaN through.
    if d > MIN_IMPEDANCE { d.min(MAX_IMPEDANCE) } else { MIN_IMPEDANCE }
}

/// Impedance d and its slope at residual `r`: from d₀ at 0 to d_w at ±width, along a two-piece
/// power curve.
#[inline]
pub(super) fn impedance(solimp: &[f64; 5], r: f64) -> [f64; 2] {
    let (d_0, d_w, width) = (clamped(solimp[0]), clamped(solimp[1]), solimp[2]);
    if d_0 == d_w || width <= MIN_VAL {
        return [0.5 * (d_0 + d_w), 0.0];
    }
    let x = r.abs() / width;
    if x >= 1.0 {
        return [d_w, 0.0];
    }
    if x == 0.0 {
        return [d_0, 0.0];
    }
    let (middle, power) = (clamped(solimp[3]), solimp[4].max(1.0));
    let (y, dy) = if power == 1.0 {
        (x, 1.0)
    } else if x <= middle {
        let p = powered(x / middle, power);
        (middle * p, power * p * middle / x)
    } else {
        let (x, rest) = (1.0 - x, 1.0 - middle);
        let p = powered(x / rest, power);
        (1.0 - rest * p, power * p * rest / x)
    };
    [d_0 + y * (d_w - d_0), dy * r.signum() * (d_w - d_0) / width]
}

#[inline]
fn powered(x: f64, power: f64) -> f64 {
    if power == 2.0 { x * x } else { real::powf(x, power) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impedance_slope_is_its_derivative() {
        for solimp in [[0.1, 0.9, 0.5, 0.3, 3.0], [0.2, 0.8, 1.0, 0.5, 2.0], [0.3, 0.7, 2.0, 0.9, 1.0]] {
            for r in [-0.45, -0.2, -0.05, 0.07, 0.3] {
                let step = 1e-6;
                let [above, below] = [impedance(&solimp, r + step)[0], impedance(&solimp, r - step)[0]];
                let slope = impedance(&solimp, r)[1];
                assert!(((above - below) / (2.0 * step) - slope).abs() < 1e-8, "{solimp:?} at {r}");
            }
        }
    }

    #[test]
    fn impedance_runs_between_its_ends() {
        let solimp = [0.1, 0.9, 0.5, 0.3, 3.0];
        assert_eq!(impedance(&solimp, 0.0), [0.1, 0.0]);
        assert_eq!(impedance(&solimp, -0.5), [0.9, 0.0]);
        assert_eq!(impedance(&[0.0, 2.0, 0.0, 0.5, 2.0], 0.0)[0], 0.5 * (MIN_IMPEDANCE + MAX_IMPEDANCE));
    }
}
