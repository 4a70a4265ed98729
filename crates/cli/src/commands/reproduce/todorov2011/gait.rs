//! The experiment of \[Todorov2011\], Section II: the gait of a 3D humanoid as a limit cycle, by
//! inverse dynamics at 100 Hz, full Newton steps, and continuation in the smoothing of contact. The
//! paper gives the time of a Newton step and the speed of dynamics on twelve cores, not the
//! humanoid; ours has 27 dofs.

use super::super::{Reproduction, column};
use crate::plot::{Axis, Mark, Panel};
use anyhow::{Context, Result, ensure};
use saltus::opt::planning::PlanningProblem;
use saltus::opt::solve::Evaluator;
use saltus::opt::solve::optimize::{Event, OptimizeOptions};
use saltus::opt::template::gait::{Gait, gait};
use saltus::opt::template::robot::RobotOptions;
use serde_json::json;
use std::time::Instant;

const SPEED: f64 = 1.2;
/// Of half a stride; steps of 10 ms.
const STEPS: usize = 42;
/// Time of a full Newton step that the paper gives, ms.
const PUBLISHED_NEWTON_MS: f64 = 160.0;
/// Evaluations that are timed.
const REPEATS: usize = 50;

pub fn run() -> Result<Reproduction> {
    let spec = saltus::io::mjcf::read_str(saltus::shipped::HUMANOID, &Default::default()).context("the humanoid")?;
    let wish = Gait { speed: Some(SPEED), period: Some(0.02 * STEPS as f64), steps: STEPS, ..Gait::default() };
    // At the end of the path all steps are Newton's.
    let options = OptimizeOptions { newton: f64::INFINITY, ..OptimizeOptions::default() };
    let mut setup = gait("gait", &spec, &RobotOptions::default(), &wish, &options)?;
    // Time of the last iteration, sums of times and numbers of iterations before and at the end of
    // the path.
    let (mut last, mut times, mut counts) = (0.0, [0.0; 2], [0usize; 2]);
    let plan = setup.optimize(&mut |event| {
        if let Event::Iteration(i) = event {
            let kind = usize::from(i.path >= 1.0);
            times[kind] += i.seconds - last;
            counts[kind] += 1;
            last = i.seconds;
        }
        true
    })?;
    ensure!(plan.status.converged(), "the gait did not converge: {}", plan.status);
    let [gauss_newton, newton] = [0, 1].map(|k| 1e3 * times[k] / counts[k].max(1) as f64);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (faster, own) = (faster_than_real_time(&setup, threads)?, faster_than_real_time(&setup, 1)?);
    let (median, worst) = plan.law_independent_residual();
    let end = plan.path.last().context("no path")?;
    let text = format!(
        "A humanoid of {} dofs walks at {SPEED} m/s: a limit cycle, half a stride of {STEPS} steps of 10 ms, no contact schedule.
                                       ours                              published
  cores                                {threads:<33} 12
  steps per second of motion           100                               100
  full Newton step                     {newton:<6.1} ms                         about 160 ms
  Gauss-Newton step                    {gauss_newton:<6.1} ms                         not said
  dynamics faster than real time       {faster:<6.0} ({own:.0} on one core)         about 4000
  converged                            {} iterations, {:.1} s             not said
  periodicity, unactuated force        {:.0e}, {:.0e} of weight          not said
  residual without any law             {:.2} % median, {:.2} % at most      not said
  smoothing                            {:.2} to {:.3}, force at a distance {:.3} of weight at the end\n",
        plan.motion.nv,
        plan.iterations,
        plan.seconds,
        plan.periodicity,
        plan.unactuated_residual,
        100.0 * median,
        100.0 * worst,
        plan.path.first().map_or(0.0, |p| p.smoothing),
        end.smoothing,
        end.force_at_distance,
    );
    let json = json!({
        "dofs": plan.motion.nv, "steps": STEPS, "threads": threads, "newton_ms": newton, "gauss_newton_ms": gauss_newton,
        "newton_iterations": counts[1], "iterations": plan.iterations, "seconds": plan.seconds,
        "faster_than_real_time": faster, "faster_than_real_time_on_one_core": own, "published_newton_ms": PUBLISHED_NEWTON_MS,
        "published_faster_than_real_time": 4000, "periodicity": plan.periodicity,
        "unactuated_residual": plan.unactuated_residual, "law_independent_residual": { "median": median, "max": worst },
    });
    let of = |f: fn(&saltus::opt::solve::report::PathPoint) -> f64| plan.path.iter().map(f).collect::<Vec<f64>>();
    let before = [0.0].into_iter().chain(plan.path.iter().map(|p| p.seconds));
    let spent = plan.path.iter().zip(before).map(|(p, before)| 1e3 * (p.seconds - before) / p.iterations.max(1) as f64);
    let iteration_ms = spent.collect();
    let x = Axis { array: "path", unit: "", log: false };
    let panel = |title: &str, array, log| Panel {
        title: title.to_owned(),
        array,
        lines: vec![(0, String::new())],
        x,
        log,
        published: Vec::new(),
    };
    Ok(Reproduction {
        title: "the gait of a humanoid along the path of continuation".to_owned(),
        text,
        json,
        arrays: vec![
            column("path", of(|p| p.path)),
            column("smoothing", of(|p| p.smoothing)),
            column("cost", of(|p| p.cost)),
            column("force_at_distance", of(|p| p.force_at_distance)),
            column("penetration", of(|p| p.penetration)),
            column("iterations", of(|p| p.iterations as f64)),
            column("iteration_ms", iteration_ms),
        ],
        panels: vec![
            panel("time of an iteration, ms", "iteration_ms", true)
                .beside("a full Newton step on 12 cores", Mark::Level(PUBLISHED_NEWTON_MS)),
            panel("smoothing", "smoothing", true),
            panel("cost", "cost", false),
            panel("force at a distance, share of weight", "force_at_distance", false),
            panel("penetration, m", "penetration", false),
        ],
    })
}

/// Time of the motion over the time to evaluate inverse dynamics of all its steps, with the terms
/// of the cost.
fn faster_than_real_time(setup: &PlanningProblem, threads: usize) -> Result<f64> {
    let problem = &setup.problem;
    let mut evaluator = Evaluator::new(problem, threads)?;
    let mut q = setup.guess.clone();
    evaluator.update(&mut q);
    let mut least = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        evaluator.update(&mut q);
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(problem.steps as f64 * problem.h() / least)
}
