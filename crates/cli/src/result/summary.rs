//! `summary.json`.

use super::FORMAT;
use anyhow::Result;
use saltus::Model;
use saltus::opt::result::plan::Plan;
use saltus::opt::result::summary::report;
use saltus::opt::solve::report::Status;
use serde_json::{Map, Value, json};

/// The report and everything else of the plan but the arrays, which are in the other files. Numbers that are not finite
/// are null.
pub fn summary(plan: &Plan, model: &Model) -> Result<Value> {
    let mut all = Map::new();
    all.insert("format".into(), json!(FORMAT));
    all.insert("saltus".into(), json!(env!("CARGO_PKG_VERSION")));
    if let Value::Object(report) = report(plan, model) {
        all.extend(report);
    }
    if let Status::Infeasible { constraint, violation, allowed } = &plan.status {
        let violated = json!({ "constraint": constraint.to_string(), "violation": violation, "allowed": allowed });
        all.insert("violated".into(), violated);
    }
    if let Status::Short { reached } = plan.status {
        all.insert("path_reached".into(), json!(reached));
    }
    let terms = plan.terms.iter().zip(&plan.cost_by_term);
    all.insert("cost_by_term".into(), terms.map(|(name, cost)| (name.to_string(), json!(cost))).collect());
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
