//! Gradient and Hessian of whole problems.

use crate::problem::continuation::Hardness;
use crate::problem::layout::{Advance, Cycle, Ends};
use crate::problem::mirror::Mirror;
use crate::problem::tangent::Rotations;
use crate::problem::term::{ControlTrack, Effort, Posture, Power, Sliding, Smoothness, TrackState, Velocity};
use crate::problem::{Entry, Evaluation, Problem, Role, Window};
use crate::solve::knot::Multipliers;
use crate::solve::minimize::{MinimizeOptions, Optimizer};
use crate::solve::optimize::OptimizeOptions;
use crate::task::Task;
use crate::template::gait::{Gait, gait};
use crate::template::robot::RobotOptions;
use saltus_io::{read_file, read_str};
use saltus_math::Random;
use saltus_sim::compile;
use std::collections::BTreeMap;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Ends of all kinds for a problem whose own are periodic.
fn all_ends(cycle: &Ends, q: &[f64], nv: usize, random: &mut Random) -> Vec<(&'static str, Ends)> {
    let v = random.vector(nv, 0.3);
    vec![("cycle", cycle.clone()), ("fixed", Ends::Fixed { q: q.to_vec(), v }), ("free", Ends::Free)]
}

fn multipliers(problem: &Problem, optimizer: &mut Optimizer, q: &[f64]) -> Multipliers {
    let mut multipliers = Multipliers::new(problem, optimizer.knots.len(), 2.0);
    optimizer.update(problem, &multipliers, q, false);
    multipliers.improve(&problem.terms, &optimizer.knots);
    multipliers.penalty = 3.0;
    multipliers
}

#[test]
fn gradient_is_the_derivative_of_the_merit() {
    let spec = read_file(format!("{}/../../models/humanoid.xml", env!("CARGO_MANIFEST_DIR"))).expect("humanoid");
    let options = OptimizeOptions { threads: 1, ..OptimizeOptions::default() };
    let wish = Gait { steps: 4, noise: 0.2, ..Gait::default() };
    let setup = gait("walk", &spec, &RobotOptions::default(), &wish, &options).expect("a gait");
    let (mut problem, hard) = (setup.problem, setup.continuation.from);
    assert!(matches!(&problem.ends, Ends::Periodic(c) if c.mirror.is_some()));
    let laws = &mut problem.model.options.laws;
    (laws.invertible.smoothing, laws.invertible.hover) = (hard.smoothing, hard.hover);
    (laws.invertible.inset, laws.reach) = (hard.inset, hard.reach);
    let (nq, nv, h) = (problem.model.size.nq, problem.model.size.nv, problem.h());
    problem.terms.push(Entry::new("power", Role::Cost, Power { weights: vec![(8, 0.01), (9, 0.02)] }));
    let mut random = Random(3);
    for (name, ends) in all_ends(&problem.ends.clone(), &setup.guess[nq..2 * nq], nv, &mut random) {
        for evaluation in [Evaluation::Begin, Evaluation::End] {
            problem.ends = ends.clone();
            problem.evaluation = evaluation;
            let mut optimizer = Optimizer::new(&problem, 1).expect("threads");
            let layout = optimizer.layout.clone();
            let mut q = setup.guess.clone();
            layout.advance(&problem.model, &ends, h, &random.vector(layout.dim(), 0.01), &mut q);
            let multipliers = multipliers(&problem, &mut optimizer, &q);
            let merit = optimizer.update(&problem, &multipliers, &q, true);
            assert!(merit.is_finite());
            let gradient = assembled(&mut optimizer, &problem);
            for _ in 0..4 {
                let direction = random.vector(layout.dim(), 1.0);
                let mut at = |by: f64| {
                    let mut q = q.clone();
                    let x: Vec<f64> = direction.iter().map(|d| by * d).collect();
                    layout.advance(&problem.model, &ends, h, &x, &mut q);
                    optimizer.update(&problem, &multipliers, &q, false)
                };
                // Differences of fourth order.
                let eps = 1e-6;
                let expected = (8.0 * (at(eps) - at(-eps)) - (at(2.0 * eps) - at(-2.0 * eps))) / (12.0 * eps);
                let found = dot(&gradient, &direction);
                let size = dot(&gradient, &gradient).sqrt();
                assert!(
                    (found - expected).abs() < 1e-5 * expected.abs().max(1e-2 * size),
                    "{name}, {evaluation:?}: {found} {expected}, gradient {size}"
                );
            }
        }
    }
}

