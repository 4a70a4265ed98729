//! Fig. 5: speed against the error of bilateral constraints over the number of sweeps. Published for Atlas that walks: 50 sweeps are near the best
//! trade-off. Ours are legs with its ankles that shift their weight.

use super::super::column;
use super::Reproduction;
use super::robot::{self, STEP};
use crate::plot::{Axis, Panel};
use crate::table::Array;
use anyhow::Result;
use saltus::maximal::Options;
use std::fmt::Write;
use std::time::Instant;

const SWEEPS: [u32; 8] = [5, 10, 20, 35, 50, 100, 200, 500];
const SECONDS: f64 = 4.0;

/// Speed and error of one run.
struct Point {
    mode: String,
    sweeps: Option<u32>,
    real_time_factor: f64,
    error: f64,
    diverged: bool,
}

fn measure(mode: String, sweeps: Option<u32>, options: Options) -> Result<Point> {
    let mut scene = robot::legs(options)?;
    let steps = (SECONDS / STEP) as usize;
    let (mut error, mut seconds, mut diverged) = (0.0, 0.0, false);
    for _ in 0..steps {
        let start = Instant::now();
        let outcome = robot::step_legs(&mut scene, 0.05);
        seconds += start.elapsed().as_secs_f64();
        match outcome {
            Ok(report) => error += report.joints.distance / steps as f64,
            Err(_) => {
                diverged = true;
                break;
            }
        }
    }
    Ok(Point { mode, sweeps, real_time_factor: scene.data.state.time / seconds, error, diverged })
}

pub fn run() -> Result<Reproduction> {
    let mut points = Vec::new();
    for n in SWEEPS {
        points.push(measure(format!("{n} sweeps"), Some(n), Options { iterations: n, ..Options::default() })?);
    }
    points.push(measure("tree".into(), None, Options::tree())?);
    let mut text = format!("  legs that shift their weight, {SECONDS} s in steps of {} ms, one thread\n", 1e3 * STEP);
    _ = writeln!(text, "  {:<12} {:>18} {:>26}", "", "real-time factor", "joint error, mean, m");
    for p in &points {
        let note = if p.diverged { "  diverged" } else { "" };
        _ = writeln!(text, "  {:<12} {:>18.1} {:>26.3e}{note}", p.mode, p.real_time_factor, p.error);
    }
    text += "  published    at 50 sweeps near the best trade-off of error and speed (Atlas with hands, walking)\n";
    let rows: Vec<_> = points
        .iter()
        .map(|p| {
            serde_json::json!({
                "mode": p.mode, "iterations": p.sweeps, "real_time_factor": p.real_time_factor, "joint_error_m": p.error,
                "diverged": p.diverged,
            })
        })
        .collect();
    let swept = || points.iter().filter(|p| p.sweeps.is_some());
    let panel = |title: &str, array, log| Panel {
        title: title.into(),
        array,
        lines: vec![(0, String::new())],
        x: Axis { array: "sweeps", unit: "", log: true },
        log,
    };
    Ok(Reproduction {
        title: "Speed against joint error over sweeps [Hsu, Peters 2014, Fig. 5]".into(),
        text,
        json: serde_json::json!({ "rows": rows, "published_iterations": 50, "timestep": STEP }),
        panels: vec![
            panel("real-time factor against sweeps", "real_time_factor", false),
            panel("mean joint error, m, against sweeps", "joint_error", true),
        ],
        arrays: vec![
            column("sweeps", SWEEPS.iter().map(|n| f64::from(*n)).collect()),
            Array { values: swept().map(|p| p.real_time_factor).collect(), ..Array::vector("real_time_factor") },
            Array { values: swept().map(|p| p.error).collect(), ..Array::vector("joint_error") },
        ],
    })
}
