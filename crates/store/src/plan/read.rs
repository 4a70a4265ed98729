//! Reading result folders. All contents are validated against the model, since files may come from
//! anywhere.

use super::summary::{MotionSummary, Summary};
use super::{CONTINUATION, CONVERGENCE, MODEL, PLAN_MODEL, SUMMARY, StoredPlan, TASK, TRAJECTORY, columns};
use crate::error::{StoreError, ensure};
use crate::file;
use crate::table::{self, Array};
use saltus_io::{Source, binary};
use saltus_opt::geometry::keep_bodies;
use saltus_opt::problem::forces::ContactForce;
use saltus_opt::result::certify::Verdict;
use saltus_opt::result::coarse;
use saltus_opt::result::plan::{Motion, Plan};
use saltus_sim::kinematics::coordinates::integrate;
use saltus_sim::{Model, ModelSpec, compile};
use std::collections::BTreeMap;
use std::path::Path;

/// The contents of a folder.
pub fn load(folder: &Path) -> Result<StoredPlan, StoreError> {
    let summary = summary(folder)?;
    let (spec, own) = model(&folder.join(MODEL))?;
    let trajectory = folder.join(TRAJECTORY);
    let arrays = Arrays(table::read(&trajectory)?);
    let motion = motion(&summary.motion, &arrays, &own).map_err(StoreError::in_file(&trajectory))?;
    let planning = planning_model(&folder.join(PLAN_MODEL), &own)?;
    let verdicts = verdicts(&arrays, motion.steps, summary.format).map_err(StoreError::in_file(&trajectory))?;
    let step_errors = step_errors(&arrays, &motion, &planning, verdicts.len(), summary.format)
        .map_err(StoreError::in_file(&trajectory))?;
    let convergence = folder.join(CONVERGENCE);
    let iterations = table::read_any(&convergence)?;
    let names = columns::cost_names(&iterations);
    let history = columns::history(&iterations).map_err(StoreError::in_file(&convergence))?;
    let continuation = folder.join(CONTINUATION);
    let path = columns::path(&table::read_any(&continuation)?).map_err(StoreError::in_file(&continuation))?;
    let summary_file = folder.join(SUMMARY);
    let in_summary = StoreError::in_file(&summary_file);
    let status = summary.status().map_err(&in_summary)?;
    let (terms, cost_by_term) = summary.terms(&names).map_err(&in_summary)?;
    let violations = summary.violations();
    let plan = Plan {
        status,
        law: planning.options.laws.law,
        motion,
        terms,
        cost: summary.cost.0,
        cost_by_term,
        unactuated_residual: summary.unactuated_residual.0,
        violations,
        periodicity: summary.periodicity.0,
        stance_slip: summary.stance_slip.0,
        clearance: summary.clearance,
        step_errors,
        verdicts,
        verdict_gap: summary.verdict_gap.0,
        weight: summary.weight,
        length: summary.length,
        iterations: summary.iterations,
        seconds: summary.seconds.0,
        times: summary.times,
        history,
        path,
        inexact_steps: summary.inexact_steps,
        notes: summary.notes,
        name: summary.name,
    };
    Ok(StoredPlan { plan, spec, own, planning, task_text: file::read_text(&folder.join(TASK))? })
}

fn summary(folder: &Path) -> Result<Summary, StoreError> {
    let path = folder.join(SUMMARY);
    let text = match file::read_text(&path) {
        Err(StoreError::Io { cause, .. }) => {
            let what = format!("{} is not a result: cannot read {SUMMARY}", folder.display());
            return Err(StoreError::Io { what, cause });
        }
        text => text?,
    };
    Summary::parse(&text).map_err(StoreError::in_file(&path))
}

/// The model. No other files are opened.
fn model(path: &Path) -> Result<(ModelSpec, Model), StoreError> {
    let (text, place) = (file::read_text(path)?, || path.display().to_string());
    let nothing = BTreeMap::new();
    let mut spec = saltus_io::read_text(&Source::memory(&nothing), MODEL, &text)
        .map_err(|cause| StoreError::Model { path: place(), cause: cause.into() })?;
    // Also in folders of earlier versions, whose model may fuse bodies that the plan speaks of.
    keep_bodies(&mut spec);
    let own = compile(&spec).map_err(|cause| StoreError::Compile { path: place(), cause: cause.into() })?;
    Ok((spec, own))
}

/// The planning model of `own`.
fn planning_model(path: &Path, own: &Model) -> Result<Model, StoreError> {
    let planning = binary::load(&file::read(path)?)
        .map_err(|cause| StoreError::PlanningModel { path: path.display().to_string(), cause: cause.into() })?;
    let (a, b) = (planning.size, own.size);
    for (what, found, expected) in [
        ("coordinates", a.nq, b.nq),
        ("dofs", a.nv, b.nv),
        ("controls", a.nu, b.nu),
        ("bodies", planning.nbody(), own.nbody()),
    ] {
        ensure(found == expected, || format!("expected {expected} {what} as in {MODEL}, found {found}"))
            .map_err(StoreError::in_file(path))?;
    }
    Ok(planning)
}

/// The arrays of a trajectory.
struct Arrays(Vec<Array>);

impl Arrays {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|a| a.name == name)
    }

    /// All numbers of an array with `cols` numbers per row.
    fn get(&self, name: &str, cols: usize) -> Result<&[f64], String> {
        let found = self.0.iter().find(|a| a.name == name).ok_or_else(|| format!("there is no array {name}"))?;
        ensure(found.cols == cols, || format!("{name}: expected {cols} numbers per row, found {}", found.cols))?;
        Ok(&found.values)
    }

    /// As above, for an array with this number of rows.
    fn rows(&self, name: &str, rows: usize, cols: usize) -> Result<&[f64], String> {
        let values = self.get(name, cols)?;
        ensure(values.len() == rows * cols, || format!("{name}: expected {rows} rows of {cols} numbers"))?;
        Ok(values)
    }
}

