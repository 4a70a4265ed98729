//! Jacobians of the exponential of SO(3).
//!
//! exp(x + ∂x) = exp(x) exp(J_r(x) ∂x) with, for n = |x|,
//!   J_r(x) = 1 − (1 − cos n)/n² [x] + (n − sin n)/n³ [x]²,
//!   J_r⁻¹(x) = 1 + ½ [x] + (1/n² − (1 + cos n)/(2 n sin n)) [x]².

use saltus_math::{Mat3, Vec3, real};

/// Below this angle series are used: their relative error is of order n⁴.
const SMALL: f64 = 1e-3;

pub(super) fn right_jacobian(x: Vec3) -> Mat3 {
    let n2 = x.length_squared();
    let n = n2.sqrt();
    let (a, b) = if n < SMALL {
        (0.5 - n2 / 24.0 * (1.0 - n2 / 30.0), 1.0 / 6.0 - n2 / 120.0 * (1.0 - n2 / 42.0))
    } else {
        let (s, c) = real::sin_cos(n);
        ((1.0 - c) / n2, (n - s) / (n2 * n))
    };
    let w = Mat3::skew(x);
    Mat3::IDENTITY - w * a + (w * w) * b
}

pub(super) fn right_jacobian_inverse(x: Vec3) -> Mat3 {
    let n2 = x.length_squared();
    let n = n2.sqrt();
    let b = if n < 0.02 {
        1.0 / 12.0 + n2 / 720.0 * (1.0 + n2 / 42.0)
    } else {
        // (1 + cos n)/sin n = 1/tan(n/2): avoids cancellation near half a turn.
        let (s, c) = real::sin_cos(0.5 * n);
        1.0 / n2 - c / (2.0 * n * s)
    };
    let w = Mat3::skew(x);
    Mat3::IDENTITY + w * 0.5 + (w * w) * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_math::Quat;

    #[test]
    fn jacobians_are_those_of_the_exponential() {
        for size in [1e-5, 9e-4, 0.019, 0.021, 0.5, 2.0, 3.1] {
            let x = Vec3::new(0.6, -0.48, 0.64) * size;
            let exp = |x: Vec3| Quat::IDENTITY.integrate(x, 1.0);
            let (J, inverse) = (right_jacobian(x), right_jacobian_inverse(x));
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let h = 1e-4;
                let at = |t: f64| (exp(x).conj() * exp(x + axis * t)).log();
                let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                assert!((J * axis - slope).length() < 1e-10, "{size}");
                assert!((inverse * (J * axis) - axis).length() < 1e-11, "{size}");
            }
        }
    }
}
