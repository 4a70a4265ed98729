//! Laws of the invertible contact law: forward and inverse undo each other, and minimize what they
//! should.

use crate::invertible_random::{
    LEAST_R, Problem, Wanted, below, distance, log_between, normal, numbers, problem, size,
};
use saltus_math::Random;
use saltus_sim::data::SolverStatus;
use saltus_sim::law::invertible::{Dense, Error, Kind, Rows, Smoothing, Wall, barrier, forward, inverse};

const TOLERANCE: f64 = 1e-9;

/// Largest relative mismatch of impulses, of velocities after inverse and forward, and of c after
/// forward and inverse.
fn mismatch(random: &mut Random, p: &Problem, spread: f64) -> [f64; 3] {
    let v = numbers(random, p.n, spread);
    let (f, c, report) = inverse(&p.rows, &p.A, &v, Wall::Elastic).unwrap();
    assert_eq!(report.status, SolverStatus::Converged);
    let (f2, v2, report) = forward(&p.rows, &p.A, &c, Wall::Elastic).unwrap();
    assert_eq!(report.status, SolverStatus::Converged, "{report:?} {c:?}");
    // All are sums with A f and A ∇d_V: no digit is known below the round-off of their terms.
    let terms = |c: &[f64], f: &[f64], v: &[f64]| size(c).max(size(v)).max(p.inertia * size(f).max(wall(p, v)));
    let first = distance(&f, &f2) / size(&f);
    let second = distance(&v, &v2) / terms(&c, &f, &v);
    let c = numbers(random, p.n, 2.0 * spread);
    let (f, v, report) = forward(&p.rows, &p.A, &c, Wall::Elastic).unwrap();
    assert_eq!(report.status, SolverStatus::Converged, "{report:?} {c:?}");
    let (f2, c2, _) = inverse(&p.rows, &p.A, &v, Wall::Elastic).unwrap();
    let third = distance(&c, &c2) / terms(&c, &f, &v);
    // Impulses are z/R: where the wall is steep, the last digit of v moves them by more than their
    // own last digit.
    let fourth = distance(&f, &f2) / size(&f).max(terms(&c, &f, &v) / LEAST_R);
    [first.max(fourth), second, third]
}

/// Largest slope of the barrier of velocities.
fn wall(p: &Problem, v: &[f64]) -> f64 {
    let Smoothing { kappa, slope } = p.smoothing;
    let normals = p.rows.groups().iter().filter_map(|g| g.normal());
    normals.map(|i| barrier::elastic_slope(v[i] - p.rows.bound()[i], kappa, slope).abs()).fold(0.0, f64::max)
}

/// The worst of many problems.
fn worst_of(seed: u64, count: usize, wanted: impl Fn(&mut Random) -> (Wanted, f64)) -> [f64; 3] {
    let mut random = Random(seed);
    let mut worst = [0.0_f64; 3];
    for _ in 0..count {
        let (wanted, spread) = wanted(&mut random);
        let p = problem(&mut random, &wanted);
        let found = mismatch(&mut random, &p, spread);
        worst = core::array::from_fn(|k| worst[k].max(found[k]));
    }
    worst
}

#[test]
fn forward_and_inverse_undo_each_other_on_ten_thousand_problems() {
    let wanted = |random: &mut Random| {
        let many = if below(random, 40) == 0 { 50 } else { 6 };
        let (limits, contacts) = (below(random, 11), 1 + below(random, many));
        let kappa = log_between(random, 1e-4, 1.0);
        let spread = log_between(random, 0.01, 1.0);
        (Wanted { limits, contacts, kappa, slope: 10.0, general: below(random, 3) == 0 }, spread)
    };
    let threads: Vec<[f64; 3]> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..4).map(|k| scope.spawn(move || worst_of(k, 2500, wanted))).collect();
        handles.into_iter().map(|h| h.join().unwrap()).collect()
    });
    for worst in &threads {
        assert!(worst.iter().all(|w| *w <= TOLERANCE), "{worst:?}");
    }
}

#[test]
fn velocities_of_mild_problems_come_back_to_their_own_precision() {
    let mut random = Random(5);
    for _ in 0..300 {
        let kappa = log_between(&mut random, 1e-2, 1.0);
        let (limits, contacts) = (below(&mut random, 4), 1 + below(&mut random, 6));
        let p = problem(&mut random, &Wanted { limits, contacts, kappa, slope: 2.0, general: false });
        let v = numbers(&mut random, p.n, 0.3);
        let (_, c, _) = inverse(&p.rows, &p.A, &v, Wall::Elastic).unwrap();
        let (_, back, _) = forward(&p.rows, &p.A, &c, Wall::Elastic).unwrap();
        assert!(distance(&v, &back) <= TOLERANCE * size(&v), "{}", distance(&v, &back));
    }
}

#[test]
fn the_published_barrier_agrees_both_ways_where_velocities_are_feasible() {
    let mut random = Random(6);
    for _ in 0..200 {
        let (limits, contacts) = (below(&mut random, 4), 1 + below(&mut random, 5));
        let p = problem(&mut random, &Wanted { limits, contacts, kappa: 0.1, slope: 10.0, general: false });
        // Above all minimal velocities, some of them by less than s₀.
        let mut v = numbers(&mut random, p.n, 1.0);
        for group in p.rows.groups() {
            if let Some(i) = group.normal() {
                v[i] = 3.0 + 0.005 * random.range(0.0, 1.0);
            }
        }
        let (f, c, _) = inverse(&p.rows, &p.A, &v, Wall::Published).unwrap();
        let (f2, v2, report) = forward(&p.rows, &p.A, &c, Wall::Published).unwrap();
        assert_eq!(report.status, SolverStatus::Converged);
        assert!(distance(&f, &f2) <= TOLERANCE * size(&f) && distance(&v, &v2) <= TOLERANCE * size(&v));
    }
}

