//! The inverse as published [Todorov2011, §III.D]: Newton's method on (23) over all rows together,
//! with a Cholesky factorization of the whole Hessian per step. The reference for speed;
//! `law::invertible` solves (23) group by group.
#![allow(non_snake_case)]

use saltus::sim::law::invertible::Dense;

/// Steps at most.
const ITERATIONS: usize = 200;

/// Limits and contacts of three rows (normal first), as plain numbers.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    pub limits: usize,
    pub R: Vec<f64>,
    /// One per contact.
    pub mu: Vec<f64>,
    pub kappa: Vec<f64>,
    /// One per row; those of normals are used.
    pub v_min: Vec<f64>,
    pub slope: Vec<f64>,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct Solver {
    H: Dense,
    z: Vec<f64>,
    step: Vec<f64>,
    next: Vec<f64>,
}

impl Plain {
    fn normals(&self) -> impl Iterator<Item = usize> {
        let limits = self.limits;
        (0..limits).chain((0..self.mu.len()).map(move |k| limits + 3 * k))
    }
    /// μ² f_n² − |f_t|² of a contact.
    fn slack(&self, k: usize, f: &[f64]) -> f64 {
        let i = self.limits + 3 * k;
        let mu = self.mu[k] * f[i];
        mu * mu - f[i + 1] * f[i + 1] - f[i + 2] * f[i + 2]
    }
    fn is_inside(&self, f: &[f64]) -> bool {
        self.normals().all(|i| f[i] > 0.0) && (0..self.mu.len()).all(|k| self.slack(k, f) > 0.0)
    }
    /// The cost (23).
    fn cost(&self, z: &[f64], f: &[f64]) -> f64 {
        let smooth: f64 = (0..f.len()).map(|i| f[i] * (0.5 * self.R[i] * f[i] + z[i])).sum();
        let planes: f64 = self.normals().map(|i| -self.kappa[i] * f[i].ln()).sum();
        let cone = |k: usize| -self.kappa[self.limits + 3 * k] * self.slack(k, f).ln();
        smooth + planes + (0..self.mu.len()).map(cone).sum::<f64>()
    }
}

impl Solver {
    /// f and c from v; the number of Newton steps.
    pub fn solve(&mut self, p: &Plain, A: &Dense, v: &[f64], f: &mut Vec<f64>, c: &mut Vec<f64>) -> usize {
        let n = p.R.len();
        self.z.clear();
        self.z.extend_from_slice(v);
        for k in p.normals() {
            let (s, kappa, q) = (v[k] - p.v_min[k], p.kappa[k], p.slope[k]);
            let s0 = kappa / q;
            let slope = if s >= s0 { -kappa / s } else { q * q / kappa * (s - s0) - q }; // (25)
            self.z.iter_mut().zip(A.row(k)).for_each(|(z, a)| *z += slope * a);
        }
        f.clear();
        f.resize(n, 0.0);
        for i in p.normals() {
            f[i] = (p.kappa[i] / p.R[i]).sqrt();
        }
        let mut iterations = 0;
        while iterations < ITERATIONS {
            iterations += 1;
            let decrement = self.newton(p, f);
            let alpha = self.search(p, f);
            f.iter_mut().zip(&self.step).for_each(|(f, d)| *f += alpha * d);
            if decrement < 1e-14 {
                break;
            }
        }
        c.clear();
        c.extend((0..n).map(|i| v[i] - A.row(i).iter().zip(f.iter()).map(|(a, f)| a * f).sum::<f64>()));
        iterations
    }
    /// The Newton step, and half the square of the Newton decrement relative to κ.
    fn newton(&mut self, p: &Plain, f: &[f64]) -> f64 {
        let n = f.len();
        self.H.resize(n);
        self.step.clear();
        self.step.extend((0..n).map(|i| -(p.R[i] * f[i] + self.z[i])));
        for i in 0..n {
            self.H.row_mut(i)[i] = p.R[i];
        }
        for i in p.normals() {
            self.step[i] += p.kappa[i] / f[i];
            self.H.row_mut(i)[i] += p.kappa[i] / (f[i] * f[i]);
        }
        for k in 0..p.mu.len() {
            let i = p.limits + 3 * k;
            let (s, mu2) = (p.slack(k, f), p.mu[k] * p.mu[k]);
            let slope = [2.0 * mu2 * f[i], -2.0 * f[i + 1], -2.0 * f[i + 2]];
            let bend = [2.0 * mu2, -2.0, -2.0];
            for a in 0..3 {
                self.step[i + a] += p.kappa[i] * slope[a] / s;
                for b in 0..=a {
                    self.H.row_mut(i + a)[i + b] += p.kappa[i] * slope[a] * slope[b] / (s * s);
                }
                self.H.row_mut(i + a)[i + a] -= p.kappa[i] * bend[a] / s;
            }
        }
        let gradient = self.step.clone();
        if self.H.factor().is_err() {
            return 0.0;
        }
        self.H.solve(&mut self.step);
        gradient.iter().zip(&self.step).map(|(g, d)| g * d).sum::<f64>() / p.kappa[0]
    }
    /// How far to go: inside the cones, and downhill.
    fn search(&mut self, p: &Plain, f: &[f64]) -> f64 {
        let start = p.cost(&self.z, f);
        let mut alpha = 1.0;
        for _ in 0..60 {
            self.next.clear();
            self.next.extend(f.iter().zip(&self.step).map(|(f, d)| f + alpha * d));
            if p.is_inside(&self.next) && p.cost(&self.z, &self.next) <= start + 1e-12 * start.abs() {
                return alpha;
            }
            alpha *= 0.6;
        }
        0.0
    }
}
