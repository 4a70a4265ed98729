//! Dense Cholesky factors A = L Lᵀ of small symmetric matrices, by rows, in place of the lower triangle.

use crate::kernel::dot;

/// Factors the lower triangle of the n × n matrix `a`. Pivots below `floor` are raised to it, and their number is
/// returned: 0 for a matrix that is positive definite by at least that much.
pub fn factor(n: usize, a: &mut [f64], floor: f64) -> usize {
    let mut raised = 0;
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        for j in 0..i {
            let other = &above[j * n..j * n + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // Not `max`: a NaN must count as raised.
        if pivot > floor {
            row[i] = pivot.sqrt();
        } else {
            row[i] = floor.sqrt();
            raised += 1;
        }
    }
    raised
}

/// x ← A⁻¹ x with the factor of [`factor`].
pub fn solve(n: usize, l: &[f64], x: &mut [f64]) {
    solve_lower(n, l, x);
    for i in (0..n).rev() {
        let row = &l[i * n..i * n + i + 1];
        x[i] /= row[i];
        let xi = x[i];
        x[..i].iter_mut().zip(row).for_each(|(x, r)| *x -= r * xi);
    }
}

/// x ← L⁻¹ x.
pub fn solve_lower(n: usize, l: &[f64], x: &mut [f64]) {
    for i in 0..n {
        let row = &l[i * n..i * n + i + 1];
        x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_it_factored() {
        for n in 1..9 {
            let b: Vec<f64> = (0..n * n).map(|k| ((k * 7919 + 13) % 101) as f64 / 50.0 - 1.0).collect();
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    let own = if i == j { 0.1 } else { 0.0 };
                    a[i * n + j] = own + (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
                }
            }
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 1.5).collect();
            let mut y: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum()).collect();
            assert_eq!(factor(n, &mut a, 0.0), 0);
            solve(n, &a, &mut y);
            for (x, y) in x.iter().zip(&y) {
                assert!((x - y).abs() < 1e-10, "{n}: {x} {y}");
            }
        }
    }

    #[test]
    fn counts_pivots_that_are_not_positive() {
        let mut singular = [1.0, 1.0, 1.0, 1.0];
        assert_eq!(factor(2, &mut singular, 1e-12), 1);
        let mut bad = [f64::NAN];
        assert_eq!(factor(1, &mut bad, 1e-12), 1);
    }
}
