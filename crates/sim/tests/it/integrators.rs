//! Integrators: order of convergence, conservation, stability.

use crate::calculus::{assert_close, simulate};
use crate::random_tree::{Recipe, random_data};
use saltus_math::{Quat, Random, Vec3};
use saltus_sim::integrate::continuous_acceleration;
use saltus_sim::kinematics::coordinates;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::model::spec::{BodySpec, InertialSpec, JointSpec, SpecBody};
use saltus_sim::options::{Disable, Enable, Integrator};
use saltus_sim::{Data, Model, ModelSpec, compile, forward, step};

/// Distance of two states: coordinates in tangent space, velocities.
fn distance(model: &Model, a: &Data, b: &Data) -> f64 {
    let mut dq = vec![0.0; model.size.nv];
    coordinates::difference(model, &a.state.q, &b.state.q, 1.0, &mut dq);
    let dv = a.state.v.iter().zip(&b.state.v).map(|(a, b)| a - b);
    dq.iter().copied().chain(dv).fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn run(model: &Model, start: &Data, integrator: Integrator, time: f64, steps: usize) -> Data {
    let mut model = model.clone();
    model.options.integrator = integrator;
    model.options.timestep = time / steps as f64;
    let mut data = start.clone();
    for _ in 0..steps {
        step(&model, &mut data).unwrap();
    }
    assert!((data.state.time - time).abs() < 1e-9 * time);
    data
}

/// Observed order between `steps` and twice as many.
fn order(model: &Model, start: &Data, integrator: Integrator, time: f64, steps: usize) -> f64 {
    let mut exact = start.clone();
    simulate(model, &mut exact, (time / 1000.0, 1000), |_| 0.0);
    let coarse = distance(model, &run(model, start, integrator, time, steps), &exact);
    let fine = distance(model, &run(model, start, integrator, time, 2 * steps), &exact);
    assert!(fine > 1e-12, "{integrator:?}: the error {fine:e} is all round-off");
    (coarse / fine).log2()
}

/// A free body, a link on a ball joint, a link on a hinge with a spring.
fn chain() -> Model {
    let mut spec = ModelSpec::new("chain");
    let mut parent = SpecBody(0);
    for (kind, mass) in [(JointKind::Free, 2.0), (JointKind::Ball, 1.0), (JointKind::Hinge, 0.7)] {
        let stiffness = if kind == JointKind::Hinge { [5.0, 0.0, 0.0] } else { [0.0; 3] };
        let joint = JointSpec { kind, axis: Vec3::new(0.6, 0.8, 0.0), stiffness, ..JointSpec::default() };
        let inertial = InertialSpec {
            mass,
            pos: Vec3::new(0.1, 0.05, 0.2),
            quat: Quat::from_axis_angle(Vec3::X, 0.4),
            diag: Vec3::new(0.1, 0.2, 0.25) * mass,
            full: None,
        };
        let (pos, joints) = (Vec3::new(0.1, 0.2, 0.4), vec![joint]);
        parent = spec.add_body(parent, BodySpec { pos, joints, inertial: Some(inertial), ..BodySpec::default() });
    }
    compile(&spec).unwrap()
}

#[test]
fn orders_of_convergence_with_quaternion_joints() {
    use Integrator::*;
    let model = chain();
    for seed in 0..5 {
        let mut start = random_data(&model, &mut Random(seed));
        start.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = 3.0 * ((i as f64) + seed as f64).sin());
        start.input = Data::new(&model).input;
        for (integrator, expected) in [
            (Explicit, 1.0),
            (Midpoint, 1.0),
            (SemiImplicit, 1.0),
            (Euler, 1.0),
            (Implicit, 1.0),
            (ImplicitFast, 1.0),
            (Discrete, 1.0),
            (Rk4, 4.0),
            (Interleaved, 4.0),
        ] {
            let steps = if expected > 2.0 { 60 } else { 400 };
            let found = order(&model, &start, integrator, 0.5, steps);
            assert!((found - expected).abs() < 0.2, "seed {seed}, {integrator:?}: order {found}, not {expected}");
        }
    }
}

/// A body with one joint.
fn single(joint: JointSpec) -> ModelSpec {
    let mut spec = ModelSpec::new("single");
    let inertia =
        InertialSpec { mass: 2.0, pos: Vec3::ZERO, quat: Quat::IDENTITY, diag: Vec3::new(0.1, 0.2, 0.25), full: None };
    let body = BodySpec { joints: vec![joint], inertial: Some(inertia), name: "body".into(), ..BodySpec::default() };
    spec.add_body(SpecBody(0), body);
    spec
}

