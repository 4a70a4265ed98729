//! The inverse of one contact: a scalar root, for several contacts at once.
//!
//! min ½ fᵀRf + zᵀf − κ log f_n − κ log s, s = f_n² − Σ g_i², f_i = μ_i g_i (23). With λ = 2κ/s the tangents are
//!   g_i = −w_i/(a_i + λ),  w_i = μ_i z_i,  a_i = R_i μ_i²,                     (a)
//! so s = y² gives λ = 2κ/y² and f_n² = y² + Σ g_i²; what remains of optimality is the normal row,
//!   R_n f_n + z_n = λ f_n + κ/f_n.                                              (b)
//! As y grows the left side grows from z_n to ∞ and the right falls from ∞: one root. f_n and λ f_n are sums of positive
//! terms, nothing cancels. Both sides are nearly powers of y, so Newton's method is applied to the logarithms of the
//! sides (z_n goes to the side where it is positive) as a function of log y:
//!   log y += log r / p,  r = right/left,  p = slope of log left − log right,    (c)
//! where r^(1/p) is replaced by ((p+1) r + (p−1)) / ((p−1) r + (p+1)), exact to third order at r = 1: four divisions and
//! a square root per iteration, no transcendental function. A bracket guards it.

/// Contacts that are solved together.
pub const LANES: usize = 4;
/// Iterations at most; usual are 3 to 5.
const ITERATIONS: usize = 100;
/// Relative change of y at which an iteration was the last: the error after it is of the order of the square.
const TOLERANCE: f64 = 2e-9;
/// Largest factor of y in an iteration.
const MAX_FACTOR: f64 = 8.0;

/// `W` contacts with `T` tangents each, by lanes. A contact whose tangents have the same a_i is one with T = 1 and
/// w = |w|.
#[derive(Clone, Copy, Debug)]
pub struct Cones<const T: usize, const W: usize> {
    pub kappa: [f64; W],
    pub R_n: [f64; W],
    pub z_n: [f64; W],
    pub a: [[f64; W]; T],
    /// Squares of w_i.
    pub w2: [[f64; W]; T],
}

impl<const T: usize, const W: usize> Default for Cones<T, W> {
    fn default() -> Self {
        Self { kappa: [1.0; W], R_n: [1.0; W], z_n: [0.0; W], a: [[1.0; W]; T], w2: [[0.0; W]; T] }
    }
}

/// What was found: f_n, λ, the factors 1/(a_i + λ) of g_i, the iterations and whether all converged.
#[derive(Clone, Copy, Debug)]
pub struct Roots<const T: usize, const W: usize> {
    pub f_n: [f64; W],
    pub lambda: [f64; W],
    pub factor: [[f64; W]; T],
    pub iterations: usize,
    pub converged: bool,
}

/// Solves all lanes. The numbers of a lane do not depend on what is in the others.
#[inline]
pub fn solve<const T: usize, const W: usize>(p: &Cones<T, W>) -> Roots<T, W> {
    let mut y = start(p);
    let mut low = [0.0; W];
    let mut high = [f64::INFINITY; W];
    let mut done = [false; W];
    let mut iterations = 0;
    while iterations < ITERATIONS {
        iterations += 1;
        let step = newton(p, &y);
        let mut open = 0;
        for k in 0..W {
            let (lo, hi) = if step.rises[k] { (y[k], high[k]) } else { (low[k], y[k]) };
            let next = y[k] * step.factor[k];
            // Round-off may put the root on the other side of an end; what is left then is the end itself.
            let inside =
                if next <= lo || next >= hi { if hi < f64::MAX { (lo * hi).sqrt() } else { 2.0 * lo } } else { next };
            let small = (step.factor[k] - 1.0).abs() < TOLERANCE || step.level[k];
            let chosen = if small { next } else { inside };
            (low[k], high[k]) = (lo, hi);
            y[k] = if done[k] { y[k] } else { chosen };
            done[k] |= small;
            open += usize::from(!done[k]);
        }
        if open == 0 {
            break;
        }
    }
    let at = evaluate(p, &y);
    Roots { f_n: at.f_n, lambda: at.lambda, factor: at.factor, iterations, converged: done == [true; W] }
}

