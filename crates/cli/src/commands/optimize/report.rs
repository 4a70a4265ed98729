//! What is said at the end: figures, and for plans that did not converge what to try.

use super::Job;
use crate::result::summary;
use crate::steps;
use anyhow::{Result, anyhow};
use saltus::opt::plan::{Plan, Status};

/// Prints the figures, as text or JSON.
pub fn print(plan: &Plan, job: &Job, json: bool) -> Result<()> {
    let model = job.model()?;
    if json {
        let report = summary::report(plan, &model, &job.folder);
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    let (median, max) = plan.law_independent_residual();
    println!("{}: {}", plan.name, plan.status);
    println!(
        "  time                     {:.1} s, {} iterations of {:.1} ms",
        plan.seconds,
        plan.iterations,
        plan.ms_per_iteration()
    );
    if let Some(speed) = summary::speed(plan) {
        println!(
            "  gait                     {speed:.2} m/s, a stride takes {:.2} s and has {} steps",
            summary::period(plan),
            steps::per_stride(&plan.motion, plan.weight)
        );
    }
    if let Some((joint, torque)) = summary::largest_torque(plan, &model) {
        println!("  largest torque           {torque:.0} N m, {joint}");
    }
    println!("  unactuated force         {:.1e} of the weight at most", plan.unactuated_residual);
    println!(
        "  without any contact law  equations of motion hold to {median:.1e} (median), {max:.1e} (most) of the weight"
    );
    for (name, violation) in plan.violations.iter().filter(|v| v.1 > job.task.optimize.feasibility) {
        println!("  constraint               {name}: violated by {violation:.1e}");
    }
    for note in &plan.notes {
        println!("  note                     {note}");
    }
    println!("  folder                   {}", job.folder.display());
    Ok(())
}

/// An error unless the plan converged.
pub fn finish(plan: &Plan, job: &Job) -> Result<()> {
    if plan.status.converged() {
        return Ok(());
    }
    Err(anyhow!("{}: {}. Try {}", plan.name, plan.status, advice(plan, job)))
}

fn advice(plan: &Plan, job: &Job) -> String {
    let iterations = job.task.optimize.iterations;
    let seed = job.task.gait.seed + 1;
    let more = format!("more --iterations (now {iterations})");
    let used_up = plan.iterations >= iterations;
    match &plan.status {
        Status::Stopped => "the same command with --resume to go on".to_owned(),
        Status::Limit => more,
        Status::Infeasible { .. } | Status::Short { .. } if used_up => format!("{more}, or another --seed ({seed})"),
        Status::Infeasible { constraint, .. } => match constraint.as_str() {
            "torque limits" => format!("a lower --speed, stronger actuators, or another --seed ({seed})"),
            "joint limits" => format!("another --keyframe with bent joints, or another --seed ({seed})"),
            _ => format!("another --seed ({seed}), a lower --speed, or more --steps (now {})", job.task.gait.steps),
        },
        _ => format!("another --seed ({seed}), a lower --speed, or more --steps (now {})", job.task.gait.steps),
    }
}