/// dᵀ H d against differences of the gradient along d. With rotations these are not symmetric, but
/// their quadratic form is that of the Hessian.
#[test]
fn hessian_with_curvature_is_the_derivative_of_the_gradient() {
    let mut random = Random(17);
    for (name, smoothing) in [("humanoid", 0.0), ("humanoid", 0.6), ("quadruped", 0.3), ("hopper", 0.3)] {
        let spec = read_file(format!("{}/../../models/{name}.xml", env!("CARGO_MANIFEST_DIR"))).expect("model");
        let options = OptimizeOptions { threads: 1, ..OptimizeOptions::default() };
        let wish = Gait { steps: 4, noise: 0.1, ..Gait::default() };
        let setup = gait(name, &spec, &RobotOptions::default(), &wish, &options).expect("a gait");
        let mut problem = setup.problem;
        Hardness::between(&setup.continuation.from, &setup.continuation.to, smoothing).set(&mut problem.model);
        let (nq, nv) = (problem.model.size.nq, problem.model.size.nv);
        let power = Power { weights: vec![(nv - 2, 0.01), (nv - 1, 0.02)] };
        problem.terms.push(Entry::new("power", Role::Cost, power));
        for (kind, ends) in all_ends(&problem.ends.clone(), &setup.guess[nq..2 * nq], nv, &mut random) {
            for evaluation in [Evaluation::Begin, Evaluation::End] {
                (problem.ends, problem.evaluation) = (ends.clone(), evaluation);
                check_curvature(&problem, &setup.guess, 1e-5, &format!("{name}, {kind}, {evaluation:?}"), &mut random);
            }
        }
    }
    // Terms that see contacts, and contacts without a closed form.
    for name in ["spin", "push", "roll"] {
        let file = format!("{}/../../tasks/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let task = Task::parse(&std::fs::read_to_string(&file).expect("task"), &file).expect("parsed");
        let model = format!("{}/../../models/{}.xml", env!("CARGO_MANIFEST_DIR"), task.model.value);
        let mut setup = task.problem(&read_file(model).expect("model")).expect("setup");
        setup.continuation.from.set(&mut setup.problem.model);
        let sliding = Sliding { rotations: Rotations::new(&setup.problem.model), fade: 0.02, weight: 0.3 };
        setup.problem.terms.push(Entry::new("sliding", Role::Cost, sliding));
        check_curvature(&setup.problem, &setup.guess, 1e-4, name, &mut random);
    }
}

#[test]
fn newtons_steps_are_the_same_bits_at_any_number_of_threads() {
    let spec = read_file(format!("{}/../../models/quadruped.xml", env!("CARGO_MANIFEST_DIR"))).expect("model");
    let wish = Gait { steps: 12, ..Gait::default() };
    let setup = gait("trot", &spec, &RobotOptions::default(), &wish, &OptimizeOptions::default()).expect("a gait");
    let mut problem = setup.problem;
    setup.continuation.from.set(&mut problem.model);
    let run = |threads: usize| {
        let mut optimizer = Optimizer::new(&problem, threads).expect("threads");
        let mut q = setup.guess.clone();
        optimizer.layout.close(&problem.model, &problem.ends, problem.h(), &mut q);
        let multipliers = multipliers(&problem, &mut optimizer, &q);
        let options = MinimizeOptions { iterations: 12, tolerance: 0.0, damping: 1.0, newton: f64::INFINITY };
        let minimized = optimizer.minimize(&problem, &multipliers, &mut q, &options, &mut |_, _| true);
        assert!(minimized.decrease > 0.0);
        q
    };
    let alone = run(1);
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(3));
}

/// dᵀ H d for random d at a trajectory near `guess`.
fn check_curvature(problem: &Problem, guess: &[f64], tolerance: f64, name: &str, random: &mut Random) {
    let (ends, h) = (&problem.ends, problem.h());
    let mut optimizer = Optimizer::new(problem, 1).expect("threads");
    let layout = optimizer.layout.clone();
    let mut q = guess.to_vec();
    layout.advance(&problem.model, ends, h, &random.vector(layout.dim(), 0.01), &mut q);
    let multipliers = multipliers(problem, &mut optimizer, &q);
    optimizer.update(problem, &multipliers, &q, true);
    optimizer.add_curvature(problem, &q);
    assembled(&mut optimizer, problem);
    let directions: Vec<Vec<f64>> = (0..4).map(|_| random.vector(layout.dim(), 1.0)).collect();
    let mut product = vec![0.0; layout.dim()];
    let mut form = |d: &Vec<f64>| {
        optimizer.quadratic.hessian.mul(d, &mut product);
        dot(d, &product)
    };
    let found: Vec<f64> = directions.iter().map(&mut form).collect();
    let mut at = |d: &[f64], by: f64| {
        let mut q = q.clone();
        let x: Vec<f64> = d.iter().map(|d| by * d).collect();
        layout.advance(&problem.model, ends, h, &x, &mut q);
        optimizer.update(problem, &multipliers, &q, true);
        dot(&assembled(&mut optimizer, problem), d)
    };
    for (found, d) in found.into_iter().zip(&directions) {
        let eps = 2e-7;
        let expected = (8.0 * (at(d, eps) - at(d, -eps)) - (at(d, 2.0 * eps) - at(d, -2.0 * eps))) / (12.0 * eps);
        assert!((found - expected).abs() < tolerance * expected.abs(), "{name}: {found} {expected}");
    }
}

