//! Fig. 3: drift of a grasped cylinder (a) and of a foot that stands (b), with and without row order, extra friction sweeps and smoothing.
//! Published: no drift with them. All other modifications are on in both.

use super::robot::{self, SETTLED, STEP};
use super::{Curves, Mode, Reproduction, Scene, mode};
use anyhow::Result;
use saltus::maximal::{Options, Order};
use std::fmt::Write;

const SECONDS: f64 = 8.0;
/// Drift is measured from here on, s: a whole period after the start of the motion.
const FROM: f64 = SETTLED + 2.0;
const KEPT_EVERY: usize = 10;

fn modes() -> [Mode; 4] {
    let without = Options { order: Order::AsMade, friction_sweeps: 0, smoothing: 0.0, ..Options::default() };
    [
        mode("without", without),
        mode("without, random rows", Options { order: Order::Random { seed: 1 }, ..without }),
        mode("with", Options::default()),
        mode("tree", Options::tree()),
    ]
}

pub fn run_a() -> Result<Reproduction> {
    let measure = |options: Options| {
        let mut scene = robot::grasp(options)?;
        series(&mut scene, robot::step_grasp, |scene| Ok(robot::slip(scene)))
    };
    let about = "Drift of a cylinder of 5.39 kg in four fingers, held by friction; the arm moves by ±2 cm";
    report(about, "height of the cylinder relative to the arm, m", measure)
}

pub fn run_b() -> Result<Reproduction> {
    let measure = |options: Options| {
        let mut scene = robot::legs(options)?;
        let start = robot::foot(&scene)?;
        let along = |scene: &Scene| Ok((robot::foot(scene)? - start).truncate().length());
        series(&mut scene, |scene| robot::step_legs(scene, 0.03), along)
    };
    let about = "Drift of the left foot while the weight goes from leg to leg; ratio of inertias at the ankle 9,017";
    report(about, "horizontal position of the left foot relative to its start, m", measure)
}

/// A quantity after each step, and the largest joint error, m.
struct Series {
    values: Vec<f64>,
    joints: f64,
}

fn series(
    scene: &mut Scene,
    mut step: impl FnMut(&mut Scene) -> Result<saltus::maximal::Report>,
    value: impl Fn(&Scene) -> Result<f64>,
) -> Result<Series> {
    let mut series = Series { values: Vec::new(), joints: 0.0 };
    for _ in 0..(SECONDS / STEP) as usize {
        let report = step(scene)?;
        series.joints = series.joints.max(report.joints.distance);
        series.values.push(value(scene)?);
    }
    Ok(series)
}

fn report(about: &str, axis: &str, measure: impl Fn(Options) -> Result<Series>) -> Result<Reproduction> {
    let mut curves = Curves::default();
    let mut text = format!("  {about}; 50 sweeps, {} ms steps, drift from {FROM} s to {SECONDS} s\n", 1e3 * STEP);
    _ = writeln!(text, "  {:<22} {:>14} {:>14} {:>16}", "", "drift, m", "m/s", "joint error, m");
    let mut rows = Vec::new();
    let first = (FROM / STEP) as usize - 1;
    // Whole periods of the motion, so that what is periodic does not count.
    let period = (2.0 / STEP) as usize;
    for mode in modes() {
        let series = measure(mode.options)?;
        let x = &series.values;
        let last = first + (x.len() - 1 - first) / period * period;
        let drift = (x[last] - x[first]).abs();
        let rate = drift / ((last - first) as f64 * STEP);
        _ = writeln!(text, "  {:<22} {drift:>14.3e} {rate:>14.3e} {:>16.3e}", mode.name, series.joints);
        rows.push(serde_json::json!({
            "mode": mode.name, "drift_m": drift, "drift_m_s": rate, "joint_error_m": series.joints,
        }));
        curves.time = (1..=x.len() / KEPT_EVERY).map(|k| (k * KEPT_EVERY) as f64 * STEP).collect();
        curves.push(&mode.name, x.iter().skip(KEPT_EVERY - 1).step_by(KEPT_EVERY).copied().collect());
    }
    text += "  published              drifts without; holds with row order and smoothing\n";
    let (arrays, panel) = curves.finish("drift", axis, false);
    let json = serde_json::json!({ "rows": rows, "iterations": 50, "timestep": STEP });
    let title = format!("{about} [Hsu, Peters 2014, Fig. 3]");
    Ok(Reproduction { title, text, json, arrays, panels: vec![panel] })
}
