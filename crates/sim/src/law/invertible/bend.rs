//! Second derivatives of a contact's impulses, contracted with weights x; used by Newton's method
//! for trajectories.
//!
//! With λ and φ_i = 1/(R μ_i² + λ) of `cone`, f_i = −μ_i² z_i φ_i, and f_n, λ solve
//!   G₁ = R f_n − κ/f_n − λ f_n + z_n = 0,     G₂ = f_n² − Σ μ_i² z_i² φ_i² − 2κ/λ = 0.      (1)
//! xᵀf has the second derivatives of the Lagrangian Λ = xᵀf − ν · G along the tangents of (1), with
//! multipliers ν · ∂G/∂(f_n, λ) = ∂(xᵀf)/∂(f_n, λ): second derivatives of f_n and λ themselves drop
//! out. det ∂G/∂(f_n, λ) = σ c₁/λ is a sum of positive terms (`response`), so there is no
//! cancellation.
//!
//! As functions of the residual w, impulses are f = β F(z, R), R = R(w) at β = 1, so that, in the
//! scaled R of the rows,
//!   f_ww = β''/β f + 2 β'/β f_R R' + f_RR R'² + f_R R'',   f_wz = β'/β f_z + f_zR R'.        (2)

use super::rows::{Group, MAX_DIM, Rows};

/// Number of variables: z of the rows, then R or the residual.
pub(crate) const WIDTH: usize = MAX_DIM + 1;

pub(crate) type Square = [[f64; WIDTH]; WIDTH];

/// First and second derivatives, with respect to the residual, of R at constant weight and of the
/// weight β relative to itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Residual {
    pub R: [f64; 2],
    pub weight: [f64; 2],
}

/// First and second derivatives of Σ weights f with respect to z and to the common R of all rows,
/// at constant κ.
pub(super) fn by_regularizer(
    rows: &Rows,
    group: &Group,
    z: &[f64],
    f: f64,
    lambda: f64,
    weights: &[f64; MAX_DIM],
) -> ([f64; WIDTH], Square) {
    let (n, dim) = (group.start as usize, group.dim as usize);
    let (R, kappa, last) = (rows.R[n], rows.kappa[n], WIDTH - 1);
    let z = &z[group.range()];
    // ∂G₂/∂λ = c₁/λ, and derivatives of (1) with respect to the variables.
    let (mut by_lambda, mut phi, mut mu2) = (2.0 * kappa / (lambda * lambda), [0.0; MAX_DIM], [0.0; MAX_DIM]);
    let mut c2 = 2.0 * kappa / lambda;
    let (mut g1, mut g2) = ([0.0; WIDTH], [0.0; WIDTH]);
    (g1[0], g1[last]) = (1.0, f);
    // Derivatives of xᵀf with respect to λ and the variables, at constant f_n and λ.
    let (mut sum_lambda, mut direct) = (0.0, [0.0; WIDTH]);
    for i in 1..dim {
        mu2[i] = rows.scale[n + i] * rows.scale[n + i];
        phi[i] = 1.0 / (R * mu2[i] + lambda);
        let (p2, w2) = (phi[i] * phi[i], mu2[i] * z[i] * z[i]);
        by_lambda += 2.0 * w2 * p2 * phi[i];
        c2 += 2.0 * w2 * p2 * phi[i] * (R * mu2[i]);
        g2[i] = -2.0 * mu2[i] * z[i] * p2;
        g2[last] += 2.0 * mu2[i] * w2 * p2 * phi[i];
        let theta = weights[i] * mu2[i];
        sum_lambda += theta * z[i] * p2;
        direct[i] = -theta * phi[i];
        direct[last] += theta * mu2[i] * z[i] * p2;
    }
    let normal = R + kappa / (f * f) - lambda;
    // σ c₁/λ, with c₂ = 2 f_n² − c₁.
    let det = (R + kappa / (f * f)) * by_lambda + c2;
    let solve = |a: f64, b: f64| ((by_lambda * a + f * b) / det, (normal * b - 2.0 * f * a) / det);
    // Multipliers ν: the transposed equations.
    let nu1 = (by_lambda * weights[0] - 2.0 * f * sum_lambda) / det;
    let nu2 = (f * weights[0] + normal * sum_lambda) / det;
    let mut slope = [0.0; WIDTH];
    // Derivatives of f_n and λ with respect to each variable.
    let (mut df, mut dl) = ([0.0; WIDTH], [0.0; WIDTH]);
    let used = |a: usize| a < dim || a == last;
    for a in (0..WIDTH).filter(|&a| used(a)) {
        (df[a], dl[a]) = solve(-g1[a], -g2[a]);
        slope[a] = direct[a] - nu1 * g1[a] - nu2 * g2[a];
    }
    let ff = 2.0 * nu1 * kappa / (f * f * f) - 2.0 * nu2;
    let ll = 4.0 * nu2 * kappa / (lambda * lambda * lambda);
    let mut out = [[0.0; WIDTH]; WIDTH];
    let rho = |a: usize| if a == last { 1.0 } else { 0.0 };
    for a in (0..WIDTH).filter(|&a| used(a)) {
        for b in (0..=a).filter(|&b| used(b)) {
            let mut sum = ff * df[a] * df[b] + nu1 * (df[a] * dl[b] + dl[a] * df[b]) + ll * dl[a] * dl[b]
                - nu1 * (df[a] * rho(b) + rho(a) * df[b]);
            for i in 1..dim {
                let (p, zi, theta) = (phi[i], z[i], weights[i] * mu2[i]);
                let (ta, tb) = (dl[a] + mu2[i] * rho(a), dl[b] + mu2[i] * rho(b));
                let (za, zb) = (f64::from(a == i), f64::from(b == i));
                let p2 = p * p;
                sum += 2.0 * nu2 * mu2[i] * p2 * za * zb
                    + (theta * p2 - 4.0 * nu2 * mu2[i] * zi * p2 * p) * (za * tb + ta * zb)
                    + (6.0 * nu2 * mu2[i] * zi * zi * p2 * p2 - 2.0 * theta * zi * p2 * p) * ta * tb;
            }
            (out[a][b], out[b][a]) = (sum, sum);
        }
    }
    (slope, out)
}

