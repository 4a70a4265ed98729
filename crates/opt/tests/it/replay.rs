//! Plans that are followed: under their own law, and under others on the robot's own shapes.

use crate::tasks::{setup, shipped};
use saltus_opt::planning::PlanningProblem;
use saltus_opt::problem::physics::Units;
use saltus_opt::replay::reference::Reference;
use saltus_opt::replay::{Feedback, Replay, ReplayOptions, replay};
use saltus_opt::result::plan::{Motion, Plan};
use saltus_sim::kinematics::coordinates::difference;
use saltus_sim::options::law::{Law, LawOptions};
use saltus_sim::{Data, forward};

fn planned(name: &str) -> (PlanningProblem, Plan) {
    let mut setup = setup(&shipped(name));
    let plan = setup.optimize(&mut |_| true).expect("threads");
    assert!(plan.status.converged(), "{name}: {}", plan.status);
    (setup, plan)
}

fn follow(setup: &PlanningProblem, plan: &Plan, law: Law, feedback: Feedback, strides: usize) -> Replay {
    let laws = LawOptions { law, ..setup.own.options.laws };
    let units = Units { weight: plan.weight, length: plan.length };
    let options = ReplayOptions { timestep: 0.002, feedback, strides, ..ReplayOptions::default() };
    replay(&setup.own, &laws, &setup.actuation, &plan.motion, units, &options)
}

/// The human walks and runs, and the quadruped trots, ten strides under the soft and the impulse
/// law at 2 ms, which the planner did not know; the gains of the optimizer know its own law only.
#[test]
fn gaits_are_followed_under_other_laws() {
    for name in ["walk", "run", "trot"] {
        let (setup, plan) = planned(name);
        for law in [Law::Soft, Law::Impulse] {
            let run = follow(&setup, &plan, law, Feedback::Body, 10);
            println!("{name} {law:?}: {} strides, error {}", run.strides, run.largest_error());
            assert!(run.survived && run.strides == 10.0, "{name} {law:?}: {}", run.end);
            assert!(run.largest_error() < 0.5, "{name} {law:?}: {}", run.largest_error());
        }
        assert!(!follow(&setup, &plan, Law::Soft, Feedback::None, 10).survived);
        // The same bits every time.
        let again = follow(&setup, &plan, Law::Soft, Feedback::Body, 1);
        assert_eq!(again.q, follow(&setup, &plan, Law::Soft, Feedback::Body, 1).q);
        check_shapes(&setup, &plan.motion, name);
    }
}

/// Links of a plan do not go through each other.
fn check_shapes(setup: &PlanningProblem, motion: &Motion, name: &str) {
    let model = &setup.own;
    let mut data = Data::new(model);
    for t in 0..motion.steps {
        data.state.q.copy_from_slice(&motion.q[t * motion.nq..(t + 1) * motion.nq]);
        forward(model, &mut data);
        for contact in &data.contacts {
            let bodies = [contact.geom1, contact.geom2].map(|g| model.geoms.body[g.idx()].idx());
            let both_move = bodies.iter().all(|&b| model.bodies.tree[b].is_some());
            assert!(!both_move || contact.dist > 0.0, "{name}, step {t}: bodies {bodies:?} by {}", contact.dist);
        }
    }
}

/// A box is pushed to its place, and a wheel is spun, by torques that are computed anew in every
/// step.
#[test]
fn objects_are_moved_under_another_law() {
    for (name, most) in [("push", 0.05), ("spin", 0.2)] {
        let (setup, plan) = planned(name);
        let run = follow(&setup, &plan, Law::Soft, Feedback::Body, 1);
        println!("{name}: error {}", run.largest_error());
        assert!(run.survived && run.largest_error() < most, "{name}: {} {}", run.end, run.largest_error());
    }
}

/// Between states a motion goes through them, and its velocity is the rate of its coordinates;
/// limit cycles go on.
#[test]
fn motions_are_smooth_between_their_states() {
    let (setup, plan) = planned("trot");
    let (model, motion) = (&setup.own, &plan.motion);
    let reference = Reference { model, motion };
    let mut apart = vec![0.0; motion.nv];
    let mut largest = |from: &[f64], to: &[f64], h: f64, rate: &[f64]| {
        difference(model, from, to, h, &mut apart);
        apart.iter().zip(rate).fold(0.0, |m, (a, r)| f64::max(m, (a - r).abs()))
    };
    let still = vec![0.0; motion.nv];
    for k in [0, 3, motion.steps - 1, motion.steps, 2 * motion.steps + 5] {
        let time = k as f64 * motion.h;
        assert!(largest(&reference.state(k).q, &reference.at(time + 1e-12).q, 1.0, &still) < 1e-9);
        for share in [0.2, 0.5, 0.9] {
            let (time, small) = ((k as f64 + share) * motion.h, 1e-5 * motion.h);
            let (before, after) = (reference.at(time - small), reference.at(time + small));
            let now = reference.at(time);
            let wrong = largest(&before.q, &after.q, 2.0 * small, &now.v);
            // Rotations of a step do not commute: the velocity is that of their coordinates.
            assert!(wrong < 1e-2 * now.v.iter().fold(1.0, |m: f64, v| m.max(v.abs())), "{k} {share}: {wrong}");
            for i in 0..motion.nv {
                let rate = (after.v[i] - before.v[i]) / (2.0 * small);
                assert!((rate - now.a[i]).abs() < 1e-5 * (1.0 + rate.abs()), "{k} {share} {i}: {rate} {}", now.a[i]);
            }
        }
    }
}
