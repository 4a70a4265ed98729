//! What a plan is worth, as JSON: the object that `--json` prints, and `summary.json`.

use super::{FORMAT, dof_names};
use crate::steps;
use anyhow::Result;
use saltus::Model;
use saltus::opt::plan::{Plan, Status};
use serde_json::{Map, Value, json};
use std::path::Path;

/// What scripts ask for.
pub fn report(plan: &Plan, model: &Model, folder: &Path) -> Value {
    let (median, max) = plan.law_independent_residual();
    let torque = largest_torque(plan, model);
    json!({
        "name": plan.name,
        "status": plan.status.word(),
        "converged": plan.status.converged(),
        "message": plan.status.to_string(),
        "iterations": plan.iterations,
        "seconds": plan.seconds,
        "ms_per_iteration": plan.ms_per_iteration(),
        "cost": plan.cost,
        "unactuated_residual": plan.unactuated_residual,
        "periodicity": plan.periodicity,
        "law_independent_residual": { "median": median, "max": max },
        "speed": speed(plan),
        "period": period(plan),
        "steps_per_stride": plan.motion.periodic.then(|| steps::per_stride(&plan.motion, plan.weight)),
        "largest_torque": torque.map(|(joint, value)| json!({ "joint": joint, "value": value })),
        "violations": plan.violations.iter().map(|(k, v)| (k.clone(), json!(v))).collect::<Map<_, _>>(),
        "notes": plan.notes,
        "folder": folder,
    })
}

/// The report and everything else of the plan but the arrays, which are in the other files. Numbers that are not finite
/// are null.
pub fn summary(plan: &Plan, model: &Model, folder: &Path) -> Result<Value> {
    let mut all = Map::new();
    all.insert("format".into(), json!(FORMAT));
    all.insert("saltus".into(), json!(env!("CARGO_PKG_VERSION")));
    if let Value::Object(report) = report(plan, model, folder) {
        all.extend(report.into_iter().filter(|(key, _)| key != "folder"));
    }
    if let Status::Infeasible { constraint, violation, allowed } = &plan.status {
        let violated = json!({ "constraint": constraint, "violation": violation, "allowed": allowed });
        all.insert("violated".into(), violated);
    }
    if let Status::Short { reached } = plan.status {
        all.insert("path_reached".into(), json!(reached));
    }
    let terms = plan.terms.iter().zip(&plan.cost_by_term);
    all.insert("cost_by_term".into(), terms.map(|(name, cost)| (name.clone(), json!(cost))).collect());
    let m = &plan.motion;
    all.insert(
        "motion".into(),
        json!({
            "states": m.time.len(), "nq": m.nq, "nv": m.nv, "nu": m.nu, "h": m.h, "periodic": m.periodic,
            "stride": m.stride,
        }),
    );
    all.insert("model".into(), json!(model.name));
    all.insert("weight".into(), json!(plan.weight));
    all.insert("length".into(), json!(plan.length));
    all.insert("verdict_gap".into(), json!(plan.verdict_gap));
    all.insert("inexact_steps".into(), json!(plan.inexact_steps));
    all.insert("times".into(), serde_json::to_value(plan.times)?);
    Ok(all.into())
}

/// Time of one repetition, or of the whole motion, s.
pub fn period(plan: &Plan) -> f64 {
    let states = plan.motion.time.len();
    plan.motion.h * if plan.motion.periodic { states } else { states.saturating_sub(1) } as f64
}

/// Mean speed of a limit cycle along its stride, m/s.
pub fn speed(plan: &Plan) -> Option<f64> {
    let distance = plan.motion.stride.iter().map(|(_, d)| d * d).sum::<f64>().sqrt();
    let goes = plan.motion.periodic && !plan.motion.stride.is_empty();
    goes.then(|| distance / period(plan).max(f64::MIN_POSITIVE))
}

/// The largest force of a joint with an actuator: its name and the force, N m (slides: N).
pub fn largest_torque(plan: &Plan, model: &Model) -> Option<(String, f64)> {
    let actuation = saltus::opt::actuation::Actuation::new(model).ok()?;
    let m = &plan.motion;
    let of = |dof: usize| m.tau.iter().skip(dof).step_by(m.nv.max(1)).fold(0.0f64, |most, tau| most.max(tau.abs()));
    let (dof, most) = actuation.actuated.iter().map(|&i| (i, of(i))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((dof_names(model).swap_remove(dof), most))
}
