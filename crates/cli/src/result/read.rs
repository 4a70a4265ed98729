//! Reading a result folder back. Everything is checked against the model: files may come from anywhere.

use super::{CONTINUATION, CONVERGENCE, FORMAT, MODEL, SUMMARY, TRAJECTORY};
use crate::table::{self, Array};
use anyhow::{Context, Result, ensure};
use saltus::Model;
use saltus::opt::problem::forces::ContactForce;
use saltus::opt::problem::physics::Units;
use saltus::opt::result::plan::Motion;
use serde_json::Value;
use std::path::Path;

/// A result that was read back.
#[derive(Debug)]
pub struct Stored {
    pub name: String,
    pub message: String,
    pub converged: bool,
    pub model: Model,
    pub motion: Motion,
    /// Weight and a length of the robot.
    pub units: Units,
    /// Columns of `convergence.csv` and `continuation.csv`; none if nothing was recorded.
    pub convergence: Vec<Array>,
    pub continuation: Vec<Array>,
}

impl Stored {
    pub fn read(folder: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(folder.join(SUMMARY))
            .with_context(|| format!("{} is not a result: cannot read {SUMMARY}", folder.display()))?;
        let summary: Value = serde_json::from_str(&text).context(SUMMARY)?;
        let format = summary["format"].as_u64().with_context(|| format!("{SUMMARY}: no format"))?;
        ensure!(format == FORMAT, "{SUMMARY} has format {format}; this program reads format {FORMAT}");
        let model = saltus::load(folder.join(MODEL))?;
        let arrays = table::read(&folder.join(TRAJECTORY))?;
        let motion = motion(&summary["motion"], &arrays, &model).context(TRAJECTORY)?;
        let positive =
            |key: &str| summary[key].as_f64().filter(|w| *w > 0.0).with_context(|| format!("{SUMMARY}: no {key}"));
        let units = Units { weight: positive("weight")?, length: positive("length")? };
        let word = |key: &str| summary[key].as_str().unwrap_or_default().to_owned();
        // A run that was stopped at once has recorded nothing.
        let columns = |name: &str| table::read(&folder.join(name)).unwrap_or_default();
        Ok(Self {
            name: word("name"),
            message: word("message"),
            converged: summary["converged"] == true,
            model,
            motion,
            units,
            convergence: columns(CONVERGENCE),
            continuation: columns(CONTINUATION),
        })
    }
}

fn motion(summary: &Value, arrays: &[Array], model: &Model) -> Result<Motion> {
    let (nq, nv, nu) = (model.size.nq, model.size.nv, model.size.nu);
    let h = summary["h"].as_f64().filter(|h| h.is_finite() && *h > 0.0).context("no time of a step in the summary")?;
    let time = array(arrays, "time", 1)?;
    let states = time.len();
    ensure!(states > 0, "there are no states");
    let rows = |name: &str, cols: usize| -> Result<Vec<f64>> {
        let values = array(arrays, name, cols)?;
        ensure!(values.len() == states * cols, "{name}: expected {states} rows of {cols} numbers");
        Ok(values.to_vec())
    };
    let q = rows("q", nq)?;
    ensure!(q.iter().all(|x| x.is_finite()), "q: expected finite numbers");
    let gains = if arrays.iter().any(|a| a.name == "gains") { rows("gains", 2 * nv * nv)? } else { Vec::new() };
    let stride: Vec<(usize, f64)> = serde_json::from_value(summary["stride"].clone()).unwrap_or_default();
    ensure!(stride.iter().all(|s| s.0 < nq && s.1.is_finite()), "the stride has coordinates that the model has not");
    Ok(Motion {
        // As the planner counts: states of the motion.
        steps: states,
        nq,
        nv,
        nu,
        h,
        time: time.to_vec(),
        q,
        v: rows("v", nv)?,
        a: rows("a", nv)?,
        tau: rows("tau", nv)?,
        u: rows("u", nu)?,
        contacts: contacts(arrays, states, model.nbody())?,
        gains,
        stride,
        periodic: summary["periodic"] == true,
    })
}

fn array<'a>(arrays: &'a [Array], name: &str, cols: usize) -> Result<&'a [f64]> {
    let found = arrays.iter().find(|a| a.name == name).with_context(|| format!("no array {name}"))?;
    ensure!(found.cols == cols, "{name}: expected {cols} numbers per row, found {}", found.cols);
    Ok(&found.values)
}

fn contacts(arrays: &[Array], states: usize, bodies: usize) -> Result<Vec<Vec<ContactForce>>> {
    let step = array(arrays, "contact_step", 1)?;
    let numbers = |name: &str, cols: usize| -> Result<&[f64]> {
        let values = array(arrays, name, cols)?;
        ensure!(values.len() == step.len() * cols, "{name}: expected {} rows", step.len());
        Ok(values)
    };
    let (body, other) = (numbers("contact_body", 1)?, numbers("contact_other", 1)?);
    let (point, force) = (numbers("contact_point", 3)?, numbers("contact_force", 3)?);
    let (normal, gap) = (numbers("contact_normal", 3)?, numbers("contact_gap", 1)?);
    let index = |x: f64, len: usize, what: &str| -> Result<usize> {
        ensure!(x >= 0.0 && x < len as f64 && x.fract() == 0.0, "{what} {x} is out of range: there are {len}");
        Ok(x as usize)
    };
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
