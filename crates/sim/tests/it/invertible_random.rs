//! Random problems of the invertible law in contact space.

use saltus_math::Random;
use saltus_sim::law::invertible::{Dense, Kind, Rows, Smoothing};

/// Smallest R of random problems.
pub const LEAST_R: f64 = 1e-2;

/// A problem with limits and contacts; `A` as numbers, too.
#[derive(Debug)]
pub struct Problem {
    pub rows: Rows,
    pub A: Dense,
    pub values: Vec<f64>,
    pub n: usize,
    /// Largest entry of A.
    pub inertia: f64,
    pub smoothing: Smoothing,
}

/// Parameters of a random problem.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub limits: usize,
    pub contacts: usize,
    pub kappa: f64,
    pub slope: f64,
    /// Whether contacts may have other dimensions than 3 and other coefficients for each tangent.
    pub general: bool,
}

impl Problem {
    /// The rows with another smoothing.
    pub fn rows_with(&self, kappa: f64) -> Rows {
        let mut rows = Rows::default();
        let (R, scale, bound) = (self.rows.regularizer(), self.rows.scale(), self.rows.bound());
        let smoothing = Smoothing { kappa, ..self.smoothing };
        for group in self.rows.groups() {
            let i = group.start as usize;
            match group.kind {
                Kind::Equality => rows.push_equality(R[i], bound[i], smoothing),
                Kind::Friction => rows.push_friction(R[i], scale[i], smoothing),
                Kind::Limit => rows.push_limit(R[i], bound[i], smoothing),
                Kind::Contact => rows.push_contact(&R[group.range()], &scale[group.range()][1..], bound[i], smoothing),
            }
        }
        rows
    }
}

/// A whole number below `n`.
pub fn below(random: &mut Random, n: usize) -> usize {
    (random.unit() * n as f64) as usize
}

/// Nearly normal: a sum of uniform numbers.
pub fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

pub fn log_between(random: &mut Random, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.range(0.0, 1.0))
}

pub fn numbers(random: &mut Random, n: usize, size: f64) -> Vec<f64> {
    (0..n).map(|_| size * normal(random)).collect()
}

/// Between a few and more dofs than rows: A has low rank or full.
pub fn problem(random: &mut Random, wanted: &Wanted) -> Problem {
    let part = random.unit();
    problem_with_rank(random, wanted, |n| 3 + (part * (3 * n / 2 + 1) as f64) as usize)
}

/// A problem of as many dofs as `dofs` says for a number of rows.
pub fn problem_with_rank(random: &mut Random, wanted: &Wanted, dofs: impl Fn(usize) -> usize) -> Problem {
    let smoothing = Smoothing { kappa: wanted.kappa, slope: wanted.slope };
    let mut rows = Rows::default();
    let regularizer = |random: &mut Random| log_between(random, LEAST_R, 10.0);
    if wanted.general {
        rows.push_equality(regularizer(random), 0.3 * normal(random), smoothing);
        rows.push_friction(regularizer(random), random.range(0.0, 2.0), smoothing);
        rows.push_friction(regularizer(random), 0.0, smoothing);
    }
    for _ in 0..wanted.limits {
        rows.push_limit(regularizer(random), 0.2 * normal(random), smoothing);
    }
    for _ in 0..wanted.contacts {
        let v_min = 0.2 * normal(random);
        if wanted.general {
            let dim = [1, 3, 4, 6][below(random, 4)];
            let R: Vec<f64> = (0..dim).map(|_| regularizer(random)).collect();
            let mu: Vec<f64> = (1..dim).map(|_| friction(random)).collect();
            rows.push_contact(&R, &mu, v_min, smoothing);
        } else {
            rows.push_contact(&[regularizer(random); 3], &[friction(random); 2], v_min, smoothing);
        }
    }
    let n = rows.len();
    let nv = dofs(n);
    let J = numbers(random, n * nv, 1.0 / (nv as f64).sqrt());
    let product = |i: usize, j: usize| (0..nv).map(|k| J[i * nv + k] * J[j * nv + k]).sum::<f64>();
    let mut values = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let value = product(i, j);
            (values[i * n + j], values[j * n + i]) = (value, value);
        }
    }
    let inertia = (0..n).map(|i| values[i * n + i]).fold(0.0, f64::max);
    Problem { A: Dense::new(n, &values).unwrap(), rows, values, n, inertia, smoothing }
}

fn friction(random: &mut Random) -> f64 {
    if below(random, 10) == 0 { 0.0 } else { random.range(0.0, 2.0) }
}

pub fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| x.abs().max(m))
}

pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |m, (x, y)| (x - y).abs().max(m))
}
