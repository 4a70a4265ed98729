//! Inverse map of contacts: one scalar root per contact, computed for several contacts in parallel
//! lanes.
//!
//! min ½ fᵀRf + zᵀf − κ log f_n − κ log s, s = f_n² − Σ g_i², f_i = μ_i g_i (23). With λ = 2κ/s the
//! tangents are
//!   g_i = −w_i/(a_i + λ),  w_i = μ_i z_i,  a_i = R_i μ_i²;                                  (a)
//! the remaining optimality condition is the normal row, here multiplied by f_n,
//!   R_n f_n² + z_n f_n = λ f_n² + κ.                                                         (b)
//! The unknown is s. With D_i = 1/(a_i s + 2κ), u = Σ w_i² s D_i² = Σ g_i²/s and ρ_i = 2κ D_i,
//!   f_n² = s (1 + u),  λ f_n² = 2κ (1 + u),  s ∂u/∂s = Σ (2ρ_i − 1) u_i,                   (c)
//! sums of positive terms, so there is no cancellation. The ratio of the left to the right side of
//! (b) increases with s: there is one root. Both sides are nearly powers of s, so Newton's method
//! is applied to their logarithms as a function of log s:
//!   log s += log r / p,  r = right/left,  p = slope of log left − log right,                 (d)
//! where r^(1/p) is replaced by ((p+1) r + (p−1)) / ((p−1) r + (p+1)), exact to third order at
//! r = 1: three divisions and a square root per iteration, no transcendental function. With one
//! coefficient for all tangents at most five iterations were needed for ten million random
//! contacts, κ and z over forty decades; with several coefficients the root is also bracketed.

/// Maximum number of iterations; 1 to 3 are typical.
const ITERATIONS: usize = 50;
/// Relative change of s at which the iteration stops: the remaining error is about a tenth of its
/// square.
const TOLERANCE: f64 = 1e-7;
/// Largest factor by which s changes in an iteration.
const MAX_FACTOR: f64 = 64.0;

/// `W` contacts with `T` tangents each, one contact per lane. A contact whose tangents have equal
/// a_i is treated as one with T = 1 and w = |w|.
#[derive(Clone, Copy, Debug)]
pub struct Cones<const T: usize, const W: usize> {
    /// κ: weight of the barrier.
    pub kappa: [f64; W],
    /// Regularizer of the normal force.
    pub R_n: [f64; W],
    /// z of the normal row.
    pub z_n: [f64; W],
    /// a_i = R_i μ_i².
    pub a: [[f64; W]; T],
    /// Squares of w_i.
    pub w2: [[f64; W]; T],
}

impl<const T: usize, const W: usize> Default for Cones<T, W> {
    fn default() -> Self {
        Self { kappa: [1.0; W], R_n: [1.0; W], z_n: [0.0; W], a: [[1.0; W]; T], w2: [[0.0; W]; T] }
    }
}

/// The solution: f_n, λ, the factors 1/(a_i + λ) of g_i, the number of iterations and whether all
/// converged.
#[derive(Clone, Copy, Debug)]
pub struct Roots<const T: usize, const W: usize> {
    /// Normal forces.
    pub f_n: [f64; W],
    /// Roots λ.
    pub lambda: [f64; W],
    /// 1/(a_i + λ).
    pub factor: [[f64; W]; T],
    /// Iterations that were taken.
    pub iterations: usize,
    /// Whether all lanes converged.
    pub converged: bool,
}

/// Solves all lanes. Lanes do not influence each other: a converged lane keeps its value.
#[inline]
pub fn solve<const T: usize, const W: usize>(p: &Cones<T, W>) -> Roots<T, W> {
    let mut s = start(p);
    let (mut low, mut high) = ([0.0; W], [f64::INFINITY; W]);
    let mut iterations = 0;
    loop {
        iterations += 1;
        let step = newton(p, &s);
        let mut largest = 0.0;
        for k in 0..W {
            let size = step.change[k].abs();
            largest = if size > largest { size } else { largest };
        }
        let converged = largest < TOLERANCE;
        if converged || iterations == ITERATIONS {
            return finish(p, &s, &step, iterations, converged);
        }
        for k in 0..W {
            let mut next = s[k].mul_add(step.change[k], s[k]);
            // With one tangent the initial guess is close enough to need no bracket.
            if T > 1 {
                (low[k], high[k]) = if step.change[k] > 0.0 { (s[k], high[k]) } else { (low[k], s[k]) };
                let middle = if high[k] < f64::MAX { (low[k] * high[k]).sqrt() } else { next };
                next = if next > low[k] && next < high[k] { next } else { middle };
            }
            s[k] = if step.change[k].abs() < TOLERANCE { s[k] } else { next };
        }
    }
}

