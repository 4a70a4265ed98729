//! Table 1 of \[Todorov2011\]: how often per second the inverse can be evaluated, on one core.
//!
//! Contacts touch: gaps of up to a centimetre, small velocities, a body of 27 dofs. An evaluation
//! is (A, v) → (f, c).
#![allow(non_snake_case)]

use super::super::{Reproduction, column};
use super::columns;
use super::dense::{Plain, Solver};
use crate::plot::{Axis, Mark, Panel};
use anyhow::{Result, ensure};
use saltus::sim::data::SolverStatus;
use saltus::sim::law::invertible::{Dense, Inverse, Rows, Smoothing, Wall};
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

/// Contacts and the published evaluations per second.
pub const PUBLISHED: [(usize, f64); 4] = [(2, 241_774.0), (5, 54_190.0), (10, 12_991.0), (20, 2_361.0)];
/// Published parameters, and the time step of the published interactive simulations.
const SMOOTHING: Smoothing = Smoothing { kappa: 0.1, slope: 10.0 };
const STEP: f64 = 0.01;
const FRICTION: f64 = 0.8;
const DOFS: usize = 27;
/// Different velocities that are taken in turn.
const VELOCITIES: usize = 64;

/// One problem as both solvers see it.
pub struct Problem {
    pub rows: Rows,
    pub plain: Plain,
    pub A: Dense,
    pub velocities: Vec<Vec<f64>>,
}

/// What was measured.
pub struct Measured {
    pub per_second: f64,
    pub dense_per_second: f64,
    pub iterations: f64,
    pub dense_iterations: f64,
    /// Largest difference of impulses between the two, relative to the largest.
    pub difference: f64,
}

/// Numbers that look random and are always the same.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as f64) / ((1u64 << 31) as f64)
    }
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

fn problem(contacts: usize) -> Result<Problem> {
    let mut random = Random(contacts as u64);
    let n = 3 * contacts;
    let J: Vec<f64> = (0..n * DOFS).map(|_| random.normal() / (DOFS as f64).sqrt()).collect();
    let product = |i: usize, j: usize| (0..DOFS).map(|k| J[i * DOFS + k] * J[j * DOFS + k]).sum::<f64>();
    let mut values = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            (values[i * n + j], values[j * n + i]) = (product(i, j), product(i, j));
        }
    }
    let (mut rows, mut plain) = (Rows::default(), Plain::default());
    for _ in 0..contacts {
        let gap = 0.01 * random.unit();
        let R = 0.01 + (100.0 - 0.01) * gap / 0.1; // (24)
        rows.push_contact(&[R; 3], &[FRICTION; 2], -gap / STEP, SMOOTHING);
        plain.R.extend([R; 3]);
        plain.mu.push(FRICTION);
        plain.kappa.extend([SMOOTHING.kappa; 3]);
        plain.slope.extend([SMOOTHING.slope; 3]);
        plain.v_min.extend([-gap / STEP, 0.0, 0.0]);
    }
    let velocities = (0..VELOCITIES).map(|_| (0..n).map(|_| 0.1 * random.normal()).collect()).collect();
    Ok(Problem { rows, plain, A: Dense::new(n, &values)?, velocities })
}

/// Evaluations per second of `run`, which is given the number of the evaluation: the best of five
/// runs.
pub fn rate(seconds: f64, mut run: impl FnMut(usize)) -> f64 {
    let clock = Instant::now();
    let mut warm = 0;
    while clock.elapsed().as_secs_f64() < 0.2 * seconds {
        run(warm);
        warm += 1;
    }
    let count = (4 * warm / 5).max(1);
    let once = |run: &mut dyn FnMut(usize)| {
        let clock = Instant::now();
        (0..count).for_each(&mut *run);
        count as f64 / clock.elapsed().as_secs_f64().max(1e-9)
    };
    (0..5).map(|_| once(&mut run)).fold(0.0, f64::max)
}

