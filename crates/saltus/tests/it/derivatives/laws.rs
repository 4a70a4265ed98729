//! Laws that step velocities: inverse dynamics and steps, under the impulse and the invertible law.

use super::steps::{DRIVEN, JOINED};
use super::{Rng, anywhere, converge, inverse_error_with, on_the_floor, transition_error_with};
use crate::common::{from_text, model_file};
use saltus::sim::derivative::Report;
use saltus::sim::inverse::inverse;
use saltus::sim::law::options::{Law, Stabilizer};
use saltus::{Data, Model};

fn under(mut model: Model, law: Law) -> Model {
    model.options.laws.law = law;
    converge(&mut model);
    model
}

fn file(name: &str, law: Law) -> Model {
    under(saltus::load(model_file(name)).unwrap(), law)
}

/// Sizes of steps in q, and what the differences are good for.
struct Probe {
    wanted: usize,
    step: f64,
    bound: f64,
}

/// Checks inverse dynamics at states until the active set of enough of them is constant nearby.
fn check(model: &Model, what: &str, probe: Probe, mut place: impl FnMut(&mut Data, &mut Rng)) {
    let mut rng = Rng(7);
    let (mut states, mut rows, mut worst, mut inexact) = (0, 0, [0.0f64; 3], 0);
    for k in 0..12 * probe.wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut rng);
        let mut report = Report::default();
        let Some(errors) = inverse_error_with(model, &data, k % 2 == 1, probe.step, &mut report) else { continue };
        if !report.exact() {
            inexact += 1;
            continue;
        }
        inverse(model, &mut data).unwrap();
        let active = |i: &usize| data.constraints.kind[*i] as i32 >= 5 && data.constraints.force[*i] != 0.0;
        rows += (0..data.constraints.len()).filter(active).count();
        worst.iter_mut().zip(errors).for_each(|(w, e)| *w = w.max(e));
        assert!(errors.iter().all(|e| *e <= probe.bound), "{what}, state {k}: {errors:?}");
        states += 1;
        if states == probe.wanted {
            break;
        }
    }
    println!("{what}: {states} states, {rows} contact rows, {inexact} not exact, worst errors {worst:?}");
    assert_eq!(states, probe.wanted, "{what}");
}

/// The same for steps.
fn check_steps(model: &Model, what: &str, probe: Probe, mut place: impl FnMut(&mut Data, &mut Rng)) {
    let mut rng = Rng(11);
    let (mut states, mut worst, mut inexact) = (0, [0.0f64; 4], 0);
    for k in 0..12 * probe.wanted {
        let mut data = Data::new(model);
        place(&mut data, &mut rng);
        let mut report = Report::default();
        let Some(errors) = transition_error_with(model, &data, probe.step, &mut report) else { continue };
        if !report.exact() {
            inexact += 1;
            continue;
        }
        worst.iter_mut().zip(errors).for_each(|(w, e)| *w = w.max(e));
        assert!(errors.iter().all(|e| *e <= probe.bound), "{what}, state {k}: {errors:?}");
        states += 1;
        if states == probe.wanted {
            break;
        }
    }
    println!("{what}: steps from {states} states, {inexact} not exact, worst errors {worst:?}");
    assert_eq!(states, probe.wanted, "{what}");
}

#[test]
fn impulse_inverse_of_the_humanoid() {
    for stabilizer in [Stabilizer::Guarded, Stabilizer::Published] {
        let mut model = file("humanoid.xml", Law::Impulse);
        model.options.laws.impulse.stabilizer = stabilizer;
        check(&model, "humanoid", Probe { wanted: 6, step: 1e-6, bound: 1e-6 }, |data, rng| {
            on_the_floor(&model, data, rng);
            rng.fill(&mut data.input.ctrl, 0.5);
        });
    }
}

#[test]
fn impulse_steps_of_the_humanoid() {
    let model = file("humanoid.xml", Law::Impulse);
    check_steps(&model, "humanoid", Probe { wanted: 4, step: 1e-6, bound: 1e-6 }, |data, rng| {
        on_the_floor(&model, data, rng);
        rng.fill(&mut data.input.ctrl, 0.5);
    });
}

#[test]
fn impulse_equalities_and_actuators() {
    for (text, name) in [(JOINED, "joined"), (DRIVEN, "driven")] {
        let mut model = under(from_text(text), Law::Impulse);
        // Limits that are far violated: with the usual stiffness the solver's round-off is all that small steps see.
        model.options.laws.impulse.softness = 1e-3;
        check(&model, name, Probe { wanted: 6, step: 1e-6, bound: 1e-6 }, |data, rng| anywhere(&model, data, rng));
        check_steps(&model, name, Probe { wanted: 3, step: 1e-4, bound: 1e-6 }, |data, rng| {
            anywhere(&model, data, rng)
        });
    }
}

#[test]
fn invertible_inverse_of_the_humanoid() {
    let model = file("humanoid.xml", Law::Invertible);
    check(&model, "humanoid", Probe { wanted: 6, step: 1e-7, bound: 1e-6 }, |data, rng| {
        on_the_floor(&model, data, rng);
        rng.fill(&mut data.input.ctrl, 0.5);
    });
}

#[test]
fn invertible_steps_of_the_humanoid() {
    let model = file("humanoid.xml", Law::Invertible);
    check_steps(&model, "humanoid", Probe { wanted: 4, step: 1e-6, bound: 1e-6 }, |data, rng| {
        on_the_floor(&model, data, rng);
        rng.fill(&mut data.input.ctrl, 0.5);
    });
}

#[test]
fn invertible_equalities_and_actuators() {
    for (text, name) in [(JOINED, "joined"), (DRIVEN, "driven")] {
        let model = under(from_text(text), Law::Invertible);
        check(&model, name, Probe { wanted: 6, step: 1e-6, bound: 1e-6 }, |data, rng| anywhere(&model, data, rng));
        check_steps(&model, name, Probe { wanted: 3, step: 1e-5, bound: 1e-6 }, |data, rng| {
            anywhere(&model, data, rng)
        });
    }
}
