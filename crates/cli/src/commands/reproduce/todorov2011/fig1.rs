//! Fig. 1 of \[Todorov2011\]: d_V and d̄_V for q = 7 and four κ.

use super::super::{Reproduction, column};
use super::columns;
use crate::plot::{Axis, Mark, Panel};
use anyhow::{Result, ensure};
use saltus::sim::law::invertible::barrier;
use std::fmt::Write;

const SLOPE: f64 = 7.0;
const KAPPA: [f64; 4] = [0.1, 0.5, 1.0, 2.0];

/// Points of the published formula (25): −κ log s from s0 = κ/q on, below it the parabola with the
/// same value, slope and curvature at s0.
fn formula(kappa: f64) -> Vec<[f64; 2]> {
    let s0 = kappa / SLOPE;
    let (a0, a1) = (0.5 * kappa / (s0 * s0), -2.0 * kappa / s0);
    let a2 = -kappa * s0.ln() - a0 * s0 * s0 - a1 * s0;
    let value = |s: f64| if s >= s0 { -kappa * s.ln() } else { (a0 * s + a1) * s + a2 };
    (0..=22).map(|k| f64::from(k) * 0.05 - 0.1).map(|s| [s, value(s)]).collect()
}

pub fn run() -> Result<Reproduction> {
    let s: Vec<f64> = (-40..=400).map(|k| k as f64 * 0.0025).collect();
    let mut curves: Vec<Vec<f64>> = Vec::new();
    let mut text = String::from("Barriers of velocities, slope q = 7 where the parabola begins at s0 = κ/q:\n");
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for kappa in KAPPA {
        let plain: Vec<f64> = s.iter().map(|&s| if s > 0.0 { barrier::log(s, kappa)[0] } else { f64::NAN }).collect();
        let elastic: Vec<f64> = s.iter().map(|&s| barrier::elastic(s, kappa, SLOPE)[0]).collect();
        lines.push((curves.len(), format!("elastic, {kappa}")));
        lines.push((curves.len() + 1, format!("log, {kappa}")));
        let s0 = kappa / SLOPE;
        let [below, above] = [s0 * (1.0 - 1e-9), s0 * (1.0 + 1e-9)].map(|s| barrier::elastic(s, kappa, SLOPE));
        let jump = (0..3).map(|k| (above[k] - below[k]).abs() / above[k].abs().max(kappa)).fold(0.0, f64::max);
        ensure!(jump < 1e-7, "d̄_V for κ = {kappa} is not twice continuous at s0: {jump:e}");
        let differs = |[s, d]: [f64; 2]| (barrier::elastic(s, kappa, SLOPE)[0] - d).abs() / d.abs().max(kappa);
        let away = formula(kappa).into_iter().map(differs).fold(0.0, f64::max);
        ensure!(away < 1e-12, "d̄_V for κ = {kappa} is not that of (25): {away:e}");
        // Writing to a String cannot fail.
        _ = writeln!(text, "  κ = {kappa:<4} s0 = {s0:.4}, value, slope and curvature continuous to {jump:.0e}");
        rows.push(serde_json::json!({ "kappa": kappa, "s0": s0, "jump": jump }));
        curves.extend([elastic, plain]);
    }
    let panel = Panel {
        title: "barrier, J, against s = v − v_min, m/s, for κ = 0.1, 0.5, 1, 2".into(),
        array: "d",
        lines,
        x: Axis { array: "s", unit: "", log: false },
        log: false,
        published: Vec::new(),
    }
    .beside("formula (25)", Mark::Points(KAPPA.iter().flat_map(|kappa| formula(*kappa)).collect()));
    let all: Vec<&[f64]> = curves.iter().map(Vec::as_slice).collect();
    let arrays = vec![columns("d", &all), column("s", s.clone())];
    Ok(Reproduction {
        title: "Barriers of velocities, q = 7 [Todorov 2011, Fig. 1]".into(),
        text,
        json: serde_json::json!({ "q": SLOPE, "rows": rows }),
        arrays,
        panels: vec![panel],
    })
}