/// Initial guess of s. f is that of sticking (b with λ f² = 2κ) or of sliding (|g| = f), as it
/// would be without smoothing. Then λ (λ − b/f + a)(λ + a + b/f) f² = 2κ (a + λ)² is solved with
/// the sums a + λ at their values without smoothing.
#[inline]
fn start<const T: usize, const W: usize>(p: &Cones<T, W>) -> [f64; W] {
    let mut s = [0.0; W];
    for k in 0..W {
        let (mut b2, mut ab2) = (0.0, 0.0);
        for i in 0..T {
            b2 += p.w2[i][k];
            ab2 += p.a[i][k] * p.w2[i][k];
        }
        let b = b2.sqrt();
        let a = if T == 1 { p.a[0][k] } else { ab2 / (b2 + f64::MIN_POSITIVE) };
        let kappa = p.kappa[k];
        let slides = (p.z_n[k] * a).mul_add(b, p.R_n[k] * b2) > 3.0 * kappa * a * a;
        let A = if slides { p.R_n[k] + a } else { p.R_n[k] };
        let B = if slides { p.z_n[k] - b } else { p.z_n[k] };
        let f = positive_root(A, B, 3.0 * kappa);
        // All quantities multiplied by f²: Λ = λ f², (Λ − over)(…).
        let (af, bf) = (a * f * f, b * f);
        let over = bf - af;
        let sum = af + 2.0 * kappa + if over > 0.0 { over } else { 0.0 };
        // s = 2κ f²/Λ = f² · the positive root of x² sum² + x over (sum + bf) − 2κ (sum + bf),
        // x = 2κ/Λ.
        s[k] = f * f * positive_root(sum * sum, over * (sum + bf), 2.0 * kappa * (sum + bf));
    }
    s
}

/// The positive root of A x² + B x − C, for A, C > 0, without cancellation.
#[inline]
pub fn positive_root(A: f64, B: f64, C: f64) -> f64 {
    let root = B.mul_add(B, 4.0 * A * C).sqrt();
    let sum = B.abs() + root;
    let numerator = if B > 0.0 { 2.0 * C } else { sum };
    let denominator = if B > 0.0 { sum } else { 2.0 * A };
    numerator / denominator
}

/// The relative change of s and the quantities computed at s.
struct Step<const T: usize, const W: usize> {
    change: [f64; W],
    f_n: [f64; W],
    /// s ∂f_n/∂s.
    slope: [f64; W],
    D: [[f64; W]; T],
}

/// (d) at s.
#[inline]
fn newton<const T: usize, const W: usize>(p: &Cones<T, W>, s: &[f64; W]) -> Step<T, W> {
    let mut step = Step { change: [0.0; W], f_n: [0.0; W], slope: [0.0; W], D: [[0.0; W]; T] };
    for k in 0..W {
        let (kappa, s) = (2.0 * p.kappa[k], s[k]);
        let (mut u, mut u_rho) = (0.0, 0.0);
        for i in 0..T {
            let D = 1.0 / p.a[i][k].mul_add(s, kappa);
            let own = (p.w2[i][k] * s) * (D * D);
            let rho = kappa * D;
            (u, u_rho) = if i == 0 { (own, own * rho) } else { (u + own, own.mul_add(rho, u_rho)) };
            step.D[i][k] = D;
        }
        // (c): f_n² and half of its derivative with respect to log s.
        let f2 = s.mul_add(u, s);
        let half = s.mul_add(u_rho, 0.5 * s);
        let (f, inverse) = (f2.sqrt(), 1.0 / f2);
        let slope = (half * inverse) * f;
        let (R, z) = (p.R_n[k], p.z_n[k]);
        let (above, below) = (if z > 0.0 { z } else { 0.0 }, if z > 0.0 { 0.0 } else { -z });
        let left = above.mul_add(f, R * f2);
        let right = below.mul_add(f, kappa.mul_add(u, 1.5 * kappa));
        let d_left = above.mul_add(slope, 2.0 * R * half);
        let d_right = below.mul_add(slope, kappa * u_rho.mul_add(2.0, -u));
        let (q, w) = (d_left.mul_add(right, -(d_right * left)), left * right);
        let denominator = (q + w).mul_add(left, (q - w) * right);
        // The sides agree to round-off.
        let difference = if (right - left).abs() <= 4.0 * f64::EPSILON * right { 0.0 } else { right - left };
        let change = 2.0 * w * difference / denominator;
        let change = if denominator > 0.0 { change } else { MAX_FACTOR };
        let change = if change < MAX_FACTOR { change } else { MAX_FACTOR };
        step.change[k] = if change > 1.0 / MAX_FACTOR - 1.0 { change } else { 1.0 / MAX_FACTOR - 1.0 };
        (step.f_n[k], step.slope[k]) = (f, slope);
    }
    step
}

#[inline]
fn finish<const T: usize, const W: usize>(
    p: &Cones<T, W>,
    s: &[f64; W],
    step: &Step<T, W>,
    iterations: usize,
    converged: bool,
) -> Roots<T, W> {
    let mut roots = Roots { f_n: [0.0; W], lambda: [0.0; W], factor: [[0.0; W]; T], iterations, converged };
    for k in 0..W {
        let (kappa, change) = (2.0 * p.kappa[k], step.change[k]);
        roots.f_n[k] = step.f_n[k] + step.slope[k] * change;
        roots.lambda[k] = kappa / (s[k] + s[k] * change);
        for i in 0..T {
            let D = step.D[i][k];
            roots.factor[i][k] = s[k] * D * (1.0 + kappa * D * change);
        }
    }
    roots
}
