//! Scalar functions with the same result on every machine (`libm`, never the system's library).

pub use core::f64::consts::PI;

/// Sine and cosine.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}
/// Sine.
#[inline]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}
/// Cosine.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}
/// Tangent.
#[inline]
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}
/// Inverse sine.
#[inline]
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}
/// Inverse cosine.
#[inline]
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}
/// Angle of (x, y).
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}
/// Exponential.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}
/// exp(x) − 1, accurate for small x.
#[inline]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}
/// ln(1 + x), accurate for small x.
#[inline]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}
/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}
/// x to the power y.
#[inline]
pub fn powf(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
/// Hyperbolic tangent.
#[inline]
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}
