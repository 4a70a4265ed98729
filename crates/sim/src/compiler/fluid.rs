//! Coefficients of the ellipsoid fluid model: virtual mass and virtual inertia [Lamb1932,
//! §114–115].
//!
//! For an ellipsoid with semi-axes a, b, c the potential-flow coefficients are
//!   κ_x = a b c ∫₀^∞ dλ / ((a² + λ) √((a² + λ)(b² + λ)(c² + λ))).            (1)
//! Virtual mass: V κ_x / (2 − κ_x);                                            (2)
//! virtual inertia about x: V/5 (b² − c²)² (κ_z − κ_y) / (2 (b² − c²) + (b² + c²)(κ_y − κ_z)).  (3)

use crate::dynamics::semi_axes;
use crate::model::kinds::GeomShape;
use saltus_math::{Vec3, real, real::PI};

/// Abscissae and weights of the 15-point Gauss–Kronrod rule on [0, 1], to eight decimals as in
/// MuJoCo; the accuracy of the rule itself is about 1e-6 here.
const NODES: [(f64, f64); 15] = [
    (0.00427231, 0.01146766),
    (0.02544604, 0.03154605),
    (0.06756779, 0.05239501),
    (0.12923441, 0.07032663),
    (0.20695638, 0.08450236),
    (0.29707742, 0.09517529),
    (0.39610752, 0.10221647),
    (0.50000000, 0.10474107),
    (0.60389248, 0.10221647),
    (0.70292258, 0.09517529),
    (0.79304362, 0.08450236),
    (0.87076559, 0.07032663),
    (0.93243221, 0.05239501),
    (0.97455396, 0.03154605),
    (0.99572769, 0.01146766),
];

/// (1), with λ = s x³ / (1 − x)² mapping x in (0, 1) to λ, where s = (a³ b c)^(2/5) is the scale at
/// which the integrand begins to fall.
fn kappa(a: f64, b: f64, c: f64) -> f64 {
    let scale = real::powf(a * a * a * b * c, 0.4);
    let integrand = |x: f64| {
        let lambda = scale * x * x * x / ((1.0 - x) * (1.0 - x));
        let rate = scale * x * x * (3.0 - x) / ((1.0 - x) * (1.0 - x) * (1.0 - x));
        let (a2, b2, c2) = (a * a + lambda, b * b + lambda, c * c + lambda);
        rate * a * b * c / (a2 * (a2 * b2 * c2).sqrt())
    };
    NODES.iter().map(|(node, weight)| weight * integrand(*node)).sum()
}

/// The twelve numbers of the fluid model: switch, five coefficients, virtual mass, virtual inertia.
pub(super) fn coefficients(shape: GeomShape, size: [f64; 3], coefs: [f64; 5]) -> [f64; 12] {
    let [blunt, slender, angular, kutta, magnus] = coefs;
    let s = semi_axes(shape, size);
    if s.min_element() <= 0.0 {
        return [1.0, blunt, slender, angular, kutta, magnus, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    }
    let (a, b, c) = (s.x, s.y, s.z);
    let volume = 4.0 / 3.0 * PI * a * b * c;
    let k = Vec3::new(kappa(a, b, c), kappa(b, c, a), kappa(c, a, b));
    let mass = volume * k / (Vec3::splat(2.0) - k);
    let sq = s * s;
    let inertia = |i: usize, j: usize| {
        let difference = sq[i] - sq[j];
        // (3) → 0 for a body of revolution; both sides vanish.
        let denominator = 2.0 * difference + (sq[i] + sq[j]) * (k[i] - k[j]);
        if denominator.abs() < saltus_math::MIN_VAL {
            0.0
        } else {
            volume / 5.0 * difference * difference * (k[j] - k[i]) / denominator
        }
    };
    let (ix, iy, iz) = (inertia(1, 2), inertia(2, 0), inertia(0, 1));
    [1.0, blunt, slender, angular, kutta, magnus, mass.x, mass.y, mass.z, ix, iy, iz]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adaptive Simpson quadrature.
    fn integrate(f: &dyn Fn(f64) -> f64, a: f64, b: f64, tolerance: f64, depth: u32) -> f64 {
        let m = 0.5 * (a + b);
        let simpson = |a: f64, b: f64| (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b));
        let (whole, halves) = (simpson(a, b), simpson(a, m) + simpson(m, b));
        if depth == 0 || (whole - halves).abs() < 15.0 * tolerance {
            return halves + (halves - whole) / 15.0;
        }
        integrate(f, a, m, tolerance / 2.0, depth - 1) + integrate(f, m, b, tolerance / 2.0, depth - 1)
    }

    /// (1) with λ = s t²/(1 − t)², which makes the range finite and the integrand smooth.
    fn kappa_slowly(a: f64, b: f64, c: f64) -> f64 {
        let s = a * b;
        let integrand = |t: f64| {
            if t >= 1.0 {
                return 0.0;
            }
            let u = 1.0 - t;
            let l = s * t * t / (u * u);
            let root = ((a * a + l) * (b * b + l) * (c * c + l)).sqrt();
            2.0 * s * t / (u * u * u) / ((a * a + l) * root)
        };
        let pieces = 16;
        let at = |k: i32| f64::from(k) / f64::from(pieces);
        let scale = 1.0 / (a * b * c);
        a * b * c * (0..pieces).map(|k| integrate(&integrand, at(k), at(k + 1), 1e-14 * scale, 40)).sum::<f64>()
    }

    /// Largest deviation of MuJoCo's rule from the integral: it has eight decimals, and few nodes
    /// for thin shapes.
    const RULE: f64 = 2e-6;
    const RULE_THIN: f64 = 2e-3;

    #[test]
    fn coefficients_are_the_integrals_of_potential_flow() {
        let axes = [
            (1.0, 1.0, 1.0),
            (0.1, 0.2, 0.3),
            (0.5, 0.5, 0.01),
            (0.01, 0.02, 1.0),
            (3.0, 0.1, 1.0),
            (1e-3, 0.05, 0.05),
        ];
        for (a, b, c) in axes {
            for (a, b, c) in [(a, b, c), (b, c, a), (c, a, b)] {
                let (fast, slow) = (kappa(a, b, c), kappa_slowly(a, b, c));
                let aspect = a.max(b).max(c) / a.min(b).min(c);
                let bound = if aspect > 5.0 { RULE_THIN } else { RULE };
                assert!((fast - slow).abs() < bound, "{a} {b} {c}: {fast} {slow}");
            }
        }
    }

    #[test]
    fn virtual_mass_of_a_sphere_is_half_of_what_it_displaces() {
        let volume = 4.0 / 3.0 * PI * 0.3_f64.powi(3);
        let all = coefficients(GeomShape::Sphere, [0.3, 0.0, 0.0], [0.5, 0.25, 1.5, 1.0, 1.0]);
        assert_eq!(all[..6], [1.0, 0.5, 0.25, 1.5, 1.0, 1.0]);
        all[6..9].iter().for_each(|m| assert!((m - volume / 2.0).abs() < RULE * volume, "{m}"));
        assert_eq!(all[9..], [0.0; 3]);
    }
}