/// Sums up the steps; the gradient.
fn assembled(optimizer: &mut Optimizer, problem: &Problem) -> Vec<f64> {
    optimizer.assemble(problem);
    optimizer.quadratic.gradient.clone()
}

/// With slides only and no contact residuals are linear, and the Gauss–Newton Hessian is the
/// Hessian.
#[test]
fn hessian_of_linear_residuals_is_exact() {
    let xml = r#"<mujoco><option gravity="0 0 -5"/><worldbody>
        <body><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/>
          <body pos="0 1 0"><joint name="l" type="slide" axis="1 0 0.5" damping="0.3"/><geom size="0.1" mass="1"/></body>
          <body pos="0 -1 0"><joint name="r" type="slide" axis="1 0 0.5" damping="0.3"/><geom size="0.1" mass="1"/></body>
        </body></worldbody></mujoco>"#;
    let model = compile(&read_str(xml, &BTreeMap::new()).expect("read")).expect("compiled");
    let swap = vec![(0, 1.0), (2, 1.0), (1, 1.0)];
    let mirror = Some(Mirror { q: swap.clone(), dof: swap });
    let mut random = Random(5);
    for mirror in [mirror, None] {
        let cycle = Ends::Periodic(Cycle {
            mirror,
            stride: vec![Advance { coordinate: 0, dof: 0, amount: 0.4 }],
            is_free: false,
        });
        for (name, ends) in all_ends(&cycle, &[0.1, 0.2, -0.3], 3, &mut random) {
            for evaluation in [Evaluation::Begin, Evaluation::End] {
                for steps in [2, 3, 6] {
                    check_hessian(&model, &ends, evaluation, steps, &mut random, name);
                }
            }
        }
    }
}

fn check_hessian(
    model: &saltus_sim::Model,
    ends: &Ends,
    evaluation: Evaluation,
    steps: usize,
    random: &mut Random,
    name: &str,
) {
    let weights = vec![(0, 0.5), (1, 1.5), (2, 0.7)];
    let track = TrackState {
        q: (0..steps).map(|_| random.vector(3, 1.0)).collect(),
        v: vec![random.vector(3, 1.0)],
        weights: vec![1.0, 0.4, 0.0],
        velocity_weights: vec![0.0, 0.2, 0.1],
    };
    let terms = vec![
        Entry::new("effort", Role::Cost, Effort { weights: weights.clone() }),
        Entry::new("force", Role::Equality, ControlTrack { reference: vec![vec![0.1; 3]], weights: vec![(2, 0.3)] }),
        Entry::new("posture", Role::Cost, Posture { target: vec![0.3; 3], weights: vec![0.1, 0.2, 0.3] }),
        Entry::new("smooth", Role::Cost, Smoothness { weights }),
        Entry::new("velocity", Role::Equality, Velocity { dofs: vec![(1, 0.4, 0.2)] })
            .within(Window { first: 1, last: 2 })
            .measured(2.0),
        Entry::new("track", Role::Cost, track),
    ];
    let mut model = model.clone();
    model.options.timestep = 0.1;
    let problem = Problem { model, steps, ends: ends.clone(), evaluation, terms, scale: vec![1.0; 3] };
    let mut optimizer = Optimizer::new(&problem, 1).expect("threads");
    let layout = optimizer.layout.clone();
    let mut q = random.vector(3 * (steps + 2), 0.5);
    layout.close(&problem.model, ends, problem.h(), &mut q);
    let multipliers = multipliers(&problem, &mut optimizer, &q);
    let gradient = |optimizer: &mut Optimizer, x: &[f64]| {
        let mut moved = q.clone();
        layout.advance(&problem.model, ends, problem.h(), x, &mut moved);
        optimizer.update(&problem, &multipliers, &moved, true);
        assembled(optimizer, &problem)
    };
    for _ in 0..3 {
        let x = random.vector(layout.dim(), 1.0);
        let before = gradient(&mut optimizer, &vec![0.0; x.len()]);
        let after = gradient(&mut optimizer, &x);
        let mut product = vec![0.0; x.len()];
        optimizer.quadratic.hessian.mul(&x, &mut product);
        let size = product.iter().fold(1.0, |m, p| f64::max(m, p.abs()));
        for (i, p) in product.iter().enumerate() {
            let expected = after[i] - before[i];
            assert!((p - expected).abs() < 1e-9 * size, "{name}, {evaluation:?}, {steps} steps, {i}: {p} {expected}");
        }
    }
}