/// Measures a problem for about `seconds` per solver.
pub fn measure(p: &Problem, seconds: f64) -> Result<Measured> {
    let (mut ours, mut dense) = (Inverse::default(), Solver::default());
    let (mut f, mut c, mut g) = (Vec::new(), Vec::new(), Vec::new());
    let (mut iterations, mut dense_iterations, mut difference) = (0.0, 0.0, 0.0_f64);
    for v in &p.velocities {
        let report = ours.solve(&p.rows, &p.A, v, Wall::Elastic, &mut f, &mut c);
        ensure!(report.status == SolverStatus::Converged, "the inverse did not converge: {report:?}");
        iterations += f64::from(report.iterations) / p.velocities.len() as f64;
        dense_iterations += dense.solve(&p.plain, &p.A, v, &mut g, &mut c) as f64 / p.velocities.len() as f64;
        let size = f.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let gap = f.iter().zip(&g).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        difference = difference.max(gap / size);
    }
    ensure!(difference < 1e-5, "the two solvers differ by {difference:e}");
    let turn = |k: usize| &p.velocities[k % p.velocities.len()];
    let per_second = rate(seconds, |k| {
        black_box(ours.solve(&p.rows, &p.A, black_box(turn(k)), Wall::Elastic, &mut f, &mut c));
    });
    let dense_per_second = rate(seconds, |k| {
        black_box(dense.solve(&p.plain, &p.A, black_box(turn(k)), &mut f, &mut c));
    });
    Ok(Measured { per_second, dense_per_second, iterations, dense_iterations, difference })
}

pub fn run() -> Result<Reproduction> {
    let mut text = String::from("Evaluations per second of the inverse, (A, v) → (f, c), one core\n");
    text += "  contacts         ours        dense    published   ours/dense  ours/published\n";
    let mut rows = Vec::new();
    let mut measured = Vec::new();
    for (contacts, published) in PUBLISHED {
        let m = measure(&problem(contacts)?, 0.5)?;
        // Writing to a String cannot fail.
        _ = writeln!(
            text,
            "  {contacts:8} {:12.0} {:12.0} {published:12.0} {:12.1} {:15.1}",
            m.per_second,
            m.dense_per_second,
            m.per_second / m.dense_per_second,
            m.per_second / published,
        );
        rows.push(serde_json::json!({
            "contacts": contacts, "evals_per_second": m.per_second, "dense_evals_per_second": m.dense_per_second,
            "published": published, "iterations": m.iterations, "dense_iterations": m.dense_iterations,
            "difference": m.difference,
        }));
        measured.push(m);
    }
    text += "  dense: Newton on all rows with one Cholesky factorization per step, as published, on this machine.\n";
    let [ours, dense]: [Vec<f64>; 2] =
        [measured.iter().map(|m| m.per_second).collect(), measured.iter().map(|m| m.dense_per_second).collect()];
    let (contacts, published): (Vec<f64>, Vec<f64>) = PUBLISHED.iter().map(|p| (p.0 as f64, p.1)).unzip();
    let panel = Panel {
        title: "evaluations per second against contacts".into(),
        array: "evals_per_second",
        lines: ["ours", "dense"].iter().enumerate().map(|(k, name)| (k, (*name).to_owned())).collect(),
        x: Axis { array: "contacts", unit: "", log: false },
        log: true,
        published: Vec::new(),
    }
    .beside("Table 1, Intel QX9650, 3 GHz", Mark::Points(PUBLISHED.map(|p| [p.0 as f64, p.1]).to_vec()));
    Ok(Reproduction {
        title: "Speed of the inverse contact law [Todorov 2011, Table 1]".into(),
        text,
        json: serde_json::json!({ "rows": rows }),
        arrays: vec![
            column("contacts", contacts),
            columns("evals_per_second", &[&ours, &dense]),
            column("published", published),
        ],
        panels: vec![panel],
    })
}
