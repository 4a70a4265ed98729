//! The figures of a plan as JSON, with the same names on the command line, in `summary.json` and in
//! Python.

use crate::problem::actuation::Actuation;
use crate::result::names::dof_names;
use crate::result::plan::Plan;
use crate::result::steps;
use saltus_sim::Model;
use serde_json::{Map, Value, json};

/// The figures of a plan.
pub fn report(plan: &Plan, model: &Model) -> Value {
    let (median, max) = plan.law_independent_residual();
    let (step_median, step_max) = plan.step_error();
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
        "step_error": { "median": step_median, "max": step_max },
        "stance_slip": plan.stance_slip,
        "clearance": plan.clearance,
        "speed": speed(plan),
        "period": period(plan),
        "steps_per_stride": plan.motion.periodic.then(|| steps::per_stride(&plan.motion, plan.weight)),
        "largest_torque": torque.map(|(joint, value)| json!({ "joint": joint, "value": value })),
        "gains": gains(plan),
        "violations": plan.violations.iter().map(|v| (v.constraint.to_string(), json!(v.largest))).collect::<Map<_, _>>(),
        "notes": plan.notes,
    })
}

/// What the feedback gains are, and what they are valid for; null without gains.
fn gains(plan: &Plan) -> Option<Value> {
    let m = &plan.motion;
    (!m.gains.is_empty()).then(|| {
        json!({
            "law": plan.law.name(),
            "model": "the planning model of the plan",
            "step": m.h,
            "space": "error of q in the tangent space, then error of v",
            "sign": "tau = tau[t] + gains[t] @ (q - q[t], v - v[t])",
            "rows": "generalized forces of actuated dofs, not controls",
            "shape": [m.time.len(), m.nv, 2 * m.nv],
        })
    })
}

/// Time of one repetition, or of the whole motion, s.
pub fn period(plan: &Plan) -> f64 {
    let states = plan.motion.time.len();
    plan.motion.h * if plan.motion.periodic { states } else { states.saturating_sub(1) } as f64
}

/// Mean speed of a limit cycle along its stride, m/s.
pub fn speed(plan: &Plan) -> Option<f64> {
    let distance = plan.motion.stride.iter().map(|(_, d)| d * d).sum::<f64>().sqrt();
    plan.motion.periodic.then(|| distance / period(plan).max(f64::MIN_POSITIVE))
}

/// The largest force of a joint with an actuator: its name and the force, N m (slides: N).
pub fn largest_torque(plan: &Plan, model: &Model) -> Option<(String, f64)> {
    let actuation = Actuation::new(model).ok()?;
    let m = &plan.motion;
    let of = |dof: usize| m.tau.iter().skip(dof).step_by(m.nv.max(1)).fold(0.0f64, |most, tau| most.max(tau.abs()));
    let (dof, most) = actuation.actuated.iter().map(|&i| (i, of(i))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((dof_names(model).swap_remove(dof), most))
}
