//! A second forward solver of the invertible law, as published: Newton's method on impulses with
//! the whole Hessian and backtracking from impulses inside the cones. Dense and plain, to check the
//! other.

use crate::invertible_random::{Problem, Wanted, below, distance, log_between, numbers, problem, size};
use saltus_math::Random;
use saltus_math::cholesky;
use saltus_sim::law::invertible::{Kind, Wall, barrier, forward};

/// The cost (17), its gradient and Hessian in x = f/scale. Rows with scale 0 have x = 0.
struct Cost {
    value: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

fn evaluate(p: &Problem, c: &[f64], x: &[f64]) -> Cost {
    let (n, rows) = (p.n, &p.rows);
    let (scale, R, bound) = (rows.scale(), rows.regularizer(), rows.bound());
    let f: Vec<f64> = x.iter().zip(scale).map(|(x, s)| x * s).collect();
    let mut v = c.to_vec();
    for i in 0..n {
        v[i] += (0..n).map(|j| p.values[i * n + j] * f[j]).sum::<f64>();
    }
    let (mut slope, mut curvature) = (vec![0.0; n], vec![0.0; n]);
    let mut value: f64 = (0..n).map(|i| 0.5 * f[i] * (v[i] + c[i]) + 0.5 * R[i] * f[i] * f[i]).sum();
    let smoothing: Vec<_> = rows.smoothing().collect();
    for i in rows.groups().iter().filter_map(|g| g.normal()) {
        let [d, first, second] = barrier::elastic(v[i] - bound[i], smoothing[i].kappa, smoothing[i].slope);
        value += d;
        (slope[i], curvature[i]) = (first, second);
    }
    let mut gradient = vec![0.0; n];
    let mut hessian = vec![0.0; n * n];
    for i in 0..n {
        gradient[i] = v[i] + R[i] * f[i] + (0..n).map(|j| p.values[i * n + j] * slope[j]).sum::<f64>();
        for j in 0..n {
            let squares: f64 = (0..n).map(|k| p.values[i * n + k] * curvature[k] * p.values[k * n + j]).sum();
            hessian[i * n + j] = scale[i] * scale[j] * (p.values[i * n + j] + squares);
        }
        hessian[i * n + i] += scale[i] * scale[i] * R[i];
    }
    for group in rows.groups() {
        let (i, kappa) = (group.start as usize, smoothing[group.start as usize].kappa);
        match group.kind {
            Kind::Equality => {
                value -= bound[i] * f[i];
                gradient[i] -= bound[i];
            }
            Kind::Limit => {
                value -= kappa * x[i].ln();
                gradient[i] -= kappa / x[i];
                hessian[i * n + i] += kappa / (x[i] * x[i]);
            }
            Kind::Friction if scale[i] == 0.0 => {}
            Kind::Friction => {
                let s = 1.0 - x[i] * x[i];
                value -= kappa * s.ln();
                gradient[i] += 2.0 * kappa * x[i] / s / scale[i];
                hessian[i * n + i] += 2.0 * kappa * (1.0 + x[i] * x[i]) / (s * s);
            }
            Kind::Contact => {
                let own: Vec<usize> = group.range().filter(|&k| k == i || scale[k] > 0.0).collect();
                let sign = |k: usize| if k == i { 1.0 } else { -1.0 };
                let s: f64 = own.iter().map(|&k| sign(k) * x[k] * x[k]).sum();
                let inside = x[i] > 0.0 && s > 0.0;
                value += if inside { -kappa * x[i].ln() - kappa * s.ln() } else { f64::INFINITY };
                gradient[i] -= kappa / x[i];
                hessian[i * n + i] += kappa / (x[i] * x[i]);
                for &k in &own {
                    gradient[k] -= 2.0 * kappa * sign(k) * x[k] / s / scale[k];
                    hessian[k * n + k] -= 2.0 * kappa * sign(k) / s;
                    for &l in &own {
                        hessian[k * n + l] += 4.0 * kappa * sign(k) * x[k] * sign(l) * x[l] / (s * s);
                    }
                }
            }
        }
    }
    for i in 0..n {
        gradient[i] *= scale[i];
        if scale[i] == 0.0 {
            hessian[i * n + i] = 1.0;
        }
    }
    Cost { value: if value.is_nan() { f64::INFINITY } else { value }, gradient, hessian }
}

/// Impulses that minimize (17).
fn solve(p: &Problem, c: &[f64]) -> Vec<f64> {
    let (n, rows) = (p.n, &p.rows);
    let mut x = vec![0.0; n];
    rows.groups().iter().filter_map(|g| g.normal()).for_each(|i| x[i] = 1.0);
    let mut at = evaluate(p, c, &x);
    for _ in 0..500 {
        let mut step: Vec<f64> = at.gradient.iter().map(|g| -g).collect();
        assert_eq!(cholesky::factor(n, n, &mut at.hessian, 0.0), None);
        cholesky::solve(n, n, &at.hessian, &mut step);
        let decrement: f64 = -step.iter().zip(&at.gradient).map(|(s, g)| s * g).sum::<f64>();
        let mut alpha = 1.0;
        loop {
            let next: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + alpha * s).collect();
            let there = evaluate(p, c, &next);
            let lower = there.value <= at.value - 0.25 * alpha * decrement;
            // Below this the costs differ by round-off only.
            if lower || (decrement < 1e-11 * at.value.abs().max(1e-3) && there.value.is_finite()) {
                (x, at) = (next, there);
                break;
            }
            alpha *= 0.5;
            assert!(alpha > 1e-20, "no descent: decrement {decrement}");
        }
        if step.iter().zip(&x).all(|(s, x)| s.abs() <= 1e-13 * x.abs().max(1e-6)) {
            break;
        }
    }
    x.iter().zip(rows.scale()).map(|(x, s)| x * s).collect()
}

#[test]
fn newtons_method_on_impulses_finds_the_same() {
    let mut random = Random(9);
    let mut worst: f64 = 0.0;
    for _ in 0..300 {
        let kappa = log_between(&mut random, 1e-3, 1.0);
        let (limits, contacts) = (below(&mut random, 3), 1 + below(&mut random, 4));
        let wanted = Wanted { limits, contacts, kappa, slope: 5.0, general: below(&mut random, 2) == 0 };
        let p = problem(&mut random, &wanted);
        let c = numbers(&mut random, p.n, 0.5);
        let (f, _, _) = forward(&p.rows, &p.A, &c, Wall::Elastic).unwrap();
        let other = solve(&p, &c);
        worst = worst.max(distance(&f, &other) / size(&f));
    }
    assert!(worst < 1e-9, "{worst:.1e}");
}
