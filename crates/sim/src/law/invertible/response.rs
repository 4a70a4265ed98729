//! Separable response f(z) of (23), its derivative −C = −(R + ∇²d_F)⁻¹, and the cost of f.
//!
//! C is stored as C = L Lᵀ, one block per group. With the notation of `cone`
//! (a_i = R_i μ_i², λ = 2κ/s, s = y²), φ_i = 1/(a_i + λ), g_i = −μ_i z_i φ_i, c₁ = y² + 2 Σ g²λφ,
//! c₂ = y² + 2 Σ g²(1 − λφ), eliminating tangents from the Hessian of a contact gives
//!   σ = R_n + κ/f_n² + λ c₂/c₁ for the normal,  h_i = (2λ f_n/c₁) g_i φ_i,
//!   C = [1 hᵀ; h hhᵀ]/σ + [0 0; 0 Φ − (2λ/c₁) (Φg)(Φg)ᵀ],
//! and the square root of the last block is √Φ (1 − γ ĝĝᵀ), ĝ = √Φ g, γ = (2λ/c₁)/(1 + y/√c₁).
//! There is no cancellation, however close f is to the surface of the cone: s is not computed from
//! f.

use super::Report;
use super::inverse::separable;
use super::rows::{Group, Kind, MAX_DIM, Rows};
use saltus_math::real;

/// Lower-left factor of a group's block of C.
pub(super) type Block = [[f64; MAX_DIM]; MAX_DIM];

/// f(z) and the factors of C.
#[derive(Clone, Debug, Default)]
pub(super) struct Response {
    pub f: Vec<f64>,
    pub L: Vec<Block>,
    pub lambda: Vec<f64>,
}

impl Response {
    /// Evaluates f(z), with κ as scaled in `rows`.
    pub fn update(&mut self, rows: &Rows, z: &[f64]) -> Report {
        self.f.resize(rows.len(), 0.0);
        self.lambda.resize(rows.len(), 0.0);
        separable(rows, z, &mut self.f, &mut self.lambda)
    }
    /// Factors of C at the last z.
    pub fn update_factors(&mut self, rows: &Rows, z: &[f64]) {
        self.L.resize(rows.groups.len(), [[0.0; MAX_DIM]; MAX_DIM]);
        for (group, L) in rows.groups.iter().zip(&mut self.L) {
            let i = group.start as usize;
            let (f, lambda, kappa, R) = (self.f[i], self.lambda[i], rows.kappa[i], rows.R[i]);
            L[0][0] = match group.kind {
                Kind::Equality => 1.0 / R.sqrt(),
                Kind::Limit => 1.0 / (R + kappa / (f * f)).sqrt(),
                Kind::Friction => {
                    let (eta, x) = (rows.scale[i], rows.scale[i] * z[i] / (R * rows.scale[i] * rows.scale[i] + lambda));
                    eta / (R * eta * eta + 0.5 * lambda * lambda * (1.0 + x * x) / kappa).sqrt()
                }
                Kind::Contact => {
                    contact(rows, group, z, f, lambda, L);
                    continue;
                }
            };
        }
    }
    /// ½ fᵀRf + d_F(f), less the work of the targets, at the last z.
    pub fn cost(&self, rows: &Rows) -> f64 {
        let mut cost = 0.0;
        for group in &rows.groups {
            let i = group.start as usize;
            let (f, kappa) = (self.f[i], rows.kappa[i]);
            cost += match group.kind {
                Kind::Equality => -rows.bound[i] * f,
                Kind::Limit => -kappa * real::ln(f),
                Kind::Friction => kappa * real::ln(self.lambda[i] / (2.0 * kappa)),
                Kind::Contact => kappa * (real::ln(self.lambda[i] / (2.0 * kappa)) - real::ln(f)),
            };
            cost += group.range().map(|i| 0.5 * rows.R[i] * self.f[i] * self.f[i]).sum::<f64>();
        }
        cost
    }
    /// y = Lᵀ x.
    pub fn mul_transposed(&self, rows: &Rows, x: &[f64], y: &mut [f64]) {
        for (group, L) in rows.groups.iter().zip(&self.L) {
            let (own, n) = (group.range(), group.dim as usize);
            for (j, y) in y[own.clone()].iter_mut().enumerate() {
                *y = (0..n).map(|i| L[i][j] * x[own.start + i]).sum();
            }
        }
    }
    /// x = −L y.
    pub fn mul_negative(&self, rows: &Rows, y: &[f64], x: &mut [f64]) {
        for (group, L) in rows.groups.iter().zip(&self.L) {
            let (own, n) = (group.range(), group.dim as usize);
            for (i, x) in x[own.clone()].iter_mut().enumerate() {
                *x = -(0..n).map(|j| L[i][j] * y[own.start + j]).sum::<f64>();
            }
        }
    }
}

/// x = L y.
pub(super) fn mul(rows: &Rows, L: &[Block], y: &[f64], x: &mut [f64]) {
    for (group, L) in rows.groups.iter().zip(L) {
        let (start, dim) = (group.start as usize, group.dim as usize);
        for i in 0..dim {
            x[start + i] = (0..dim).map(|j| L[i][j] * y[start + j]).sum();
        }
    }
}

