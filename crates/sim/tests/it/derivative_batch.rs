//! Derivatives at many states: the same bits as one by one, at any number of threads; errors of
//! single states.
#![allow(non_snake_case)]

use crate::common::{load, model_file};
use saltus_sim::data::StateParts;
use saltus_sim::derivative::batch::{Output, States, Verdict, batch};
use saltus_sim::derivative::point::{PointError, inverse_at, transition_at};
use saltus_sim::derivative::{Inverse, Workspace};
use saltus_sim::finite_difference::Transition;
use saltus_sim::workers::Workers;
use saltus_sim::{Data, Model};
use std::sync::atomic::AtomicBool;

const COUNT: usize = 7;

/// A humanoid that lands: its states at intervals.
fn states(model: &Model) -> Vec<f64> {
    let parts = StateParts::FULL_PHYSICS;
    let width = parts.size(model);
    let mut data = Data::new(model);
    data.reset_to_key(model, model.key("squat").unwrap());
    let mut all = vec![0.0; COUNT * width];
    for row in all.chunks_mut(width) {
        (0..20).for_each(|_| saltus_sim::step(model, &mut data).unwrap());
        data.read_parts(model, parts, row).unwrap();
    }
    all
}

fn run(model: &Model, states: &[f64], threads: usize) -> (Vec<f64>, Vec<f64>, Vec<Verdict>) {
    let (n, nu) = (2 * model.size.nv + model.size.na, model.size.nu);
    let (mut A, mut B) = (vec![0.0; COUNT * n * n], vec![0.0; COUNT * n * nu]);
    let workers = Workers::new(threads).unwrap();
    let at = States { count: COUNT, states, ctrl: &[], a: &[] };
    let out =
        [Output { name: "A", shape: [n, n], values: &mut A }, Output { name: "B", shape: [n, nu], values: &mut B }];
    let found = batch(&workers, model, at, out, &AtomicBool::new(false), |data, work, [a, b]| {
        transition_at(model, data, work, Transition { A: Some(a), B: Some(b), ..Transition::default() })
    });
    (A, B, found.unwrap())
}

#[test]
fn threads_and_single_states_give_the_same_bits() {
    let model = load(model_file("humanoid.xml")).unwrap();
    let states = states(&model);
    let (A, B, found) = run(&model, &states, 1);
    assert!(found.iter().all(|verdict| verdict.as_ref().is_ok_and(Vec::is_empty)));
    assert_eq!(run(&model, &states, 3), (A.clone(), B.clone(), found));
    let (n, nu) = (2 * model.size.nv, model.size.nu);
    let width = states.len() / COUNT;
    let (mut data, mut work) = (Data::new(&model), Workspace::default());
    let (mut a, mut b) = (vec![0.0; n * n], vec![0.0; n * nu]);
    let mut touching = 0;
    for k in 0..COUNT {
        data.reset(&model);
        data.write_parts(&model, StateParts::FULL_PHYSICS, &states[k * width..(k + 1) * width]).unwrap();
        let out = Transition { A: Some(&mut a), B: Some(&mut b), ..Transition::default() };
        transition_at(&model, &mut data, &mut work, out).unwrap();
        assert_eq!(a, A[k * n * n..(k + 1) * n * n]);
        assert_eq!(b, B[k * n * nu..(k + 1) * n * nu]);
        touching += usize::from(!data.contacts.is_empty());
    }
    assert!(touching > 0);
}

#[test]
fn a_state_that_is_not_finite_leaves_nan_and_the_others_alone() {
    let model = load(model_file("humanoid.xml")).unwrap();
    let mut states = states(&model);
    let (A, ..) = run(&model, &states, 2);
    let width = states.len() / COUNT;
    states[2 * width + 3] = f64::NAN;
    let (with_bad, _, found) = run(&model, &states, 2);
    let n = with_bad.len() / COUNT;
    for (k, verdict) in found.iter().enumerate() {
        let rows = k * n..(k + 1) * n;
        if k == 2 {
            assert!(matches!(verdict, Err(PointError::Diverged(_))));
            assert!(with_bad[rows].iter().all(|x| x.is_nan()));
        } else {
            assert_eq!(with_bad[rows.clone()], A[rows]);
        }
    }
}

#[test]
fn sizes_are_checked_and_cancelling_stops() {
    let model = load(model_file("humanoid.xml")).unwrap();
    let states = states(&model);
    let nv = model.size.nv;
    let workers = Workers::new(2).unwrap();
    let a = vec![0.0; nv];
    let run = |states: &[f64], a: &[f64], len: usize, cancelled: bool| {
        let [mut q, mut v, mut f] = [(); 3].map(|()| vec![0.0; len]);
        let out = [("dtau_dq", &mut q), ("dtau_dv", &mut v), ("dtau_da", &mut f)];
        let out = out.map(|(name, values)| Output { name, shape: [nv, nv], values });
        let at = States { count: COUNT, states, ctrl: &[], a };
        batch(&workers, &model, at, out, &AtomicBool::new(cancelled), |data, work, [dtau_dq, dtau_dv, dtau_da]| {
            inverse_at(&model, data, false, work, Inverse { dtau_dq, dtau_dv, dtau_da })
        })
    };
    let len = COUNT * nv * nv;
    assert!(run(&states, &a, len, false).unwrap().iter().all(Result::is_ok));
    assert!(run(&states, &a, len, true).unwrap().iter().all(|v| *v == Err(PointError::Cancelled)));
    for wrong in
        [run(&states[1..], &a, len, false), run(&states, &a[1..], len, false), run(&states, &a, len - 1, false)]
    {
        assert!(wrong.is_err());
    }
}
