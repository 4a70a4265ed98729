//! Fig. 5: real-time factor against the error of bilateral constraints over the number of sweeps,
//! while the robot like Atlas walks dynamically. Published: 50 sweeps are near the best trade-off.

use super::super::column;
use super::Reproduction;
use crate::plot::{Axis, Mark, Panel};
use anyhow::Result;
use saltus::maximal::Options;
use saltus_atlas::{Engine, Scene, published, tree};
use std::fmt::Write;
use std::time::Instant;

const SWEEPS: [u32; 9] = [5, 10, 20, 35, 50, 70, 100, 150, 250];
const STEP: f64 = 1e-3;
/// Five strides: ten steps.
const SECONDS: f64 = 4.3;
/// Sweeps and real-time factors that Section 5.4 gives for Atlas with hands.
const PUBLISHED: [[f64; 2]; 2] = [[50.0, 1.0], [250.0, 0.4]];
/// m/s.
const SPEED: f64 = 0.6;
/// Share of the height of its pelvis below which it has fallen.
const FALLEN: f64 = 0.6;

/// Speed and error of one run.
struct Point {
    mode: String,
    sweeps: Option<u32>,
    /// Simulated time over time, of the engine with its controller, as in a simulator; by the
    /// median step.
    real_time_factor: f64,
    /// The median step of the engine alone.
    step_seconds: f64,
    /// Mean over steps of the largest distance in a joint, m.
    error: f64,
    walks: bool,
}

fn measure(scene: &Scene, mode: String, sweeps: Option<u32>, options: Options) -> Result<Point> {
    let mut run = scene.start(Engine::Maximal(options))?;
    let (mut error, mut times, mut walks) = (0.0, [Vec::new(), Vec::new()], true);
    while walks && run.data.state.time < SECONDS {
        let start = Instant::now();
        run.control();
        times[0].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let outcome = run.advance();
        times[1].push(start.elapsed().as_secs_f64());
        // Divergence is a fall as well.
        walks = outcome.as_ref().is_ok_and(|_| run.data.state.q[2] > FALLEN * scene.plan.motion.q[2]);
        error += outcome.map_or(0.0, |joints| joints.distance);
    }
    let error = error / times[0].len() as f64;
    let [control, step] = times.map(median);
    Ok(Point { mode, sweeps, real_time_factor: STEP / (control + step), step_seconds: step, error, walks })
}

/// Other programs on the machine make some steps slow, not most of them.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The point of those that walk which is farthest from the straight line through the first and the
/// last, in the plane of real-time factor and error with both from 0 to 1: where the curve turns.
fn knee(points: &[Point]) -> Option<u32> {
    let curve: Vec<&Point> = points.iter().filter(|p| p.walks && p.sweeps.is_some()).collect();
    let (from, to) = (curve.first()?, curve.last()?);
    let away = |p: &Point| {
        let x = (p.real_time_factor - to.real_time_factor) / (from.real_time_factor - to.real_time_factor);
        x - (p.error - to.error) / (from.error - to.error)
    };
    curve.iter().max_by(|a, b| away(a).total_cmp(&away(b)))?.sweeps
}

pub fn run() -> Result<Reproduction> {
    let scene = Scene::walking(SPEED)?;
    let mut points = Vec::new();
    for n in SWEEPS {
        let options = Options { iterations: n, ..published() };
        points.push(measure(&scene, format!("{n} sweeps"), Some(n), options)?);
    }
    points.push(measure(&scene, "tree".into(), None, tree())?);
    let knee = knee(&points);
    let mut text = format!(
        "  the robot like Atlas, with hands, walks at {SPEED} m/s for {SECONDS} s (ten steps), {} ms steps, one thread\n",
        1e3 * STEP
    );
    _ = writeln!(text, "  {:<12} {:>18} {:>14} {:>24}", "", "real-time factor", "µs per step", "mean joint error, m");
    for p in &points {
        let note = if p.walks { "" } else { "  falls" };
        let step = 1e6 * p.step_seconds;
        _ = writeln!(text, "  {:<12} {:>18.2} {step:>14.0} {:>24.3e}{note}", p.mode, p.real_time_factor, p.error);
    }
    if let Some(n) = knee {
        _ = writeln!(
            text,
            "  the curve turns at {n} sweeps (farthest from the line through its ends, of those that walk)"
        );
    }
    text +=
        "  published    at 50 sweeps near the best trade-off of error and speed; about real time at 50, 0.4 at 250\n";
    let rows: Vec<_> = points
        .iter()
        .map(|p| {
            serde_json::json!({
                "mode": p.mode, "iterations": p.sweeps, "real_time_factor": p.real_time_factor, "joint_error_m": p.error,
                "microseconds_per_step": 1e6 * p.step_seconds, "walks": p.walks,
            })
        })
        .collect();
    let curve: Vec<&Point> = points.iter().filter(|p| p.walks && p.sweeps.is_some()).collect();
    let panel = |title: &str, array, x, log| Panel {
        title: title.into(),
        array,
        lines: vec![(0, String::new())],
        x: Axis { array: x, unit: "", log },
        log,
        published: Vec::new(),
    };
    Ok(Reproduction {
        title: "Speed against joint error over sweeps, walking [Hsu, Peters 2014, Fig. 5]".into(),
        text,
        json: serde_json::json!({ "rows": rows, "knee_iterations": knee, "published_iterations": 50, "timestep": STEP }),
        panels: vec![
            panel("mean joint error, m, against real-time factor", "joint_error", "real_time_factor", false)
                .beside("in words: 50 sweeps near the best trade-off", Mark::Words),
            panel("mean joint error, m, against sweeps", "joint_error", "sweeps", true)
                .beside("near the best trade-off", Mark::Moment(50.0)),
            panel("real-time factor, against sweeps", "real_time_factor", "sweeps", true)
                .beside("about real time at 50 sweeps, 0.4 at 250 (Intel i7)", Mark::Points(PUBLISHED.to_vec())),
        ],
        arrays: vec![
            column("sweeps", curve.iter().filter_map(|p| p.sweeps).map(f64::from).collect()),
            column("real_time_factor", curve.iter().map(|p| p.real_time_factor).collect()),
            column("joint_error", curve.iter().map(|p| p.error).collect()),
        ],
    })
}