/// y −= Lᵀ x.
pub(super) fn subtract_transposed(rows: &Rows, L: &[Block], x: &[f64], y: &mut [f64]) {
    for (group, L) in rows.groups.iter().zip(L) {
        let (start, dim) = (group.start as usize, group.dim as usize);
        for j in 0..dim {
            y[start + j] -= (0..dim).map(|i| L[i][j] * x[start + i]).sum::<f64>();
        }
    }
}

/// Intermediate quantities of C of a contact, by rows; see the module header.
struct Parts {
    g: [f64; MAX_DIM],
    phi: [f64; MAX_DIM],
    y2: f64,
    c1: f64,
    sigma: f64,
}

impl Parts {
    #[inline]
    fn new(rows: &Rows, group: &Group, z: &[f64], f_n: f64, lambda: f64) -> Self {
        let (n, dim) = (group.start as usize, group.dim as usize);
        let kappa = rows.kappa[n];
        let y2 = 2.0 * kappa / lambda;
        let (mut g, mut phi) = ([0.0; MAX_DIM], [0.0; MAX_DIM]);
        let (mut gg, mut gr) = (0.0, 0.0);
        for i in 1..dim {
            let mu = rows.scale[n + i];
            phi[i] = 1.0 / (rows.R[n + i] * mu * mu + lambda);
            g[i] = -mu * z[n + i] * phi[i];
            gg += g[i] * g[i];
            gr += g[i] * g[i] * (lambda * phi[i]);
        }
        let (c1, c2) = (y2 + 2.0 * gr, y2 + 2.0 * (gg - gr));
        Self { g, phi, y2, c1, sigma: rows.R[n] + kappa / (f_n * f_n) + lambda * c2 / c1 }
    }
}

/// L of a contact.
fn contact(rows: &Rows, group: &Group, z: &[f64], f_n: f64, lambda: f64, L: &mut Block) {
    let (n, dim) = (group.start as usize, group.dim as usize);
    let Parts { g, phi, y2, c1, sigma } = Parts::new(rows, group, z, f_n, lambda);
    let inv_sigma = 1.0 / sigma.sqrt();
    let slope = 2.0 * lambda / c1;
    let gamma = slope / (1.0 + (y2 / c1).sqrt());
    L[0] = [0.0; MAX_DIM];
    L[0][0] = inv_sigma;
    for i in 1..dim {
        let mu = rows.scale[n + i];
        L[i][0] = mu * (slope * f_n) * g[i] * phi[i] * inv_sigma;
        let root = phi[i].sqrt();
        for j in 1..dim {
            let one = if i == j { 1.0 } else { 0.0 };
            L[i][j] = mu * root * (one - gamma * (g[i] * root) * (g[j] * phi[j].sqrt()));
        }
    }
}

