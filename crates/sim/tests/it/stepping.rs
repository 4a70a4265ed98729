//! Steps: what is refused and how, halves of a step, saving and restoring.

use crate::random_tree::{Recipe, random_data};
use saltus_math::{Quat, Random, Vec3};
use saltus_sim::data::StateParts;
use saltus_sim::divergence::Quantity;
use saltus_sim::model::kinds::JointKind;
use saltus_sim::model::spec::JointSpec;
use saltus_sim::options::Integrator;
use saltus_sim::{Data, Model, NoCallbacks, StepError, step, step_or_reset};
use saltus_sim::{Recovery, step1, step2};

fn example(seed: u64) -> (Model, Data) {
    let model = Recipe::FULL.build(seed);
    let data = random_data(&model, &mut Random(seed));
    (model, data)
}

#[test]
fn a_bad_state_is_refused_by_name_and_kept() {
    let (model, mut data) = example(3);
    for value in [f64::NAN, f64::INFINITY, 1e11] {
        let good = data.state.clone();
        data.state.v[1] = value;
        let given = data.state.clone();
        let Err(StepError::Diverged(place)) = step(&model, &mut data) else { panic!("accepted {value}") };
        assert_eq!((place.quantity, place.index), (Quantity::Velocity, 1));
        let text = place.to_string();
        assert!(text.contains("joint") && text.contains("body") && text.contains("before the step"), "{text}");
        assert_eq!(data.state.v[0], given.v[0]);
        assert_eq!(data.state.time, given.time);
        data.state = good;
    }
    let last = model.size.nq - 1;
    data.state.q[last] = f64::NAN;
    let error = step(&model, &mut data).unwrap_err().to_string();
    let joint = model.joints.name.last().unwrap();
    assert!(error.contains(joint.as_str()), "{error} names {joint}");
}

#[test]
fn a_bad_control_names_its_actuator() {
    let (model, mut data) = example(4);
    assert!(model.size.nu > 0);
    data.input.ctrl[0] = f64::NAN;
    let before = data.state.clone();
    let error = step(&model, &mut data).unwrap_err();
    assert!(matches!(&error, StepError::Control { index: 0, .. }), "{error}");
    assert!(error.to_string().contains("actuator"), "{error}");
    assert_eq!(data.state, before);
    // Going on regardless: all controls count as zero.
    let mut zero = data.clone();
    zero.input.ctrl.fill(0.0);
    step(&model, &mut zero).unwrap();
    let done = step_or_reset(&model, &mut data, &mut NoCallbacks).unwrap();
    assert!(matches!(done, Some(Recovery::ControlsIgnored(_))));
    assert_eq!(data.state, zero.state);
    assert!(data.input.ctrl[0].is_nan());
}

/// A slider with a spring that is too stiff for the time step.
fn unstable(integrator: Integrator) -> (Model, Data) {
    use saltus_sim::model::spec::{BodySpec, InertialSpec, SpecBody};
    let mut spec = saltus_sim::ModelSpec::new("unstable");
    let joint = JointSpec {
        name: "knee".into(),
        kind: JointKind::Slide,
        axis: Vec3::Z,
        stiffness: [1e9, 0.0, 0.0],
        ..JointSpec::default()
    };
    let inertia = InertialSpec { mass: 1.0, pos: Vec3::ZERO, quat: Quat::IDENTITY, diag: Vec3::ONE, full: None };
    spec.add_body(
        SpecBody(0),
        BodySpec { joints: vec![joint], inertial: Some(inertia), name: "shin".into(), ..BodySpec::default() },
    );
    spec.options.integrator = integrator;
    let model = saltus_sim::compile(&spec).unwrap();
    let mut data = Data::new(&model);
    data.state.q[0] = 0.01;
    (model, data)
}

#[test]
fn a_step_that_diverges_names_place_and_cause_and_changes_nothing() {
    for integrator in [Integrator::Euler, Integrator::Rk4, Integrator::Implicit, Integrator::Interleaved] {
        let (model, mut data) = unstable(integrator);
        let mut before = data.state.clone();
        let error = loop {
            match step(&model, &mut data) {
                Ok(()) => before = data.state.clone(),
                Err(error) => break error,
            }
            assert!(data.state.time < 1.0, "{integrator:?} is stable");
        };
        assert_eq!(data.state, before, "{integrator:?}");
        assert!(data.state.q.iter().chain(&data.state.v).all(|x| x.is_finite()));
        let text = error.to_string();
        for word in ["knee", "shin", "spring", "t ="] {
            assert!(text.contains(word), "{integrator:?}: \"{text}\" lacks {word}");
        }
        assert!(matches!(step_or_reset(&model, &mut data, &mut NoCallbacks), Ok(Some(Recovery::Reset(_)))));
        assert!((data.state.time - model.options.timestep).abs() < 1e-15);
    }
}

#[test]
fn two_halves_are_a_step() {
    let (model, mut data) = example(5);
    let mut halves = data.clone();
    for _ in 0..20 {
        step(&model, &mut data).unwrap();
        step1(&model, &mut halves, &mut NoCallbacks).unwrap();
        step2(&model, &mut halves, &mut NoCallbacks).unwrap();
        assert_eq!(data.state, halves.state);
    }
}

#[test]
fn a_restored_state_repeats_bit_for_bit() {
    for (seed, integrator) in
        [(1, Integrator::Euler), (2, Integrator::Rk4), (3, Integrator::Implicit), (4, Integrator::Discrete)]
    {
        let mut model = Recipe::FULL.build(seed);
        (model.options.integrator, model.options.timestep) = (integrator, 2e-4);
        let mut data = random_data(&model, &mut Random(seed));
        let parts = StateParts::INTEGRATION;
        let mut saved = vec![0.0; parts.size(&model)];
        data.read_parts(&model, parts, &mut saved).unwrap();
        let run = |data: &mut Data| {
            for k in 0..100 {
                data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = ((i + k) % 7) as f64 * 0.1);
                step(&model, data).unwrap();
            }
            data.state.clone()
        };
        let first = run(&mut data);
        data.write_parts(&model, parts, &saved).unwrap();
        assert_eq!(run(&mut data), first, "{integrator:?}: in the same data");
        let mut fresh = Data::new(&model);
        fresh.write_parts(&model, parts, &saved).unwrap();
        assert_eq!(run(&mut fresh), first, "{integrator:?}: in other data");
        assert!(data.write_parts(&model, parts, &saved[1..]).is_err());
    }
}
