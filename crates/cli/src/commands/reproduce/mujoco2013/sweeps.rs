//! §2.5.3: "in the present context Gauss–Seidel needs surprisingly few iterations – we usually use
//! 5". The humanoid falls, lies and kicks; at many of its states the impulse problem is solved from
//! zero, sweep by sweep, and compared with the optimum that Newton's method finds.

use super::super::{Reproduction, column};
use super::model;
use crate::control::Control;
use crate::plot::{Axis, Mark, Panel};
use anyhow::{Result, anyhow};
use saltus::Data;
use saltus::shipped::HUMANOID;
use saltus::sim::law::impulse::study_sweeps;
use saltus::store::table::Array;
use std::fmt::Write;

const SWEEPS: usize = 50;
const STATES: usize = 100;

pub fn run() -> Result<Reproduction> {
    let mut model = model(HUMANOID)?;
    (model.options.tolerance, model.options.laws.impulse.iterations) = (1e-14, 500.0);
    let mut data = Data::new(&model);
    let mut control = Control::parse(Some("random"), 7, &model)?;
    // Rows: sweeps. Errors of the next velocity relative to what the impulses change it by: mean
    // and worst of the states.
    let mut errors = vec![Vec::new(); SWEEPS];
    let (mut contacts, mut step) = (0, 0);
    while errors[0].len() < STATES {
        control.apply(step, &model, &mut data);
        saltus::step(&model, &mut data).map_err(|e| anyhow!("{e}"))?;
        step += 1;
        if step % 10 != 0 || data.constraints.is_empty() {
            continue;
        }
        saltus::forward(&model, &mut data);
        let h = model.options.timestep;
        let (v, a) = (&data.state.v, &data.acceleration);
        let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
        let scale = h * norm(&mut a.a.iter().zip(&a.a_smooth).map(|(a, b)| a - b));
        if scale < 1e-9 {
            continue;
        }
        contacts += data.contacts.len();
        for (k, sweep) in study_sweeps(&model, &data, SWEEPS).iter().enumerate() {
            let best = v.iter().zip(&a.a).map(|(v, a)| v + h * a);
            errors[k].push(norm(&mut sweep.v_next.iter().zip(best).map(|(x, y)| x - y)) / scale);
        }
    }
    let mean: Vec<f64> = errors.iter().map(|e| e.iter().sum::<f64>() / e.len() as f64).collect();
    let worst: Vec<f64> = errors.iter().map(|e| e.iter().fold(0.0, |a: f64, b| a.max(*b))).collect();
    let contacts = contacts as f64 / STATES as f64;
    let mut text =
        format!("  {STATES} states of the humanoid, {contacts:.1} contacts on average; from zero, no warm start\n");
    _ = writeln!(text, "  {:>7} {:>24} {:>12}", "sweeps", "error of v', mean", "worst");
    for k in [1, 2, 3, 5, 10, 20, 50] {
        let claim = if k == 5 { "  ← the manual's usual number" } else { "" };
        _ = writeln!(text, "  {k:>7} {:>24.2e} {:>12.2e}{claim}", mean[k - 1], worst[k - 1]);
    }
    _ = writeln!(text, "  errors are relative to the change of velocity by all impulses");
    let rows: Vec<_> = (0..SWEEPS)
        .map(|k| serde_json::json!({ "sweeps": k + 1, "error_mean": mean[k], "error_worst": worst[k] }))
        .collect();
    let values = mean.iter().zip(&worst).flat_map(|(a, b)| [*a, *b]).collect();
    Ok(Reproduction {
        title: "Cone-projected Gauss–Seidel on the humanoid".into(),
        text,
        json: serde_json::json!({ "rows": rows, "contacts_mean": contacts, "states": STATES, "published_sweeps": 5 }),
        panels: vec![
            Panel {
                title: "error of the next velocity, relative to what the impulses change, against sweeps".into(),
                array: "error",
                lines: vec![(0, "mean".into()), (1, "worst".into())],
                x: Axis { array: "sweeps", unit: "", log: false },
                log: true,
                published: Vec::new(),
            }
            .beside("“we usually use 5”", Mark::Moment(5.0)),
        ],
        arrays: vec![
            column("sweeps", (1..=SWEEPS).map(|k| k as f64).collect()),
            Array { values, ..Array::matrix("error", 2) },
        ],
    })
}
