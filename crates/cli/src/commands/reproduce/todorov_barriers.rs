//! Fig. 1 of [Todorov2011]: d_V and d̄_V for q = 7 and four κ.

use super::{Args, Outcome, column};
use crate::plot::chart::{Chart, Line};
use anyhow::{Result, ensure};
use saltus::sim::law::invertible::barrier;
use std::fmt::Write;

const SLOPE: f64 = 7.0;
const KAPPA: [f64; 4] = [0.1, 0.5, 1.0, 2.0];

pub fn run(_args: &Args) -> Result<Outcome> {
    let s: Vec<f64> = (-100..=400).map(|k| k as f64 * 0.0025).collect();
    let mut charts = Vec::new();
    let mut table = vec![column("s", s.iter().copied())];
    let mut text = String::from("Barriers of velocities, slope q = 7 where the parabola begins at s0 = κ/q:\n");
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for kappa in KAPPA {
        let plain: Vec<f64> = s.iter().map(|&s| if s > 0.0 { barrier::log(s, kappa)[0] } else { f64::NAN }).collect();
        let elastic: Vec<f64> = s.iter().map(|&s| barrier::elastic(s, kappa, SLOPE)[0]).collect();
        let pairs = |y: &[f64]| s.iter().copied().zip(y.iter().copied()).collect::<Vec<_>>();
        lines.push(Line::new(format!("elastic, κ = {kappa}"), pairs(&elastic)));
        lines.push(Line::new(format!("log, κ = {kappa}"), pairs(&plain)));
        let s0 = kappa / SLOPE;
        let [below, above] = [s0 * (1.0 - 1e-9), s0 * (1.0 + 1e-9)].map(|s| barrier::elastic(s, kappa, SLOPE));
        let jump = (0..3).map(|k| (above[k] - below[k]).abs() / above[k].abs().max(kappa)).fold(0.0, f64::max);
        ensure!(jump < 1e-7, "d̄_V for κ = {kappa} is not twice continuous at s0: {jump:e}");
        // Writing to a String cannot fail.
        _ = writeln!(text, "  κ = {kappa:<4} s0 = {s0:.4}, value, slope and curvature continuous to {jump:.0e}");
        rows.push(serde_json::json!({ "kappa": kappa, "s0": s0, "jump": jump }));
        table.push(column(&format!("d_V_kappa_{kappa}"), plain));
        table.push(column(&format!("d_V_elastic_kappa_{kappa}"), elastic));
    }
    charts.push(Chart {
        title: "d_V and its elastic form against s = v − v_min".into(),
        x_name: "s, m/s".into(),
        lines,
        y_range: Some((-1.0, 7.0)),
        ..Chart::default()
    });
    let title = "Barriers of velocities, q = 7 [Todorov 2011, Fig. 1]".into();
    Ok(Outcome { title, charts, table, json: serde_json::json!({ "q": SLOPE, "rows": rows }), text })
}
