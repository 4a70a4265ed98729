//! Dense Cholesky factors A = L Lᵀ of small symmetric matrices, by rows, in place of the lower
//! triangle.

use crate::kernel::dot;

/// Factors the lower triangle of the n × n matrix `a`, whose rows are `stride` numbers apart.
/// Pivots that are not above `floor` are replaced by it; the row and value of the first of them is
/// returned. `None` if all pivots are above `floor`.
pub fn factor(n: usize, stride: usize, a: &mut [f64], floor: f64) -> Option<(usize, f64)> {
    let mut raised = None;
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * stride);
        for j in 0..i {
            let other = &above[j * stride..j * stride + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        // Not `max`: NaN counts as raised.
        if pivot > floor && pivot < f64::INFINITY {
            row[i] = pivot.sqrt();
        } else {
            row[i] = floor.sqrt();
            raised = raised.or(Some((i, pivot)));
        }
    }
    raised
}

/// x ← A⁻¹ x with the factor of [`factor`].
pub fn solve(n: usize, stride: usize, l: &[f64], x: &mut [f64]) {
    for i in 0..n {
        let row = &l[i * stride..i * stride + i + 1];
        x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
    }
    for i in (0..n).rev() {
        let row = &l[i * stride..i * stride + i + 1];
        x[i] /= row[i];
        let xi = x[i];
        x[..i].iter_mut().zip(row).for_each(|(x, r)| *x -= r * xi);
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
            assert_eq!(factor(n, n, &mut a, 0.0), None);
            solve(n, n, &a, &mut y);
            for (x, y) in x.iter().zip(&y) {
                assert!((x - y).abs() < 1e-10, "{n}: {x} {y}");
            }
        }
    }

    #[test]
    fn the_first_pivot_that_is_not_positive_is_named() {
        let mut singular = [1.0, 1.0, 1.0, 1.0];
        assert_eq!(factor(2, 2, &mut singular, 1e-12), Some((1, 0.0)));
        let mut bad = [f64::NAN];
        assert!(factor(1, 1, &mut bad, 1e-12).is_some_and(|(row, pivot)| row == 0 && pivot.is_nan()));
    }
}
