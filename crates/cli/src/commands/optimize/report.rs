//! The final output: the figures of the plan, and advice for plans that did not converge.

use super::Job;
use crate::commands::replay::Replays;
use crate::output::{self, say};
use anyhow::{Result, anyhow};
use saltus::opt::problem::identity::TermId;
use saltus::opt::result::plan::Plan;
use saltus::opt::result::{steps, summary};
use saltus::opt::solve::report::Status;
use saltus::opt::task::TaskKind;
use saltus::store::StoredPlan;
use serde_json::json;

/// Prints the figures of the plan, as text or JSON.
pub fn print(stored: &StoredPlan, job: &Job, json: bool, replays: Option<&Replays<'_>>) -> Result<()> {
    let StoredPlan { plan, own, .. } = stored;
    if json {
        let mut report = summary::report(plan, own);
        report["folder"] = json!(job.folder);
        if let Some(replays) = replays {
            report["replay"] = replays.json();
        }
        output::json(&report)?;
        return Ok(());
    }
    let (median, max) = plan.law_independent_residual();
    say!("{}: {}", plan.name, plan.status);
    say!(
        "  time                     {:.1} s, {} iterations of {:.1} ms",
        plan.seconds,
        plan.iterations,
        plan.ms_per_iteration()
    );
    // Standing is a limit cycle without a stride.
    if let Some(speed) = summary::speed(plan).filter(|_| !plan.motion.stride.is_empty()) {
        say!(
            "  gait                     {speed:.2} m/s, stride of {:.2} s with {} steps",
            summary::period(plan),
            steps::per_stride(&plan.motion, plan.weight)
        );
        say!("  stance                   stance feet slip by at most {:.1} mm", 1e3 * plan.stance_slip);
    }
    if let Some((joint, torque)) = summary::largest_torque(plan, own) {
        say!("  largest torque           {torque:.0} N m, {joint}");
    }
    say!("  unactuated force         at most {:.1e} of the weight", plan.unactuated_residual);
    say!("  without a contact law    force balance off by {median:.1e} (median), {max:.1e} (maximum) of the weight");
    let (median, max) = plan.step_error();
    say!(
        "  time steps               error of the acceleration of the centre of mass {median:.1e} (median), {max:.1e} (maximum) of gravity"
    );
    if let Some(clearance) = &plan.clearance {
        say!("  clearance                {:.1} mm, {clearance}", 1e3 * clearance.distance);
    }
    // In a converged plan all violations are within tolerance.
    let feasibility = if plan.status.converged() { f64::INFINITY } else { job.source.task.options.feasibility };
    for violation in plan.violations.iter().filter(|v| v.largest > feasibility) {
        say!("  constraint               {}: violated by {:.1e}", violation.constraint, violation.largest);
    }
    for note in &plan.notes {
        say!("  note                     {note}");
    }
    if let Some(replays) = replays {
        for line in ["own", "soft"].iter().filter_map(|law| replays.line(law)) {
            say!("  replay                   {line}");
        }
    }
    say!("  folder                   {}", job.folder.display());
    Ok(())
}

/// Returns an error with advice unless the plan converged.
pub fn finish(plan: &Plan, job: &Job) -> Result<()> {
    if plan.status.converged() {
        return Ok(());
    }
    Err(anyhow!("{}: {}. Try {}", plan.name, plan.status, advice(plan, job)))
}

fn advice(plan: &Plan, job: &Job) -> String {
    let task = &job.source.task;
    let more = format!("more --iterations (now {})", task.options.iterations);
    let used_up = plan.iterations >= task.options.iterations;
    // The spelling of a setting, in a task file or on the command line.
    let word = |name: &str| if job.source.is_file { format!("{name} in the task") } else { format!("--{name}") };
    let (seed, steps) = match &task.kind {
        TaskKind::Gait { gait, .. } => (gait.seed + 1, gait.steps),
        TaskKind::Goal { .. } => (0, plan.motion.steps),
        TaskKind::Motion(motion) => (motion.seed + 1, motion.steps),
    };
    let seed = match &task.kind {
        TaskKind::Motion(motion) if motion.noise == 0.0 => format!("some {}", word("noise")),
        TaskKind::Goal { .. } => format!("another {}", word("keyframe")),
        _ => format!("another {} ({seed})", word("seed")),
    };
    let slower = match &task.kind {
        TaskKind::Gait { .. } => format!("a lower {}", word("speed")),
        TaskKind::Motion(_) | TaskKind::Goal { .. } => format!("a longer {}", word("time")),
    };
    let usual = format!("{seed}, {slower}, or more {} (now {steps})", word("steps"));
    match &plan.status {
        Status::Stopped => "the same command with --resume to continue".to_owned(),
        Status::Limit => more,
        Status::Coarse { .. } => format!("more {} (now {steps}), {slower}, or {seed}", word("steps")),
        Status::Invalid { flaw: Some(_) } => "a term that is finite at all states of the motion".to_owned(),
        Status::Collides { .. } => format!("a way around: other targets or poses, terms that lead there, or {seed}"),
        Status::Infeasible { .. } | Status::Short { .. } if used_up => format!("{more}, or {seed}"),
        Status::Infeasible { constraint, .. } => match constraint {
            TermId::TorqueLimits => format!("{slower}, stronger actuators, or {seed}"),
            TermId::JointLimits => format!("another {} with bent joints, or {seed}", word("keyframe")),
            TermId::AtPlace(_) => format!("a target within reach, or {usual}"),
            TermId::JumpHeight => format!("a smaller height, or {usual}"),
            _ => usual,
        },
        _ => usual,
    }
}