/// (2): from R to the residual as the last variable.
pub(super) fn by_residual(value: f64, slope: &[f64; WIDTH], bend: &mut Square, residual: &Residual) {
    let (last, [R1, R2], [w1, w2]) = (WIDTH - 1, residual.R, residual.weight);
    let by_R = slope[last];
    for i in 0..last {
        let mixed = w1 * slope[i] + bend[i][last] * R1;
        (bend[i][last], bend[last][i]) = (mixed, mixed);
    }
    bend[last][last] = w2 * value + 2.0 * w1 * by_R * R1 + bend[last][last] * R1 * R1 + by_R * R2;
}

#[cfg(test)]
mod tests {
    use super::super::response::Response;
    use super::super::rows::Smoothing;
    use super::*;

    /// Impulses of one contact whose R is increased by `by`.
    fn impulses(mu: &[f64], by: f64, z: &[f64]) -> (Rows, Response) {
        let mut rows = Rows::default();
        rows.push_contact(&[0.7 + by; MAX_DIM][..=mu.len()], mu, 0.0, Smoothing { kappa: 0.03, slope: 1.0 });
        let mut response = Response::default();
        response.update(&rows, z);
        (rows, response)
    }

    #[test]
    fn second_derivatives_are_those_of_differences() {
        for (k, mu) in [&[][..], &[0.8, 0.8], &[0.5, 0.9, 0.1], &[0.6, 0.6, 0.05, 0.01, 0.02]].into_iter().enumerate() {
            for seed in 0..20 {
                let number = |i: usize| ((seed * 31 + 7 * k + 3 * i) as f64 * 0.7).sin();
                let z: Vec<f64> = (0..=mu.len()).map(|i| 1.5 * number(i)).collect();
                let weights: [f64; MAX_DIM] = core::array::from_fn(|i| if i <= mu.len() { number(i + 9) } else { 0.0 });
                let at = |by: f64, z: &[f64]| {
                    let (rows, r) = impulses(mu, by, z);
                    by_regularizer(&rows, &rows.groups[0], z, r.f[0], r.lambda[0], &weights)
                };
                let (slope, bend) = at(0.0, &z);
                let eps = 1e-5;
                for a in (0..=mu.len()).chain([WIDTH - 1]) {
                    let moved = |by: f64| {
                        let mut z = z.clone();
                        if a < WIDTH - 1 {
                            z[a] += by;
                        }
                        let more = if a == WIDTH - 1 { by } else { 0.0 };
                        let (_, r) = impulses(mu, more, &z);
                        (r.f.iter().zip(&weights).map(|(f, w)| f * w).sum::<f64>(), at(more, &z).0)
                    };
                    let ((high, there), (low, here)) = (moved(eps), moved(-eps));
                    let first = (high - low) / (2.0 * eps);
                    assert!(
                        (first - slope[a]).abs() < 1e-7 * (1.0 + first.abs()),
                        "{k} {seed} {a}: {first} {}",
                        slope[a]
                    );
                    for b in 0..WIDTH {
                        let second = (there[b] - here[b]) / (2.0 * eps);
                        assert!(
                            (second - bend[a][b]).abs() < 1e-6 * (1.0 + second.abs()),
                            "{k} {seed} {a} {b}: {second} {}",
                            bend[a][b]
                        );
                    }
                }
            }
        }
    }
}
