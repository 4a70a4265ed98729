//! `summary.json`: all data of a plan except its arrays and tables. Numbers that are not finite are
//! null.

use super::FORMAT;
use crate::error::ensure;
use saltus_opt::problem::identity::TermId;
use saltus_opt::result::coarse;
use saltus_opt::result::plan::{Plan, Violation};
use saltus_opt::result::summary::report;
use saltus_opt::solve::report::{Clearance, Flaw, Quantity, Status, TimeByPart};
use saltus_sim::Model;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The report for scripts, with all data needed to restore the plan.
pub fn write(plan: &Plan, model: &Model) -> Value {
    let mut all = Map::new();
    all.insert("format".into(), json!(FORMAT));
    all.insert("saltus".into(), json!(env!("CARGO_PKG_VERSION")));
    if let Value::Object(report) = report(plan, model) {
        all.extend(report);
    }
    match &plan.status {
        Status::Infeasible { constraint, violation, allowed } => {
            let mut violated = json!({ "constraint": constraint.to_string(), "custom": is_custom(constraint) });
            violated["violation"] = json!(violation);
            violated["allowed"] = json!(allowed);
            all.insert("violated".into(), violated);
        }
        Status::Short { reached } => {
            all.insert("path_reached".into(), json!(reached));
        }
        Status::Coarse { error, allowed } => {
            all.insert("coarse".into(), json!({ "error": error, "allowed": allowed }));
        }
        Status::Invalid { flaw: Some(Flaw { term, state, time, what }) } => {
            let custom = term.as_ref().is_some_and(is_custom);
            let term = term.as_ref().map(TermId::to_string);
            let flaw = json!({ "term": term, "custom": custom, "state": state, "time": time, "what": what });
            all.insert("not_finite".into(), flaw);
        }
        Status::Collides { clearance, allowed } => {
            all.insert("collision".into(), json!({ "clearance": clearance, "allowed": allowed }));
        }
        Status::Converged | Status::Limit | Status::Invalid { flaw: None } | Status::Stopped => {}
    }
    let terms = plan.terms.iter().zip(&plan.cost_by_term);
    all.insert("cost_by_term".into(), terms.clone().map(|(name, cost)| (name.to_string(), json!(cost))).collect());
    // As lists, since names can occur twice.
    let term = |(id, cost): (&TermId, &f64)| json!({ "name": id.to_string(), "custom": is_custom(id), "cost": cost });
    all.insert("terms".into(), terms.map(term).collect());
    let constraint = |Violation { constraint: id, largest }: &Violation| json!({ "name": id.to_string(), "custom": is_custom(id), "largest": largest });
    all.insert("constraints".into(), plan.violations.iter().map(constraint).collect());
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
    all.insert("times".into(), json!(plan.times));
    all.into()
}

/// Whether a term is from a task file or a program. Its name can be that of one of the planner's
/// own terms.
fn is_custom(id: &TermId) -> bool {
    matches!(id, TermId::Custom(_))
}

/// The term with this name.
fn identity(name: &str, is_custom: bool) -> TermId {
    if is_custom { TermId::Custom(name.to_owned()) } else { TermId::of_name(name) }
}

/// A number; null, which represents numbers that are not finite, is read as NaN.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(from = "Option<f64>")]
pub struct Number(pub f64);

impl From<Option<f64>> for Number {
    fn from(number: Option<f64>) -> Self {
        Self(number.unwrap_or(f64::NAN))
    }
}

/// The part of `summary.json` that is read. The rest follows from this and from the other files.
#[derive(Debug, Deserialize)]
pub struct Summary {
    pub format: u64,
    pub name: String,
    status: String,
    violated: Option<Violated>,
    path_reached: Option<f64>,
    coarse: Option<Coarse>,
    not_finite: Option<NotFinite>,
    collision: Option<Collision>,
    pub iterations: usize,
    pub seconds: Number,
    pub cost: Number,
    pub unactuated_residual: Number,
    pub periodicity: Number,
    pub stance_slip: Number,
    /// Not in folders of earlier versions.
    pub clearance: Option<Clearance>,
    step_error: StepError,
    pub notes: Vec<String>,
    pub motion: MotionSummary,
    pub weight: f64,
    pub length: f64,
    pub verdict_gap: Number,
    pub inexact_steps: usize,
    pub times: TimeByPart,
    cost_by_term: BTreeMap<String, Number>,
    violations: BTreeMap<String, Number>,
    /// Not in format 1.
    terms: Option<Vec<TermSummary>>,
    /// Not in format 1.
    constraints: Option<Vec<ConstraintSummary>>,
}

/// The sizes must be those of the arrays.
#[derive(Debug, Deserialize)]
pub struct MotionSummary {
    pub h: f64,
    pub periodic: bool,
    pub stride: Vec<(usize, f64)>,
}