fn motion(summary: &MotionSummary, arrays: &Arrays, model: &Model) -> Result<Motion, String> {
    let (nq, nv, nu) = (model.size.nq, model.size.nv, model.size.nu);
    let time = arrays.get("time", 1)?;
    let states = time.len();
    ensure(states > 0, || "there are no states".to_owned())?;
    let rows = |name: &str, cols: usize| arrays.rows(name, states, cols).map(<[f64]>::to_vec);
    let q = rows("q", nq)?;
    ensure(q.iter().all(|x| x.is_finite()), || "q: expected finite numbers".to_owned())?;
    let gains = if arrays.has("gains") { rows("gains", 2 * nv * nv)? } else { Vec::new() };
    let stride = summary.stride.clone();
    ensure(stride.iter().all(|s| s.0 < nq && s.1.is_finite()), || {
        "the stride refers to coordinates that the model does not have".to_owned()
    })?;
    Ok(Motion {
        // As in the planner, the number of states.
        steps: states,
        nq,
        nv,
        nu,
        h: summary.h,
        time: time.to_vec(),
        q,
        v: rows("v", nv)?,
        a: rows("a", nv)?,
        tau: rows("tau", nv)?,
        u: rows("u", nu)?,
        contacts: contacts(arrays, states, model.nbody())?,
        gains,
        stride,
        periodic: summary.periodic,
    })
}

/// A nonnegative integer below `end`.
fn index(x: f64, end: usize, what: &str) -> Result<usize, String> {
    ensure(x >= 0.0 && x < end as f64 && x.fract() == 0.0, || format!("{what} {x} is out of range: there are {end}"))?;
    Ok(x as usize)
}

fn contacts(arrays: &Arrays, states: usize, bodies: usize) -> Result<Vec<Vec<ContactForce>>, String> {
    let step = arrays.get("contact_step", 1)?;
    let numbers = |name: &str, cols: usize| arrays.rows(name, step.len(), cols);
    let (body, other) = (numbers("contact_body", 1)?, numbers("contact_other", 1)?);
    let (point, force) = (numbers("contact_point", 3)?, numbers("contact_force", 3)?);
    let (normal, gap) = (numbers("contact_normal", 3)?, numbers("contact_gap", 1)?);
    let vector = |values: &[f64], k: usize| [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
    let mut lists = vec![Vec::new(); states];
    for k in 0..step.len() {
        lists[index(step[k], states, "contact_step")?].push(ContactForce {
            body: index(body[k], bodies, "contact_body")?,
            other: index(other[k], bodies, "contact_other")?,
            point: vector(point, k),
            normal: vector(normal, k),
            force: vector(force, k),
            gap: gap[k],
        });
    }
    Ok(lists)
}

/// Verdicts of the steps, at most as many as states. Format 1 contains only their residuals.
fn verdicts(arrays: &Arrays, states: usize, format: u64) -> Result<Vec<Verdict>, String> {
    let residuals = arrays.get("verdict", 1)?;
    let steps = residuals.len();
    ensure(steps <= states, || format!("verdict: expected at most {states} rows, found {steps}"))?;
    if format == 1 {
        let of = |&residual: &f64| Verdict { residual, contacts: 0, least_gap: f64::NAN };
        return Ok(residuals.iter().map(of).collect());
    }
    let contacts = arrays.rows("verdict_contacts", steps, 1)?;
    let least_gap = arrays.rows("verdict_least_gap", steps, 1)?;
    let of = |k: usize| -> Result<Verdict, String> {
        let contacts = index(contacts[k], table::MAX_NUMBERS, "verdict_contacts")?;
        Ok(Verdict { residual: residuals[k], contacts, least_gap: least_gap[k] })
    };
    (0..steps).map(of).collect()
}

/// Step errors. Format 1 does not contain them; they are computed for the steps that have a
/// verdict.
fn step_errors(
    arrays: &Arrays,
    motion: &Motion,
    planning: &Model,
    steps: usize,
    format: u64,
) -> Result<Vec<f64>, String> {
    if format > 1 {
        let errors = arrays.get("step_error", 1)?;
        let (found, states) = (errors.len(), motion.steps);
        ensure(found <= states, || format!("step_error: expected at most {states} rows, found {found}"))?;
        return Ok(errors.to_vec());
    }
    if steps == 0 {
        return Ok(Vec::new());
    }
    let nodes = nodes(motion, planning, steps).ok_or_else(|| {
        format!("verdict: expected fewer rows than there are states of a motion that ends, found {steps}")
    })?;
    Ok(coarse::step_errors(planning, motion.h, &nodes))
}

/// The states before and after each of the first `steps` steps: one state before the first step,
/// followed by `steps` + 1 states.
fn nodes(motion: &Motion, model: &Model, steps: usize) -> Option<Vec<f64>> {
    let nq = motion.nq;
    let (mut nodes, first) = (motion.q.get(..nq)?.to_vec(), motion.q.get(..nq)?);
    integrate(model, &mut nodes, motion.v.get(..motion.nv)?, -motion.h);
    if let Some(states) = motion.q.get(..(steps + 1) * nq) {
        nodes.extend_from_slice(states);
        return Some(nodes);
    }
    if !motion.periodic {
        return None;
    }
    // The last state is the first one of the next repetition.
    let mut next = first.to_vec();
    for &(i, amount) in &motion.stride {
        next[i] += amount;
    }
    nodes.extend_from_slice(motion.q.get(..steps * nq)?);
    nodes.extend(next);
    Some(nodes)
}
