//! Coefficients of the ellipsoid fluid model: virtual mass and virtual inertia [Lamb1932, §114–115].
//!
//! For an ellipsoid with semi-axes a, b, c the potential-flow coefficients are
//!   κ_x = a b c ∫₀^∞ dλ / ((a² + λ) √((a² + λ)(b² + λ)(c² + λ))).            (1)
//! Virtual mass: V κ_x / (2 − κ_x);                                            (2)
//! virtual inertia about x: V/5 (b² − c²)² (κ_z − κ_y) / (2 (b² − c²) + (b² + c²)(κ_y − κ_z)).  (3)

use crate::model::kinds::GeomShape;
use saltus_math::{Vec3, real, real::PI};

/// Abscissae (positive half) and weights of the 15-point Gauss–Kronrod rule on [−1, 1].
const NODES: [(f64, f64); 8] = [
    (0.991455371120812639206854697526329, 0.022935322010529224963732008058970),
    (0.949107912342758524526189684047851, 0.063092092629978553290700663189204),
    (0.864864423359769072789712788640926, 0.104790010322250183839876322541518),
    (0.741531185599394439863864773280788, 0.140653259715525918745189590510238),
    (0.586087235467691130294144691693013, 0.169004726639267902826583426598550),
    (0.405845151377397166906606412076961, 0.190350578064785409913256402421014),
    (0.207784955007898467600689403773245, 0.204432940075298892414161999234649),
    (0.0, 0.209482141084727828012999174891714),
];

/// (1), with λ = s² x³ / (1 − x)² mapping x in (0, 1) to λ and s² of the size of the ellipsoid.
fn kappa(a: f64, b: f64, c: f64) -> f64 {
    let scale = real::powf(a * b * c, 2.0 / 3.0);
    let integrand = |x: f64| {
        let lambda = scale * x * x * x / ((1.0 - x) * (1.0 - x));
        let rate = scale * x * x * (3.0 - x) / ((1.0 - x) * (1.0 - x) * (1.0 - x));
        let (a2, b2, c2) = (a * a + lambda, b * b + lambda, c * c + lambda);
        rate * a * b * c / (a2 * (a2 * b2 * c2).sqrt())
    };
    let mut sum = 0.0;
    for (node, weight) in NODES {
        let left = integrand(0.5 * (1.0 - node));
        let right = if node == 0.0 { 0.0 } else { integrand(0.5 * (1.0 + node)) };
        sum += 0.5 * weight * (left + right);
    }
    sum
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
