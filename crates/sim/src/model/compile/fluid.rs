//! Coefficients of the ellipsoid fluid model: virtual mass and virtual inertia [Lamb1932, §114–115].
//!
//! For an ellipsoid with semi-axes a, b, c the potential-flow coefficients are
//!   κ_x = a b c ∫₀^∞ dλ / ((a² + λ) √((a² + λ)(b² + λ)(c² + λ))).            (1)
//! Virtual mass: V κ_x / (2 − κ_x);                                            (2)
//! virtual inertia about x: V/5 (b² − c²)² (κ_z − κ_y) / (2 (b² − c²) + (b² + c²)(κ_y − κ_z)).  (3)

use crate::model::kinds::GeomShape;
use saltus_math::{Vec3, real, real::PI};

/// Abscissae and weights of the 15-point Gauss–Kronrod rule on [0, 1], to eight decimals as the reference engine has
/// them; the rule itself is good to about 1e-6 here.
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

/// (1), with λ = s x³ / (1 − x)² mapping x in (0, 1) to λ, s = (a³ b c)^(2/5) of the size of the integrand's knee.
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

/// Semi-axes of the ellipsoid that stands for a shape.
fn semi_axes(shape: GeomShape, [a, b, c]: [f64; 3]) -> Vec3 {
    match shape {
        GeomShape::Sphere => Vec3::splat(a),
        GeomShape::Capsule => Vec3::new(a, a, a + b),
        GeomShape::Cylinder => Vec3::new(a, a, b),
        _ => Vec3::new(a, b, c),
    }
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
