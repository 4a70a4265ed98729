//! The barrier of velocities d_V and its elastic form d̄_V, (25).
//!
//! d_V(s) = −κ log s for s = v − v_min > 0. The elastic form equals it for s ≥ s₀ = κ/q, where its
//! slope is −q, and continues as the parabola with the same value, slope and curvature: finite for
//! every velocity, twice differentiable.

use super::rows::Rows;
use saltus_math::real;

/// Which barrier keeps velocities above their minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wall {
    /// d̄_V for all velocities. Forward and inverse maps are twice differentiable and inverse to
    /// each other for every velocity.
    #[default]
    Elastic,
    /// As published: d̄_V until all velocities are above their minimum, d_V from then on. The
    /// inverse uses d_V if all velocities are above their minimum and d̄_V otherwise, so it is
    /// discontinuous; the forward map agrees with it only if its iterates end on the same side.
    Published,
}

/// Value, first and second derivative of d̄_V.
#[inline]
pub fn elastic(s: f64, kappa: f64, slope: f64) -> [f64; 3] {
    let s0 = kappa / slope;
    if s >= s0 {
        return log(s, kappa);
    }
    let curvature = slope * slope / kappa;
    let d = s - s0;
    [-kappa * real::ln(s0) + d * (0.5 * curvature * d - slope), curvature * d - slope, curvature]
}

/// Value, first and second derivative of d_V; infinite for s ≤ 0.
#[inline]
pub fn log(s: f64, kappa: f64) -> [f64; 3] {
    if s <= 0.0 {
        return [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
    }
    [-kappa * real::ln(s), -kappa / s, kappa / (s * s)]
}

/// First derivative of d̄_V, without a logarithm or a branch.
#[inline]
pub fn elastic_slope(s: f64, kappa: f64, slope: f64) -> f64 {
    let s0 = kappa / slope;
    let line = (slope * slope / kappa) * (s - s0) - slope;
    let curve = -kappa / s;
    if s >= s0 { curve } else { line }
}

/// First and second derivative of the barrier of a row; `plain` selects d_V.
#[inline]
pub(super) fn derivatives(rows: &Rows, row: usize, v: f64, plain: bool) -> (f64, f64) {
    let (s, kappa, slope) = (v - rows.bound[row], rows.kappa[row], rows.slope[row]);
    let s0 = kappa / slope;
    if plain || s >= s0 {
        (-kappa / s, kappa / (s * s))
    } else {
        let curvature = slope * slope / kappa;
        (curvature * (s - s0) - slope, curvature)
    }
}

/// Whether the velocities of all normals and limits are above their minimum.
pub(super) fn is_feasible(rows: &Rows, v: &[f64]) -> bool {
    rows.groups.iter().filter_map(|g| g.normal()).all(|i| v[i] > rows.bound[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elastic_barrier_is_twice_continuous_where_it_becomes_a_parabola() {
        for (kappa, slope) in [(0.1, 7.0), (0.5, 7.0), (1.0, 7.0), (2.0, 7.0), (1e-6, 10.0), (1e-2, 1e-3)] {
            let s0 = kappa / slope;
            let below = elastic(s0 * (1.0 - 1e-13), kappa, slope);
            let above = elastic(s0, kappa, slope);
            assert!((above[1] + slope).abs() <= 1e-14 * slope, "the slope at s₀ is −q");
            for k in 0..3 {
                let size = above[k].abs().max(kappa);
                assert!((below[k] - above[k]).abs() <= 1e-11 * size, "{k}: {} {}", below[k], above[k]);
            }
        }
    }

    #[test]
    fn slopes_are_derivatives_of_values() {
        let (kappa, slope) = (0.5, 7.0);
        for k in -40..80 {
            let s = 0.01 * k as f64 + 1e-3;
            let step = 1e-5;
            let [low, _, _] = elastic(s - step, kappa, slope);
            let [high, _, _] = elastic(s + step, kappa, slope);
            let [_, d1, d2] = elastic(s, kappa, slope);
            assert!(((high - low) / (2.0 * step) - d1).abs() < 1e-5 * d1.abs().max(1.0));
            let change = elastic_slope(s + step, kappa, slope) - elastic_slope(s - step, kappa, slope);
            assert!((change / (2.0 * step) - d2).abs() < 1e-2 * d2, "{s}: {change} {d2}");
            assert_eq!(elastic_slope(s, kappa, slope), d1);
        }
    }
}
