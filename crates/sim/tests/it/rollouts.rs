//! Rollouts: the same as stepping, at any number of threads.

use crate::random_tree::Recipe;
use saltus_sim::data::StateParts;
use saltus_sim::rollout::{self, Batch, Controls, Outcome, Output, RolloutError, run_on};
use saltus_sim::workers::{ShapeError, Workers};
use saltus_sim::{Data, Model, step};

const SIMS: usize = 13;
const STEPS: usize = 25;

fn model() -> Model {
    let mut model = Recipe::FULL.build(7);
    model.options.timestep = 1e-3;
    model
}

fn initial(model: &Model) -> Vec<f64> {
    let mut data = Data::new(model);
    let mut rows = vec![];
    for sim in 0..SIMS {
        data.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * ((i + 3 * sim) % 5) as f64);
        let mut row = vec![0.0; StateParts::FULL_PHYSICS.size(model)];
        data.read_parts(model, StateParts::FULL_PHYSICS, &mut row).unwrap();
        rows.extend(row);
    }
    rows
}

fn table(model: &Model) -> Vec<f64> {
    (0..SIMS * STEPS * model.size.nu).map(|i| ((i % 11) as f64 - 5.0) * 0.05).collect()
}

fn run(model: &Model, initial: &[f64], controls: Controls<'_>, threads: usize) -> (Vec<f64>, Vec<f64>, Vec<Outcome>) {
    let mut states = vec![0.0; SIMS * STEPS * StateParts::FULL_PHYSICS.size(model)];
    let mut sensors = vec![0.0; SIMS * STEPS * model.size.nsensordata];
    let batch = Batch { models: &[model], sims: SIMS, steps: STEPS, initial, warm_start: &[], controls };
    let output = Output { states: &mut states, sensors: &mut sensors };
    let outcomes = rollout::run(&batch, output, threads, None).unwrap();
    (states, sensors, outcomes)
}

#[test]
fn rollouts_are_steps_at_any_number_of_threads() {
    let model = model();
    let (initial, table) = (initial(&model), table(&model));
    let nu = model.size.nu;
    let controls = Controls::Table { values: &table, sims: SIMS, steps: STEPS, parts: StateParts::CTRL };
    let (states, _, outcomes) = run(&model, &initial, controls, 1);
    assert!(outcomes.iter().all(|o| *o == Outcome::Done));
    let width = StateParts::FULL_PHYSICS.size(&model);
    for sim in [0, 5, SIMS - 1] {
        let mut data = Data::new(&model);
        data.write_parts(&model, StateParts::FULL_PHYSICS, &initial[sim * width..(sim + 1) * width]).unwrap();
        for t in 0..STEPS {
            let start = (sim * STEPS + t) * nu;
            data.input.ctrl.copy_from_slice(&table[start..start + nu]);
            step(&model, &mut data).unwrap();
            let mut row = vec![0.0; width];
            data.read_parts(&model, StateParts::FULL_PHYSICS, &mut row).unwrap();
            assert_eq!(row, states[(sim * STEPS + t) * width..][..width], "simulation {sim}, step {t}");
        }
    }
    for threads in [2, 4] {
        assert_eq!(run(&model, &initial, controls, threads).0, states, "{threads} threads");
    }
    // A function that looks the controls up gives the same, as do several models.
    let feedback = |sim: usize, t: usize, _: &Model, _: &Data, u: &mut [f64]| {
        u.copy_from_slice(&table[(sim * STEPS + t) * nu..][..nu]);
    };
    assert_eq!(run(&model, &initial, Controls::Feedback(&feedback), 2).0, states);
    let mut again = vec![0.0; states.len()];
    let models = vec![&model; SIMS];
    let batch = Batch { models: &models, sims: SIMS, steps: STEPS, initial: &initial, warm_start: &[], controls };
    let workers: Workers = Workers::new(3).unwrap();
    for _ in 0..2 {
        run_on(&workers, &batch, Output { states: &mut again, sensors: &mut [] }, None).unwrap();
        assert_eq!(again, states);
    }
}