/// Derivative of f of a contact with respect to its coefficients, in the direction `d`, at constant
/// z. In g_i = f_i/μ_i the barrier does not depend on them, and the gradient of the remaining cost
/// changes by (2 R_i f_i + z_i) ∂μ_i = (a_i − λ) ρ_i, ρ_i = g_i ∂μ_i/μ_i. With
/// T = Σ g_i φ_i (a_i − λ) ρ_i and C this is
///   ∂f_n = −(2λ f_n/c₁) T/σ,   ∂f_i = 2 μ_i λ φ_i (ρ_i + (g_i/c₁) T (R_n + κ/f_n² − λ)/σ),
/// where all terms that cancel in a sticking contact have been removed analytically.
pub(super) fn by_friction(
    rows: &Rows,
    group: &Group,
    z: &[f64],
    f_n: f64,
    lambda: f64,
    d: [f64; MAX_DIM - 1],
) -> [f64; MAX_DIM] {
    let (n, dim) = (group.start as usize, group.dim as usize);
    let Parts { g, phi, c1, sigma, .. } = Parts::new(rows, group, z, f_n, lambda);
    let mut rho = [0.0; MAX_DIM];
    let mut T = 0.0;
    for i in 1..dim {
        let mu = rows.scale[n + i];
        rho[i] = -z[n + i] * phi[i] * d[i - 1];
        T += g[i] * phi[i] * (rows.R[n + i] * mu * mu - lambda) * rho[i];
    }
    let normal = rows.R[n] + rows.kappa[n] / (f_n * f_n) - lambda;
    let mut out = [0.0; MAX_DIM];
    out[0] = -2.0 * lambda * f_n / c1 * T / sigma;
    for i in 1..dim {
        out[i] = 2.0 * rows.scale[n + i] * lambda * phi[i] * (rho[i] + g[i] / c1 * T * normal / sigma);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Smoothing;
    use super::*;

    /// Rows of all kinds, with sliding, sticking and separating contacts for the z below.
    fn rows(kappa: f64) -> Rows {
        let smoothing = Smoothing { kappa, slope: 10.0 };
        let mut rows = Rows::default();
        rows.push_equality(0.3, 0.2, smoothing);
        rows.push_friction(0.5, 0.7, smoothing);
        rows.push_friction(0.5, 0.0, smoothing);
        rows.push_limit(0.1, 0.0, smoothing);
        rows.push_contact(&[0.2], &[], 0.0, smoothing);
        rows.push_contact(&[0.2; 3], &[0.8; 2], 0.0, smoothing);
        rows.push_contact(&[0.2, 0.1, 0.4], &[0.8, 1.2], 0.0, smoothing);
        rows.push_contact(&[0.3; 4], &[0.8, 0.8, 0.02], 0.0, smoothing);
        rows.push_contact(&[0.3; 6], &[0.0, 0.8, 0.02, 0.1, 0.2], 0.0, smoothing);
        rows
    }

    fn numbers(n: usize, k: usize, size: f64) -> Vec<f64> {
        (0..n).map(|i| size * ((k * 37 + i * 17) as f64 * 0.613).sin()).collect()
    }

    #[test]
    fn the_factors_are_those_of_the_derivative() {
        for (k, kappa) in [1.0, 0.1, 1e-2].into_iter().cycle().take(60).enumerate() {
            let rows = rows(kappa);
            let (z, d) = (numbers(rows.len(), k, 2.0), numbers(rows.len(), k + 99, 1.0));
            let mut response = Response::default();
            let mut at = |t: f64| {
                let z: Vec<f64> = z.iter().zip(&d).map(|(z, d)| z + t * d).collect();
                response.update(&rows, &z);
                response.f.clone()
            };
            let step = 1e-5;
            let (high, low) = (at(step), at(-step));
            response.update(&rows, &z);
            response.update_factors(&rows, &z);
            let (mut y, mut x) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
            response.mul_transposed(&rows, &d, &mut y);
            response.mul_negative(&rows, &y, &mut x);
            for i in 0..rows.len() {
                let difference = (high[i] - low[i]) / (2.0 * step);
                assert!(
                    (difference - x[i]).abs() < 2e-6 * (1.0 + x[i].abs() / kappa),
                    "{k} {i}: {difference} {}",
                    x[i]
                );
            }
        }
    }

    #[test]
    fn friction_changes_impulses() {
        for (k, kappa) in [1.0, 0.1, 1e-2].into_iter().cycle().take(30).enumerate() {
            let (base, direction) = (rows(kappa), numbers(MAX_DIM, k, 1.0));
            let z = numbers(base.len(), k, 2.0);
            let at = |t: f64, group: &Group| {
                let mut changed = Rows::default();
                for (i, own) in base.groups.iter().enumerate() {
                    changed.push_group(&base, i);
                    if own == group {
                        let n = changed.len();
                        let coefficients = &mut changed.scale[n - own.dim as usize + 1..n];
                        coefficients.iter_mut().zip(&direction).for_each(|(mu, d)| *mu += t * d);
                    }
                }
                // The tangents no longer have equal coefficients.
                changed.alike.clear();
                let mut out = Response::default();
                out.update(&changed, &z);
                out.f[group.range()].to_vec()
            };
            let mut response = Response::default();
            response.update(&base, &z);
            for group in base.groups.iter().filter(|g| g.kind == Kind::Contact && g.dim > 1) {
                let i = group.start as usize;
                // No central difference at a coefficient of zero.
                if base.scale[group.range()].contains(&0.0)
                    || (group.dim == 3 && base.scale[i + 1] == base.scale[i + 2])
                {
                    continue;
                }
                let d = core::array::from_fn(|i| direction[i]);
                let ours = by_friction(&base, group, &z, response.f[i], response.lambda[i], d);
                let step = 1e-5;
                let (high, low) = (at(step, group), at(-step, group));
                for (j, (high, low)) in high.iter().zip(&low).enumerate() {
                    let difference = (high - low) / (2.0 * step);
                    assert!(
                        (difference - ours[j]).abs() < 1e-6 * (1.0 + ours[j].abs()),
                        "{k}: {difference} {}",
                        ours[j]
                    );
                }
            }
        }
    }

    #[test]
    fn z_is_the_negative_gradient_of_the_cost() {
        // Along z(t) the cost E(f(z)) changes by −zᵀ df.
        for (k, kappa) in [1.0, 0.1].into_iter().cycle().take(40).enumerate() {
            let rows = rows(kappa);
            let (z, d) = (numbers(rows.len(), k, 1.0), numbers(rows.len(), k + 7, 1.0));
            let mut response = Response::default();
            let mut at = |t: f64| {
                let z: Vec<f64> = z.iter().zip(&d).map(|(z, d)| z + t * d).collect();
                response.update(&rows, &z);
                (response.cost(&rows), response.f.clone())
            };
            let step = 1e-4;
            let ((high, f_high), (low, f_low)) = (at(step), at(-step));
            let work: f64 = (0..rows.len()).map(|i| z[i] * (f_high[i] - f_low[i])).sum();
            assert!((high - low + work).abs() < 1e-6 * work.abs().max(step), "{k}: {} {work}", high - low);
        }
    }
}