/// y where to begin: sticking (b with λ f_n = 2κ/f_n) or sliding (|g| = f_n), whichever it would be without smoothing.
#[inline]
fn start<const T: usize, const W: usize>(p: &Cones<T, W>) -> [f64; W] {
    let mut y = [0.0; W];
    for k in 0..W {
        let (mut b2, mut ab2) = (0.0, 0.0);
        for i in 0..T {
            b2 += p.w2[i][k];
            ab2 += p.a[i][k] * p.w2[i][k];
        }
        let b = b2.sqrt();
        let a = if T == 1 { p.a[0][k] } else { ab2 / (b2 + f64::MIN_POSITIVE) };
        let kappa = p.kappa[k];
        let slides = p.R_n[k] * b2 + p.z_n[k] * a * b > 3.0 * kappa * a * a;
        let A = if slides { p.R_n[k] + a } else { p.R_n[k] };
        let B = if slides { p.z_n[k] - b } else { p.z_n[k] };
        let f = positive_root(A, B, 3.0 * kappa);
        // λ of a contact that sticks, and what sliding adds.
        let over = b / f - a;
        let lambda = 2.0 * kappa / (f * f) + if over > 0.0 { over } else { 0.0 };
        y[k] = (2.0 * kappa / lambda).sqrt();
    }
    y
}

/// The positive root of A x² + B x − C, for A, C > 0, without cancellation.
#[inline]
pub fn positive_root(A: f64, B: f64, C: f64) -> f64 {
    let root = (B * B + 4.0 * A * C).sqrt();
    let sum = B.abs() + root;
    let numerator = if B > 0.0 { 2.0 * C } else { sum };
    let denominator = if B > 0.0 { sum } else { 2.0 * A };
    numerator / denominator
}

/// f_n and what it is made of.
struct At<const T: usize, const W: usize> {
    lambda: [f64; W],
    f_n: [f64; W],
    inv_f: [f64; W],
    factor: [[f64; W]; T],
    /// y² + 2 Σ g²ρ and y² + 2 Σ g²(1 − ρ), with ρ_i = λ/(a_i + λ).
    c1: [f64; W],
    c2: [f64; W],
}

#[inline]
fn evaluate<const T: usize, const W: usize>(p: &Cones<T, W>, y: &[f64; W]) -> At<T, W> {
    let zero = [0.0; W];
    let mut at = At { lambda: zero, f_n: zero, inv_f: zero, factor: [zero; T], c1: zero, c2: zero };
    for k in 0..W {
        let y2 = y[k] * y[k];
        let lambda = 2.0 * p.kappa[k] / y2;
        let (mut gg, mut gr) = (0.0, 0.0);
        for i in 0..T {
            let factor = 1.0 / (p.a[i][k] + lambda);
            let g2 = p.w2[i][k] * (factor * factor); // (a)
            gg += g2;
            gr += g2 * (lambda * factor);
            at.factor[i][k] = factor;
        }
        let f = (y2 + gg).sqrt();
        at.lambda[k] = lambda;
        at.f_n[k] = f;
        at.inv_f[k] = 1.0 / f;
        at.c1[k] = y2 + 2.0 * gr;
        at.c2[k] = y2 + 2.0 * (gg - gr);
    }
    at
}

struct Step<const W: usize> {
    factor: [f64; W],
    /// Whether y is below the root.
    rises: [bool; W],
    /// Whether the sides of (b) are the same up to round-off.
    level: [bool; W],
}

/// The factor of y, (c).
#[inline]
fn newton<const T: usize, const W: usize>(p: &Cones<T, W>, y: &[f64; W]) -> Step<W> {
    let at = evaluate(p, y);
    let mut step = Step { factor: [0.0; W], rises: [false; W], level: [false; W] };
    for k in 0..W {
        let (R, z, f, inv) = (p.R_n[k], p.z_n[k], at.f_n[k], at.inv_f[k]);
        let wall = p.kappa[k] * inv;
        let left = R * f + if z > 0.0 { z } else { 0.0 };
        let right = at.lambda[k] * f + wall + if z > 0.0 { 0.0 } else { -z };
        // y d/dy of the sides, both positive.
        let d_left = R * at.c1[k] * inv;
        let d_right = at.lambda[k] * at.c2[k] * inv + wall * at.c1[k] * inv * inv;
        let (q, w) = (d_left * right + d_right * left, left * right);
        let numerator = (q + w) * right + (q - w) * left;
        let denominator = (q + w) * left + (q - w) * right;
        let factor = numerator / denominator;
        let factor = if denominator > 0.0 { factor } else { MAX_FACTOR };
        let factor = if factor < MAX_FACTOR { factor } else { MAX_FACTOR };
        step.factor[k] = if factor > 1.0 / MAX_FACTOR { factor } else { 1.0 / MAX_FACTOR };
        step.rises[k] = right > left;
        step.level[k] = (right - left).abs() <= 4.0 * f64::EPSILON * right;
    }
    step
}