#[test]
fn one_row_stands_for_all() {
    let model = model();
    let (initial, table) = (initial(&model), table(&model));
    let (width, nu) = (StateParts::FULL_PHYSICS.size(&model), model.size.nu);
    let one = Controls::Table { values: &table[..nu], sims: 1, steps: 1, parts: StateParts::CTRL };
    let full: Vec<f64> = (0..SIMS * STEPS).flat_map(|_| table[..nu].to_vec()).collect();
    let all = Controls::Table { values: &full, sims: SIMS, steps: STEPS, parts: StateParts::CTRL };
    let rows: Vec<f64> = (0..SIMS).flat_map(|_| initial[..width].to_vec()).collect();
    assert_eq!(run(&model, &initial[..width], one, 2).0, run(&model, &rows, all, 2).0);
}

#[test]
fn a_failed_simulation_does_not_touch_the_others() {
    let model = model();
    let mut initial = initial(&model);
    let good = run(&model, &initial, Controls::Zero, 2);
    let width = StateParts::FULL_PHYSICS.size(&model);
    initial[4 * width + 1] = f64::NAN;
    let (states, _, outcomes) = run(&model, &initial, Controls::Zero, 2);
    let rows = |x: &[f64], sim: usize| x[sim * STEPS * width..(sim + 1) * STEPS * width].to_vec();
    for sim in 0..SIMS {
        if sim == 4 {
            assert!(matches!(outcomes[sim], Outcome::Failed { step: 0, .. }), "{:?}", outcomes[sim]);
            assert!(rows(&states, sim).iter().all(|x| x.is_nan()));
        } else {
            assert_eq!(outcomes[sim], Outcome::Done);
            assert_eq!(rows(&states, sim), rows(&good.0, sim));
        }
    }
    // A control that goes wrong on the way: what was reached stays.
    let feedback = |sim: usize, t: usize, _: &Model, _: &Data, u: &mut [f64]| {
        u.fill(if sim == 2 && t == 9 { f64::NAN } else { 0.0 });
    };
    let initial = self::initial(&model);
    let (states, _, outcomes) = run(&model, &initial, Controls::Feedback(&feedback), 2);
    let Outcome::Failed { step: 9, error } = &outcomes[2] else { panic!("{:?}", outcomes[2]) };
    assert!(error.to_string().contains("control"), "{error}");
    let own = rows(&states, 2);
    assert_eq!(own[..9 * width], rows(&good.0, 2)[..9 * width]);
    assert!(own[9 * width..].iter().all(|x| x.is_nan()));
}

#[test]
fn wrong_sizes_are_refused_and_progress_can_cancel() {
    let model = model();
    let initial = initial(&model);
    let batch = Batch {
        models: &[&model],
        sims: SIMS,
        steps: STEPS,
        initial: &initial,
        warm_start: &[],
        controls: Controls::Zero,
    };
    let none = || Output { states: &mut [], sensors: &mut [] };
    let short = Batch { initial: &initial[1..], ..batch };
    assert!(matches!(
        rollout::run(&short, none(), 1, None),
        Err(RolloutError::Shape(ShapeError { what: "the initial state", .. }))
    ));
    let no_models = Batch { models: &[], ..batch };
    assert!(matches!(rollout::run(&no_models, none(), 1, None), Err(RolloutError::Models { .. })));
    let table =
        Batch { controls: Controls::Table { values: &[0.0; 3], sims: 2, steps: 1, parts: StateParts::CTRL }, ..batch };
    assert!(matches!(rollout::run(&table, none(), 1, None), Err(RolloutError::Shape(_))));
    let state = Controls::Table { values: &[], sims: 1, steps: 1, parts: StateParts::CTRL.with(StateParts::Q) };
    let refused = rollout::run(&Batch { controls: state, ..batch }, none(), 1, None);
    assert_eq!(refused.unwrap_err(), RolloutError::Parts);
    let outcomes = rollout::run(&batch, none(), 1, Some(&|done| done < 3)).unwrap();
    let done = outcomes.iter().filter(|o| **o == Outcome::Done).count();
    assert_eq!((done, outcomes.len()), (3, SIMS));
    assert_eq!(outcomes[SIMS - 1], Outcome::Cancelled);
}
