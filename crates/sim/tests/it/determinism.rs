//! The same bits over runs, restarts, threads, builds and machines.

use crate::common::{load, model_file};
use saltus_sim::data::StateParts;
use saltus_sim::options::law::Law;
use saltus_sim::rollout::{self, Batch, Controls, Outcome, Output};
use saltus_sim::{Data, Model, step};

const STEPS: usize = 200;
/// Hashes of the last states, by model. The Python tests read the same file. Whoever means to
/// change numbers puts the hashes that the failing test prints.
const HASHES: &str = include_str!("hashes.txt");
const SCENES: [&str; 4] = ["humanoid.xml", "grasp.xml", "cubes.xml", "features/contacts_elliptic.xml"];

/// FNV-1a of the bits.
fn hash(numbers: &[f64]) -> u64 {
    let bytes = numbers.iter().flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Controls that need no function of a library.
fn control(i: usize, k: usize) -> f64 {
    ((i * 7 + k * 3) % 11) as f64 * 0.125 - 0.625
}

fn run(model: &Model, data: &mut Data, steps: core::ops::Range<usize>) {
    for k in steps {
        data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = control(i, k));
        step(model, data).unwrap();
    }
}

fn state(model: &Model, data: &Data) -> Vec<f64> {
    let mut state = vec![0.0; StateParts::INTEGRATION.size(model)];
    data.read_parts(model, StateParts::INTEGRATION, &mut state).unwrap();
    state
}

#[test]
fn states_have_the_bits_that_they_have_on_every_machine() {
    let mut found = String::new();
    for scene in SCENES {
        let model = load(model_file(scene)).unwrap();
        let mut data = Data::new(&model);
        run(&model, &mut data, 0..STEPS);
        assert!(!data.constraints.is_empty(), "{scene} is not in contact");
        let state: Vec<f64> = data.state.q.iter().chain(&data.state.v).copied().collect();
        found.push_str(&format!("{scene} {:016x}\n", hash(&state)));
    }
    assert!(found == HASHES, "found\n{found}");
}

#[test]
fn a_restart_from_a_saved_state_repeats_the_bits() {
    let laws = [Law::Invertible, Law::Impulse, Law::Lcp, Law::Compliant].map(|law| ("humanoid.xml", law));
    for (scene, law) in SCENES.map(|scene| (scene, Law::Soft)).into_iter().chain(laws) {
        let mut model = load(model_file(scene)).unwrap();
        model.options.laws.law = law;
        let mut data = Data::new(&model);
        run(&model, &mut data, 0..STEPS / 2);
        let saved = state(&model, &data);
        run(&model, &mut data, STEPS / 2..STEPS);
        let end = state(&model, &data);
        // In the same data, whose working memory has seen other things since, and in a new one.
        for mut other in [data, Data::new(&model)] {
            other.write_parts(&model, StateParts::INTEGRATION, &saved).unwrap();
            run(&model, &mut other, STEPS / 2..STEPS);
            assert!(state(&model, &other).iter().zip(&end).all(|(a, b)| a.to_bits() == b.to_bits()), "{scene} {law:?}");
        }
    }
}

#[test]
fn contacts_do_not_depend_on_what_was_seen_before() {
    // Meshes that come near each other, touch and part: what collision detection keeps between
    // steps must not show.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/scenes/striders.xml");
    let model = load(file).unwrap();
    let mut data = Data::new(&model);
    let (mut seen, mut steps) = (0, 0);
    while steps < 600 {
        run(&model, &mut data, steps..steps + 20);
        steps += 20;
        let mut fresh = Data::new(&model);
        fresh.write_parts(&model, StateParts::INTEGRATION, &state(&model, &data)).unwrap();
        saltus_sim::forward(&model, &mut data);
        saltus_sim::forward(&model, &mut fresh);
        assert_eq!(data.contacts, fresh.contacts, "step {steps}");
        seen += data.contacts.len();
    }
    assert!(seen > 100, "{seen} contacts");
}

#[test]
fn rollouts_in_contact_do_not_depend_on_threads() {
    let model = load(model_file("humanoid.xml")).unwrap();
    let data = Data::new(&model);
    let mut initial = vec![0.0; StateParts::FULL_PHYSICS.size(&model)];
    data.read_parts(&model, StateParts::FULL_PHYSICS, &mut initial).unwrap();
    let (sims, steps) = (9, 150);
    let table: Vec<f64> = (0..sims * steps * model.size.nu).map(|i| control(i, i / 100)).collect();
    let batch = Batch {
        models: &[&model],
        sims,
        steps,
        initial: &initial,
        warm_start: &[],
        controls: Controls::Table { values: &table, sims, steps, parts: StateParts::CTRL },
    };
    let run = |threads| {
        let mut states = vec![0.0; sims * steps * initial.len()];
        let outcomes = rollout::run(&batch, Output { states: &mut states, sensors: &mut [] }, threads, None).unwrap();
        assert!(outcomes.iter().all(|o| *o == Outcome::Done));
        hash(&states)
    };
    let one = run(1);
    assert!([2, 3, 8].into_iter().all(|threads| run(threads) == one));
}