#[test]
fn midpoint_is_exact_under_constant_acceleration() {
    let model = compile(&single(JointSpec { kind: JointKind::Slide, axis: Vec3::Z, ..JointSpec::default() })).unwrap();
    let mut start = Data::new(&model);
    start.state.v[0] = 3.0;
    let end = run(&model, &start, Integrator::Midpoint, 0.5, 7);
    assert!((end.state.q[0] - (3.0 * 0.5 - 0.5 * 9.81 * 0.25)).abs() < 1e-14);
    let explicit = run(&model, &start, Integrator::Explicit, 0.5, 7);
    assert!((explicit.state.q[0] - end.state.q[0]).abs() > 1e-2);
}

#[test]
fn semi_implicit_keeps_the_energy_of_an_oscillator_and_explicit_does_not() {
    let mut spec = single(JointSpec {
        kind: JointKind::Slide,
        axis: Vec3::Z,
        stiffness: [200.0, 0.0, 0.0],
        ..JointSpec::default()
    });
    spec.options.gravity = Vec3::ZERO;
    spec.options.enable.set(Enable::ENERGY, true);
    let model = compile(&spec).unwrap();
    let mut start = Data::new(&model);
    start.state.q[0] = 0.1;
    let energy = |mut data: Data| {
        forward(&model, &mut data);
        data.energy.iter().sum::<f64>()
    };
    let before = energy(start.clone());
    let after = energy(run(&model, &start, Integrator::SemiImplicit, 100.0, 20_000));
    assert!((after / before - 1.0).abs() < 0.05, "{before} {after}");
    assert!(energy(run(&model, &start, Integrator::Explicit, 10.0, 2_000)) > 10.0 * before);
}

#[test]
fn a_spinning_free_body_gains_no_energy_under_the_implicit_integrators() {
    let mut spec = single(JointSpec { kind: JointKind::Free, ..JointSpec::default() });
    spec.options.gravity = Vec3::ZERO;
    spec.options.enable.set(Enable::ENERGY, true);
    let model = compile(&spec).unwrap();
    let mut start = Data::new(&model);
    start.state.v[3..6].copy_from_slice(&[1.0, 20.0, 0.5]);
    let energy = |mut data: Data| {
        forward(&model, &mut data);
        data.energy[1]
    };
    let before = energy(start.clone());
    for integrator in [Integrator::Implicit, Integrator::ImplicitFast, Integrator::Discrete] {
        let after = energy(run(&model, &start, integrator, 2.0, 400));
        assert!(after <= before && after > 0.2 * before, "{integrator:?}: {before} {after}");
    }
    let exact = energy(run(&model, &start, Integrator::Rk4, 2.0, 2000));
    assert!((exact / before - 1.0).abs() < 1e-6, "{before} {exact}");
}

#[test]
fn implicit_schemes_are_stable_where_explicit_ones_are_not() {
    // ω h = 20, and damping of 50 inertias per step.
    let stiff =
        JointSpec { kind: JointKind::Slide, axis: Vec3::Z, stiffness: [2.0 * 4e6, 0.0, 0.0], ..JointSpec::default() };
    let damped = JointSpec { kind: JointKind::Slide, axis: Vec3::Z, damping: [1e4, 0.0, 0.0], ..JointSpec::default() };
    let end = |joint: &JointSpec, integrator: Integrator| {
        let mut spec = single(joint.clone());
        spec.options.timestep = 0.01;
        spec.options.integrator = integrator;
        spec.options.gravity = Vec3::ZERO;
        let model = compile(&spec).unwrap();
        let mut data = Data::new(&model);
        (data.state.q[0], data.state.v[0]) = (0.1, 1.0);
        (0..50).try_for_each(|_| step(&model, &mut data)).map(|()| data.state.v[0].abs())
    };
    assert!(end(&stiff, Integrator::Discrete).unwrap() < 1e-3);
    assert!(end(&stiff, Integrator::ImplicitFast).is_err());
    for integrator in [Integrator::Euler, Integrator::Implicit, Integrator::ImplicitFast, Integrator::Discrete] {
        assert!(end(&damped, integrator).unwrap() < 1e-3, "{integrator:?}");
    }
    assert!(end(&damped, Integrator::SemiImplicit).is_err());
}

#[test]
fn the_continuous_acceleration_is_recovered_from_the_step() {
    for seed in 0..20 {
        for integrator in [Integrator::Euler, Integrator::Implicit, Integrator::ImplicitFast] {
            let mut model = Recipe { floating: seed % 2 == 0, ..Recipe::FULL }.build(seed);
            (model.options.integrator, model.options.density) = (integrator, 2.0);
            model.options.disable.set(Disable::CONSTRAINT, true);
            let mut data = random_data(&model, &mut Random(seed));
            let h = model.options.timestep;
            forward(&model, &mut data);
            let mut after = data.clone();
            step(&model, &mut after).unwrap();
            let mut a: Vec<f64> = after.state.v.iter().zip(&data.state.v).map(|(new, old)| (new - old) / h).collect();
            continuous_acceleration(&model, &mut data, &mut a);
            assert_close(&a, &data.acceleration.a, 1e-8, &format!("seed {seed}, {integrator:?}"));
        }
    }
}
