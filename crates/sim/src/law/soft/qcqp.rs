//! min ½ vᵀA v + bᵀv subject to Σ (v_j / μ_j)² ≤ r²: the tangential forces of one contact, at most
//! five.

const N: usize = 5;
type Matrix = [[f64; N]; N];

/// The minimizer. `A` is symmetric positive semidefinite.
///
/// With v = diag(μ) u the set is a ball, and u(λ) = −(Â + λ)⁻¹ b̂ with λ ≥ 0 such that |u| = r, or
/// λ = 0. 1/|u(λ)| is concave and almost linear in λ: Newton's method on it converges from below in
/// a few steps.
pub(super) fn solve(A: &Matrix, b: &[f64; N], mu: &[f64], r: f64, v: &mut [f64; N]) {
    let n = mu.len();
    *v = [0.0; N];
    if r < saltus_math::MIN_VAL {
        return;
    }
    let (mut scaled, mut rhs) = ([[0.0; N]; N], [0.0; N]);
    for i in 0..n {
        rhs[i] = -mu[i] * b[i];
        for j in 0..n {
            scaled[i][j] = mu[i] * A[i][j] * mu[j];
        }
    }
    let trace: f64 = (0..n).map(|i| scaled[i][i]).sum();
    // The pivot of a singular matrix is replaced by a negligible positive one.
    let floor = 1e-14 * trace + saltus_math::MIN_VAL;
    let mut lambda = 0.0;
    let mut u = [0.0; N];
    for step in 0..50 {
        let mut L = scaled;
        (0..n).for_each(|i| L[i][i] += lambda);
        factor(&mut L, n, floor);
        u = rhs;
        forward(&L, n, &mut u);
        // w = L⁻¹ u: uᵀ(Â + λ)⁻¹u = |w|².
        backward(&L, n, &mut u);
        let norm2: f64 = u[..n].iter().map(|x| x * x).sum();
        let norm = norm2.sqrt();
        if (step == 0 && norm <= r) || (norm - r).abs() <= 1e-11 * r {
            break;
        }
        let mut w = u;
        forward(&L, n, &mut w);
        let slope: f64 = w[..n].iter().map(|x| x * x).sum();
        let change = norm2 / slope * (norm - r) / r;
        lambda = (lambda + change).max(0.0);
        if change.abs() <= 1e-13 * lambda {
            break;
        }
    }
    for i in 0..n {
        v[i] = mu[i] * u[i];
    }
}

fn factor(L: &mut Matrix, n: usize, floor: f64) {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| L[i][k] * L[j][k]).sum();
            let value = L[i][j] - sum;
            L[i][j] = if i == j { value.max(floor).sqrt() } else { value / L[j][j] };
        }
    }
}
fn forward(L: &Matrix, n: usize, x: &mut [f64; N]) {
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| L[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / L[i][i];
    }
}
fn backward(L: &Matrix, n: usize, x: &mut [f64; N]) {
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| L[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / L[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimizer_satisfies_its_optimality_conditions() {
        let mut inside = 0;
        for k in 0..200 {
            let n = [2, 3, 5][k % 3];
            let g = |i: usize| ((k * 31 + i * 17) as f64 * 0.613).sin();
            let mut A = [[0.0; N]; N];
            for i in 0..n {
                for j in 0..n {
                    A[i][j] = (0..n).map(|m| g(i * n + m) * g(j * n + m)).sum::<f64>() + if i == j { 0.1 } else { 0.0 };
                }
            }
            let b: [f64; N] = core::array::from_fn(|i| g(100 + i));
            let mu: Vec<f64> = (0..n).map(|i| 0.2 + g(50 + i).abs()).collect();
            let r = 0.05 + 10.0 * g(77).abs();
            let mut v = [0.0; N];
            solve(&A, &b, &mu, r, &mut v);
            let size: f64 = (0..n).map(|i| (v[i] / mu[i]).powi(2)).sum::<f64>().sqrt();
            assert!(size <= r * (1.0 + 1e-9));
            // The gradient is −λ v/μ² with one λ ≥ 0, zero inside.
            let gradient: Vec<f64> = (0..n).map(|i| b[i] + (0..n).map(|j| A[i][j] * v[j]).sum::<f64>()).collect();
            let lambda = -(0..n).map(|i| gradient[i] * v[i]).sum::<f64>() / (size * size);
            inside += (size < r * 0.999) as usize;
            assert!(lambda >= -1e-9);
            for i in 0..n {
                assert!((gradient[i] + lambda * v[i] / (mu[i] * mu[i])).abs() < 1e-8, "{k} {i}");
            }
            if size < r * 0.999 {
                assert!(lambda.abs() < 1e-9);
            }
        }
        assert!((20..180).contains(&inside), "{inside}");
    }
}
