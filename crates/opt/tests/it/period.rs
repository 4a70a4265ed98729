//! Limit cycles whose time is free.

use saltus_opt::planning::PlanningProblem;
use saltus_opt::problem::layout::Ends;
use saltus_opt::result::plan::Plan;
use saltus_opt::solve::optimize::{Event, OptimizeOptions, Progress};
use saltus_opt::solve::report::Status;
use saltus_opt::template::gait::{Gait, gait};
use saltus_opt::template::robot::RobotOptions;

const SPEED: f64 = 0.6;

fn humanoid(free_period: bool, period: Option<f64>) -> PlanningProblem {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/humanoid.xml");
    let spec = saltus_io::read_file(model).expect("the model");
    let wish = Gait { speed: Some(SPEED), period, free_period, steps: 8, ..Gait::default() };
    let options = OptimizeOptions { threads: 1, ..OptimizeOptions::default() };
    gait("walk", &spec, &RobotOptions::default(), &wish, &options).expect("a gait")
}

fn cost(plan: &Plan) -> f64 {
    assert_eq!(plan.status, Status::Converged);
    plan.cost
}

/// A search that is stopped in its middle and continued ends at the same bits; what it finds is
/// better than what it began with and than slower and faster gaits that are optimized by
/// themselves, and goes at the speed that was asked for.
#[test]
fn the_best_period_is_found() {
    let mut setup = humanoid(true, None);
    let mut kept: Option<Progress> = None;
    let plan = setup
        .optimize(&mut |event| {
            if let Event::Round(progress) = event
                && progress.period.trials() == 2
                && progress.status.is_none()
            {
                kept = Some(progress.clone());
            }
            true
        })
        .expect("threads");
    let (time, best) = (setup.problem.h() * setup.problem.steps as f64, cost(&plan));
    let Ends::Periodic(cycle) = &setup.problem.ends else { panic!("a cycle") };
    assert!((cycle.stride[0].amount - SPEED * time).abs() < 1e-12, "{} in {time} s", cycle.stride[0].amount);
    println!("half a stride in {time:.3} s, cost {best:.5}");
    for period in [None, Some(0.8 * 2.0 * time), Some(1.25 * 2.0 * time)] {
        let other = cost(&humanoid(false, period).optimize(&mut |_| true).expect("threads"));
        println!("a period of {period:?}: {other:.5}");
        assert!(other > best, "{other} with a period of {period:?}, {best} with {}", 2.0 * time);
    }
    let mut again = humanoid(true, None);
    let resumed = again.resume(&mut kept.expect("a search of several trials"), &mut |_| true).expect("threads");
    assert_eq!(resumed.motion, plan.motion);
}
