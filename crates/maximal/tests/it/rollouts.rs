//! Rollouts in maximal coordinates.

use crate::scene::{ZOO, disturb, model};
use saltus_maximal::{Options, Simulation, rollout};
use saltus_sim::Data;
use saltus_sim::data::StateParts;
use saltus_sim::rollout::{Batch, Controls, Outcome, Output};
use saltus_sim::workers::Workers;

const STEPS: usize = 20;

/// A rollout is the simulation that a loop makes, at any number of threads.
#[test]
fn rollouts_are_loops_of_steps() {
    let model = model(ZOO);
    let parts = StateParts::FULL_PHYSICS;
    let width = parts.size(&model);
    let starts: Vec<Data> = (0..3)
        .map(|k| {
            let mut data = Data::new(&model);
            disturb(&mut data);
            data.state.v.iter_mut().for_each(|v| *v *= 1.0 - 0.3 * k as f64);
            data
        })
        .collect();
    let mut initial = vec![0.0; 3 * width];
    for (data, row) in starts.iter().zip(initial.chunks_exact_mut(width)) {
        data.read_parts(&model, parts, row).unwrap();
    }
    let controls: Vec<f64> = starts[0].input.ctrl.clone();
    let controls = Controls::Table { values: &controls, sims: 1, steps: 1, parts: StateParts::CTRL };
    let batch = Batch { models: &[&model], sims: 3, steps: STEPS, initial: &initial, warm_start: &[], controls };
    for threads in [1, 2] {
        let mut states = vec![0.0; 3 * STEPS * width];
        let output = Output { states: &mut states, sensors: &mut [] };
        let workers: Workers = Workers::new(threads).unwrap();
        let outcomes = rollout(&workers, &batch, output, None, Options::tree()).unwrap();
        assert_eq!(outcomes, [Outcome::Done, Outcome::Done, Outcome::Done]);
        for (start, states) in starts.iter().zip(states.chunks_exact(STEPS * width)) {
            let (mut data, mut row) = (start.clone(), vec![0.0; width]);
            let mut simulation = Simulation::new(&model, Options::tree()).unwrap();
            for state in states.chunks_exact(width) {
                simulation.step(&model, &mut data).unwrap();
                data.read_parts(&model, parts, &mut row).unwrap();
                assert_eq!(row, state);
            }
        }
    }
}

#[test]
fn options_that_are_refused_fail_each_simulation() {
    let model = model(ZOO);
    let initial = vec![0.0; StateParts::FULL_PHYSICS.size(&model)];
    let batch =
        Batch { models: &[&model], sims: 2, steps: 1, initial: &initial, warm_start: &[], controls: Controls::Zero };
    let output = Output { states: &mut [], sensors: &mut [] };
    let options = Options { iterations: 0, ..Options::tree() };
    let workers: Workers = Workers::new(1).unwrap();
    let outcomes = rollout(&workers, &batch, output, None, options).unwrap();
    for outcome in outcomes {
        match outcome {
            Outcome::Failed { step: 0, error } => assert!(error.to_string().contains("iterations"), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
