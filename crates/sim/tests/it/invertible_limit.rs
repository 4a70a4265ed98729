//! As κ → 0 the invertible law becomes a conic program, which another solver solves:
//!   min ½ fᵀ(A + R) f + fᵀ(c − target),  f in the cones,  A f + c ≥ v_min in normals and limits.

use crate::invertible_random::{Problem, Wanted, below, distance, numbers, problem_with_rank, size};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use saltus_math::Random;
use saltus_sim::law::invertible::{Kind, Wall, forward};

/// A matrix by columns from n × m numbers by rows.
fn columns(n: usize, m: usize, keep: impl Fn(usize, usize) -> bool, value: impl Fn(usize, usize) -> f64) -> CscMatrix {
    let (mut start, mut row, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..m {
        for i in (0..n).filter(|&i| keep(i, j)) {
            row.push(i);
            values.push(value(i, j));
        }
        start.push(row.len());
    }
    CscMatrix::new(n, m, start, row, values)
}

/// The impulses of the conic program; unknowns are x = f/scale.
fn conic(p: &Problem, c: &[f64]) -> Vec<f64> {
    let (n, rows) = (p.n, &p.rows);
    let (scale, R, bound) = (rows.scale(), rows.regularizer(), rows.bound());
    let A = |i: usize, j: usize| p.values[i * n + j];
    let quadratic =
        columns(n, n, |i, j| i <= j, |i, j| scale[i] * scale[j] * (A(i, j) + if i == j { R[i] } else { 0.0 }));
    let mut linear: Vec<f64> = (0..n).map(|i| scale[i] * c[i]).collect();
    // Rows of G x + s = b: what must not be negative first, then the cones.
    let (mut G, mut b): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    let unit = |i: usize, value: f64| (0..n).map(|j| if i == j { value } else { 0.0 }).collect::<Vec<f64>>();
    let mut cones = Vec::new();
    for group in rows.groups() {
        let i = group.start as usize;
        match group.kind {
            Kind::Equality => linear[i] -= scale[i] * bound[i],
            Kind::Friction => {
                G.extend([unit(i, 1.0), unit(i, -1.0)]);
                b.extend([1.0, 1.0]);
            }
            Kind::Limit | Kind::Contact => {
                G.extend([unit(i, -1.0), (0..n).map(|j| -A(i, j) * scale[j]).collect()]);
                b.extend([0.0, c[i] - bound[i]]);
            }
        }
    }
    cones.push(SupportedConeT::NonnegativeConeT(b.len()));
    for group in rows.groups().iter().filter(|g| g.kind == Kind::Contact && g.dim > 1) {
        G.extend(group.range().map(|i| unit(i, -1.0)));
        b.resize(G.len(), 0.0);
        cones.push(SupportedConeT::SecondOrderConeT(group.dim as usize));
    }
    let G = columns(G.len(), n, |i, j| G[i][j] != 0.0, |i, j| G[i][j]);
    let mut settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    (settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas) = (1e-10, 1e-10, 1e-10);
    let mut solver = DefaultSolver::new(&quadratic, &linear, &G, &b, &cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status:?}");
    solver.solution.x.iter().zip(scale).map(|(x, scale)| x * scale).collect()
}

#[test]
fn without_smoothing_the_law_is_a_conic_program() {
    let mut random = Random(8);
    let mut rates = Vec::new();
    for _ in 0..100 {
        let (limits, contacts) = (below(&mut random, 4), 1 + below(&mut random, 6));
        let wanted = Wanted { limits, contacts, kappa: 1.0, slope: 10.0, general: below(&mut random, 2) == 0 };
        // With full rank there are impulses that keep all velocities above their minimum.
        let p = problem_with_rank(&mut random, &wanted, |n| n + 3);
        let c = numbers(&mut random, p.n, 0.5);
        let exact = conic(&p, &c);
        let error = |kappa: f64| {
            let (f, _, _) = forward(&p.rows_with(kappa), &p.A, &c, Wall::Elastic).unwrap();
            distance(&f, &exact) / size(&exact).max(1.0)
        };
        let (coarse, fine) = (error(1e-5), error(1e-6));
        assert!(fine < 2e-3, "{fine:.1e}");
        rates.push(coarse / fine);
    }
    // Errors fall with κ; more slowly at first where a row hardly carries and hardly moves.
    rates.sort_by(f64::total_cmp);
    let median = rates[rates.len() / 2];
    assert!((9.5..10.5).contains(&median), "{median}");
    assert!(rates[0] > 2.0 && rates[rates.len() / 10] > 8.0, "{rates:?}");
}