#[derive(Debug, Deserialize)]
struct Violated {
    constraint: String,
    /// Not in format 1.
    #[serde(default)]
    custom: bool,
    violation: Number,
    allowed: Number,
}

#[derive(Debug, Deserialize)]
struct Coarse {
    error: Number,
    allowed: Number,
}

#[derive(Clone, Debug, Deserialize)]
struct Collision {
    clearance: Clearance,
    allowed: Number,
}

#[derive(Debug, Deserialize)]
struct NotFinite {
    term: Option<String>,
    custom: bool,
    state: usize,
    time: Number,
    what: Quantity,
}

impl NotFinite {
    fn flaw(&self) -> Flaw {
        let term = self.term.as_ref().map(|name| identity(name, self.custom));
        Flaw { term, state: self.state, time: self.time.0, what: self.what }
    }
}

#[derive(Debug, Deserialize)]
struct StepError {
    max: Number,
}

#[derive(Debug, Deserialize)]
struct TermSummary {
    name: String,
    custom: bool,
    cost: Number,
}

#[derive(Debug, Deserialize)]
struct ConstraintSummary {
    name: String,
    custom: bool,
    largest: Number,
}

impl Summary {
    /// Parses the text of the file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let all: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let format = all["format"].as_u64().ok_or("there is no format")?;
        ensure((1..=FORMAT).contains(&format), || {
            format!("it has format {format}; this version of Saltus reads formats 1 to {FORMAT}")
        })?;
        let summary: Self = serde_json::from_value(all).map_err(|e| e.to_string())?;
        for (name, value) in [("weight", summary.weight), ("length", summary.length), ("h", summary.motion.h)] {
            ensure(value > 0.0 && value.is_finite(), || format!("{name}: expected a positive number, found {value}"))?;
        }
        ensure(format == 1 || (summary.terms.is_some() && summary.constraints.is_some()), || {
            "there are no terms and constraints".to_owned()
        })?;
        Ok(summary)
    }

    /// The status of the optimization.
    pub fn status(&self) -> Result<Status, String> {
        let missing = |what: &str| format!("the status is {}, but there is no {what}", self.status);
        Ok(match self.status.as_str() {
            "converged" => Status::Converged,
            "limit" => Status::Limit,
            "short" => Status::Short { reached: self.path_reached.ok_or_else(|| missing("path_reached"))? },
            "infeasible" => {
                let violated = self.violated.as_ref().ok_or_else(|| missing("violated"))?;
                Status::Infeasible {
                    constraint: identity(&violated.constraint, violated.custom),
                    violation: violated.violation.0,
                    allowed: violated.allowed.0,
                }
            }
            "invalid" => Status::Invalid { flaw: self.not_finite.as_ref().map(NotFinite::flaw) },
            "coarse" => match &self.coarse {
                Some(Coarse { error, allowed }) => Status::Coarse { error: error.0, allowed: allowed.0 },
                // Format 1 stores the same error in another place.
                None => Status::Coarse { error: self.step_error.max.0, allowed: coarse::ALLOWED },
            },
            "collides" => {
                let Collision { clearance, allowed } = self.collision.clone().ok_or_else(|| missing("collision"))?;
                Status::Collides { clearance, allowed: allowed.0 }
            }
            "stopped" => Status::Stopped,
            other => return Err(format!("unknown status {other:?}")),
        })
    }

    /// All terms with their costs. Format 1 has no list of them; the names are those in the table
    /// of the iterations.
    pub fn terms(&self, names: &[&str]) -> Result<(Vec<TermId>, Vec<f64>), String> {
        if let Some(terms) = &self.terms {
            ensure(terms.len() == names.len(), || {
                format!("there are {} terms, but the table of the iterations has costs of {}", terms.len(), names.len())
            })?;
            return Ok(terms.iter().map(|term| (identity(&term.name, term.custom), term.cost.0)).unzip());
        }
        let cost = |k: usize| -> Result<f64, String> {
            // For a name that occurs twice, only the cost of the last term is known.
            if names[k + 1..].contains(&names[k]) {
                return Ok(f64::NAN);
            }
            self.cost_by_term.get(names[k]).map(|cost| cost.0).ok_or_else(|| format!("no cost of {:?}", names[k]))
        };
        let costs: Result<Vec<f64>, String> = (0..names.len()).map(cost).collect();
        Ok((names.iter().map(|name| TermId::of_name(name)).collect(), costs?))
    }

    /// The violations of the constraints.
    pub fn violations(&self) -> Vec<Violation> {
        let of = |constraint: TermId, largest: Number| Violation { constraint, largest: largest.0 };
        match &self.constraints {
            Some(constraints) => constraints.iter().map(|c| of(identity(&c.name, c.custom), c.largest)).collect(),
            None => self.violations.iter().map(|(name, largest)| of(TermId::of_name(name), *largest)).collect(),
        }
    }
}
