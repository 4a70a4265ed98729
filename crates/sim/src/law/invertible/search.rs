//! Line search along Newton's step of `forward`.
//!
//! A straight line in z is usually the better path: it never leaves the cones. If it makes little
//! progress, because velocities reach their barriers, a straight line in f is tried: the cost is
//! convex along it. Any f inside its cones is the response to
//!   z = −(R f + ∇d_F(f)),                                                                    (c)
//! and the slope of the cost along δf is rᵀ δf.

use super::forward::{CLOSE, Forward};
use super::inertia::Inertia;
use super::rows::{Group, Kind, Rows};
use saltus_math::dot;

/// Maximum number of trial steps.
const TRIALS: u32 = 40;
/// The search ends at this slope relative to the initial slope, or at this interval relative to its
/// upper end.
const FLAT: f64 = 0.2;
const NARROW: f64 = 1e-8;
/// Fraction of the decrease predicted by Newton's step below which a search counts as poor, and the
/// fraction of the remaining distance to the surface of the cones that a step may take.
const GAIN: f64 = 0.2;
const INSIDE: f64 = 0.95;

/// Start of a search: the cost, its slope along the step, and the length of the step.
pub(super) struct Start {
    pub cost: f64,
    pub slope: f64,
    pub decrement: f64,
}

impl Forward {
    /// Moves along δz to a point of lower cost and small slope; false if there is none.
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
            // The path is curved: a small slope may occur beyond a hill. Costs that differ by
            // round-off cannot tell.
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
            // Linear interpolation does not anticipate the barriers: every second trial bisects.
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
            self.z[i] = self.backup.z[i] + alpha * self.step.z[i];
        }
        self.evaluate(rows, A, c)
    }
    /// Slope of the cost along δz at z: rᵀ ∂f/∂z δz.
    fn slope(&mut self, rows: &Rows) -> f64 {
        self.response.update_factors(rows, &self.z);
        let (response, products) = (&self.response, &mut self.products);
        response.mul_transposed(rows, &self.step.z, &mut products.Lt_dz);
        response.mul_negative(rows, &products.Lt_dz, &mut products.df);
        dot(&self.r, &products.df)
    }
    /// Whether the cost fell much less than Newton's step predicted.
    pub(super) fn is_poor(&self, start: &Start) -> bool {
        start.cost - self.cost < GAIN * start.slope.abs()
    }
    /// The same along f + α δf from the start of [`search`](Self::search). Keeps the better of the
    /// two results.
    pub(super) fn search_straight(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], start: &Start) -> bool {
        self.backup.curved.clone_from(&self.z);
        let curved_cost = self.cost;
        let (f, df) = (&self.backup.f, &self.step.f);
        let limit = rows.groups.iter().map(|g| distance_inside(rows, g, f, df)).fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (0.0, INSIDE * limit);
        let mut alpha = high.min(1.0);
        for _ in 0..TRIALS {
            let cost = self.evaluate_impulses(rows, A, c, alpha);
            let slope = if cost < f64::INFINITY { dot(&self.r, &self.step.f) } else { f64::INFINITY };
            if slope < 0.0 {
                low = alpha;
            } else {
                high = alpha;
            }
            let flat = slope.abs() <= FLAT * start.slope.abs();
            if flat || alpha == high.min(1.0) && slope < 0.0 || high - low <= NARROW * high {
                break;
            }
            alpha = 0.5 * (low + high.min(1.0));
        }
        if self.cost >= curved_cost || self.cost.is_nan() {
            self.z.copy_from_slice(&self.backup.curved);
            self.evaluate(rows, A, c);
        }
        self.cost < start.cost
    }
    /// The cost at f + α δf.
    fn evaluate_impulses(&mut self, rows: &Rows, A: &mut impl Inertia, c: &[f64], alpha: f64) -> f64 {
        for i in 0..rows.len() {
            self.z[i] = self.backup.z[i] + alpha * self.step.z[i];
        }
        for group in &rows.groups {
            let at: [f64; 6] = core::array::from_fn(|k| {
                let i = group.start as usize + k;
                if k < group.dim as usize { self.backup.f[i] + alpha * self.step.f[i] } else { 0.0 }
            });
            write_z(rows, group, &at, &mut self.z[group.range()]);
        }
        self.evaluate(rows, A, c)
    }
}

/// Slack s of a contact, f_n² − Σ (f_i/μ_i)², which must stay positive.
fn slack(scale: &[f64], f: &[f64]) -> f64 {
    let part = |(f, mu): (&f64, &f64)| if *mu > 0.0 { (f / mu) * (f / mu) } else { 0.0 };
    f[0] * f[0] - f[1..].iter().zip(&scale[1..]).map(part).sum::<f64>()
}

/// (c) of a group. Rows without friction keep their z.
fn write_z(rows: &Rows, group: &Group, f: &[f64; 6], z: &mut [f64]) {
    let own = group.range();
    let (R, scale, kappa) = (&rows.R[own.clone()], &rows.scale[own.clone()], rows.kappa[own.start]);
    match group.kind {
        Kind::Equality => z[0] = rows.bound[own.start] - R[0] * f[0],
        Kind::Limit => z[0] = kappa / f[0] - R[0] * f[0],
        Kind::Friction => {
            let eta = scale[0];
            if eta > 0.0 {
                z[0] = -R[0] * f[0] - 2.0 * kappa * f[0] / (eta * eta - f[0] * f[0]);
            }
        }
        Kind::Contact => {
            let lambda = 2.0 * kappa / slack(scale, &f[..scale.len()]);
            z[0] = kappa / f[0] + lambda * f[0] - R[0] * f[0];
            for k in (1..scale.len()).filter(|&k| scale[k] > 0.0) {
                z[k] = -(R[k] + lambda / (scale[k] * scale[k])) * f[k];
            }
        }
    }
}

/// Largest step along d that keeps a group's impulses f admissible.
fn distance_inside(rows: &Rows, group: &Group, f: &[f64], d: &[f64]) -> f64 {
    let own = group.range();
    let (f, d, scale) = (&f[own.clone()], &d[own.clone()], &rows.scale[own]);
    let to_zero = |f: f64, d: f64| if d < 0.0 { -f / d } else { f64::INFINITY };
    match group.kind {
        Kind::Equality => f64::INFINITY,
        Kind::Limit => to_zero(f[0], d[0]),
        Kind::Friction => to_zero(scale[0] - f[0], -d[0]).min(to_zero(scale[0] + f[0], d[0])),
        Kind::Contact => {
            // s(f + α d) = s + 2 b α + a α²; the first positive root.
            let part = |k: usize, x: f64, y: f64| if scale[k] > 0.0 { x * y / (scale[k] * scale[k]) } else { 0.0 };
            let b = f[0] * d[0] - (1..f.len()).map(|k| part(k, f[k], d[k])).sum::<f64>();
            let (a, s) = (slack(scale, d), slack(scale, f));
            let root = b * b - a * s;
            let cone = if root < 0.0 || (a >= 0.0 && b >= 0.0) { f64::INFINITY } else { s / (root.sqrt() - b) };
            cone.min(to_zero(f[0], d[0]))
        }
    }
}
