//! Fig. 4 of \[Todorov2011\]: Newton iterations and time of the inverse against the number of
//! contacts, for the contacts that a humanoid has while it falls and lies about.
#![allow(non_snake_case)]

use super::super::{Reproduction, column, power_law};
use super::columns;
use super::dense::Plain;
use super::table1::{PUBLISHED, Problem, measure};
use crate::plot::{Axis, Mark, Panel};
use anyhow::{Context, Result, ensure};
use saltus::Data;
use saltus::shipped::HUMANOID;
use saltus::sim::law::invertible::{Kind, problem_of};
use saltus::sim::options::law::Law;
use std::collections::BTreeMap;
use std::fmt::Write;

/// States per number of contacts.
const SAMPLES: usize = 6;
/// Counts above this are rare.
const MOST: usize = 40;

/// Problems by number of contacts, met while the humanoid falls in different ways.
fn problems() -> Result<BTreeMap<usize, Vec<Problem>>> {
    let spec = saltus::io::mjcf::read_str(HUMANOID, &Default::default()).context("the built-in humanoid")?;
    let mut model = saltus::compile(&spec).context("the built-in humanoid")?;
    model.options.laws.law = Law::Invertible;
    model.options.timestep = 0.01;
    let mut found: BTreeMap<usize, Vec<Problem>> = BTreeMap::new();
    for run in 0..8 {
        // A larger reach sees more contacts, as the paper's margin of 0.1 m did.
        model.options.laws.reach = [0.01, 0.02, 0.05, 0.1][run % 4];
        let mut data = Data::new(&model);
        data.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = ((i * 7 + run * 13) as f64).sin());
        for k in 0..250 {
            data.input.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = 0.3 * ((i + run + k / 50) as f64).cos());
            saltus::step(&model, &mut data)?;
            let contacts = data.contacts.len();
            let have = found.entry(contacts).or_default();
            if contacts > 0 && contacts <= MOST && have.len() < SAMPLES && k % 3 == 0 {
                have.extend(problem(&model, &data));
            }
        }
    }
    found.retain(|_, list| list.len() >= 2);
    Ok(found)
}

/// The contacts of a state as both solvers see them; nothing if some do not have three rows.
fn problem(model: &saltus::Model, data: &Data) -> Option<Problem> {
    let mut data = data.clone();
    saltus::forward(model, &mut data);
    let (rows, A, v) = problem_of(model, &mut data);
    let mut plain = Plain::default();
    for group in rows.groups() {
        match group.kind {
            Kind::Limit => plain.limits += 1,
            Kind::Contact if group.dim == 3 => plain.mu.push(rows.scale()[group.start as usize + 1]),
            _ => return None,
        }
    }
    plain.R = rows.regularizer().to_vec();
    plain.v_min = rows.bound().to_vec();
    (plain.kappa, plain.slope) = rows.smoothing().map(|s| (s.kappa, s.slope)).unzip();
    let is_simple = plain.mu.iter().all(|mu| *mu > 0.0);
    is_simple.then(|| Problem { rows, plain, A, velocities: vec![v] })
}

pub fn run() -> Result<Reproduction> {
    let found = problems()?;
    ensure!(found.len() >= 6, "the humanoid has only {} different numbers of contacts", found.len());
    let (mut contacts, mut ours, mut dense, mut iterations, mut dense_iterations) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (count, list) in &found {
        let mut sum = [0.0; 4];
        let mut used = 0.0;
        for p in list {
            let Ok(m) = measure(p, 0.01) else { continue };
            used += 1.0;
            let parts = [1e6 / m.per_second, 1e6 / m.dense_per_second, m.iterations, m.dense_iterations];
            sum.iter_mut().zip(parts).for_each(|(s, x)| *s += x);
        }
        if used > 0.0 {
            contacts.push(*count as f64);
            ours.push(sum[0] / used);
            dense.push(sum[1] / used);
            iterations.push(sum[2] / used);
            dense_iterations.push(sum[3] / used);
        }
    }
    // Exponents where the work is more than the overhead of a call.
    let first = contacts.iter().position(|x| *x >= 4.0).unwrap_or(0);
    let growth = |y: &[f64]| power_law(&contacts[first..], &y[first..]);
    let (ours_exponent, dense_exponent) = (growth(&ours), growth(&dense));
    let mut text = String::from("Inverse contact law on contacts of the humanoid\n");
    text += "  contacts   iterations  dense iterations     ours µs    dense µs\n";
    for k in 0..contacts.len() {
        // Writing to a String cannot fail.
        _ = writeln!(
            text,
            "  {:8} {:12.1} {:17.1} {:11.3} {:11.2}",
            contacts[k], iterations[k], dense_iterations[k], ours[k], dense[k]
        );
    }
    _ = writeln!(
        text,
        "  time grows with contacts to the power {ours_exponent:.2} (ours), {dense_exponent:.2} (dense); published: cubic"
    );
    let json = serde_json::json!({
        "contacts": contacts, "iterations": iterations, "dense_iterations": dense_iterations,
        "microseconds": ours, "dense_microseconds": dense,
        "exponent": ours_exponent, "dense_exponent": dense_exponent, "published_exponent": 3.0,
    });
    let panel = |title: &str, array, log| Panel {
        title: title.into(),
        array,
        lines: vec![(0, "ours".to_owned()), (1, "dense".to_owned())],
        x: Axis { array: "contacts", unit: "", log },
        log,
        published: Vec::new(),
    };
    let published = PUBLISHED.map(|(contacts, per_second)| [contacts as f64, 1e6 / per_second]);
    let [most, slowest] = published[published.len() - 1];
    let cubic = contacts.iter().map(|n| [*n, slowest * (n / most).powi(3)]).filter(|p| p[1] > 1.0).collect();
    Ok(Reproduction {
        title: "The inverse against the number of contacts of a humanoid [Todorov 2011, Fig. 4]".into(),
        text,
        json,
        panels: vec![
            panel("Newton iterations (ours: slowest contact) against contacts", "iterations", false)
                .beside("in words: “quite small”", Mark::Words),
            panel("time of an evaluation, µs, against contacts", "microseconds", true)
                .beside("Table 1, Intel QX9650, 3 GHz", Mark::Points(published.to_vec()))
                .beside("cubic, through 20 contacts", Mark::Curve(cubic)),
        ],
        arrays: vec![
            columns("iterations", &[&iterations, &dense_iterations]),
            columns("microseconds", &[&ours, &dense]),
            column("contacts", contacts),
        ],
    })
}