/// The cost (17), written out.
fn cost(p: &Problem, c: &[f64], f: &[f64], kappa: f64, slope: f64) -> f64 {
    let mut total = 0.0;
    let mut v = c.to_vec();
    for i in 0..p.n {
        v[i] += (0..p.n).map(|j| p.values[i * p.n + j] * f[j]).sum::<f64>();
        total += 0.5 * f[i] * (v[i] + c[i]) + 0.5 * p.rows.regularizer()[i] * f[i] * f[i];
    }
    for group in p.rows.groups() {
        let i = group.start as usize;
        let f = &f[group.range()];
        let scale = &p.rows.scale()[group.range()];
        total += match group.kind {
            Kind::Equality => -p.rows.bound()[i] * f[0],
            Kind::Friction if scale[0] == 0.0 => 0.0,
            Kind::Friction => -kappa * (1.0 - (f[0] / scale[0]).powi(2)).ln(),
            Kind::Limit => -kappa * f[0].ln(),
            Kind::Contact => {
                let part = |(f, mu): (&f64, &f64)| if *mu == 0.0 { 0.0 } else { (f / mu).powi(2) };
                let inside = f[0] * f[0] - f[1..].iter().zip(&scale[1..]).map(part).sum::<f64>();
                -kappa * f[0].ln() - kappa * inside.ln()
            }
        };
        if let Some(i) = group.normal() {
            total += barrier::elastic(v[i] - p.rows.bound()[i], kappa, slope)[0];
        }
    }
    total
}

#[test]
fn forward_finds_the_minimum_of_its_cost() {
    let mut random = Random(7);
    for _ in 0..200 {
        let kappa = log_between(&mut random, 1e-3, 1.0);
        let slope = 5.0;
        let (limits, contacts) = (below(&mut random, 3), 1 + below(&mut random, 4));
        let p = problem(&mut random, &Wanted { limits, contacts, kappa, slope, general: true });
        let c = numbers(&mut random, p.n, 0.5);
        let (f, _, _) = forward(&p.rows, &p.A, &c, Wall::Elastic).unwrap();
        let best = cost(&p, &c, &f, kappa, slope);
        assert!(best.is_finite());
        for k in 0..20 {
            // Nowhere is it lower; and at first order it does not change.
            let step = 10.0_f64.powi(-1 - k % 4);
            let other: Vec<f64> = (0..p.n)
                .map(|i| if p.rows.scale()[i] == 0.0 { 0.0 } else { f[i] * (1.0 + step * normal(&mut random)) })
                .collect();
            let there = cost(&p, &c, &other, kappa, slope);
            assert!(there.is_nan() || there >= best - 1e-9 * best.abs().max(1.0), "{there} {best}");
        }
    }
}

#[test]
fn friction_of_zero_gives_no_tangential_impulse() {
    let mut rows = Rows::default();
    rows.push_contact(&[0.1; 3], &[0.0; 2], 0.0, Smoothing { kappa: 0.01, slope: 10.0 });
    let A = Dense::new(3, &[2.0, 0.3, 0.1, 0.3, 1.0, 0.0, 0.1, 0.0, 1.0]).unwrap();
    let (f, v, _) = forward(&rows, &A, &[-1.0, 0.5, 0.5], Wall::Elastic).unwrap();
    assert_eq!(&f[1..], [0.0, 0.0]);
    assert!(f[0] > 0.0 && v[0] > -1e-2);
}

#[test]
fn wrong_input_is_an_error_that_names_the_place() {
    let smoothing = Smoothing { kappa: 0.1, slope: 10.0 };
    let one = Dense::new(1, &[1.0]).unwrap();
    let with = |R: f64, smoothing: Smoothing| {
        let mut rows = Rows::default();
        rows.push_limit(R, 0.0, smoothing);
        forward(&rows, &one, &[0.0], Wall::Elastic).map(|_| ())
    };
    assert!(matches!(with(0.0, smoothing), Err(Error::Value { what: "R", row: 0, .. })));
    assert!(matches!(with(1.0, Smoothing { kappa: -1.0, ..smoothing }), Err(Error::Value { what: "kappa", .. })));
    assert!(matches!(with(1.0, Smoothing { slope: f64::NAN, ..smoothing }), Err(Error::Value { what: "q", .. })));
    let mut rows = Rows::default();
    rows.push_limit(1.0, 0.0, smoothing);
    assert!(matches!(forward(&rows, &one, &[f64::NAN], Wall::Elastic), Err(Error::Value { what: "c", .. })));
    assert!(matches!(forward(&rows, &one, &[0.0; 2], Wall::Elastic), Err(Error::Size { .. })));
    assert!(matches!(Dense::new(2, &[1.0, 0.5, 0.4, 1.0]), Err(Error::NotSymmetric { row: 0, col: 1, .. })));
    assert!(matches!(Dense::new(2, &[1.0, 2.0, 2.0, 1.0]), Err(Error::NotSemidefinite { row: 1, .. })));
    assert!(Dense::new(2, &[1.0, 1.0, 1.0, 1.0]).is_ok(), "low rank is fine");
}
