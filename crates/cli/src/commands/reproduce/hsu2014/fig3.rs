//! Fig. 3: drift of a grasped cylinder (a) and of a foot that stands (b), with and without row
//! order, extra friction sweeps and smoothing. Published: no drift with them. All other
//! modifications are on in both.

use super::{Curves, Mode, Reproduction, mode};
use crate::plot::Mark;
use anyhow::Result;
use saltus::math::Vec3;
use saltus::maximal::{Options, Order};
use saltus_atlas::{ALPHA, Engine, Error, Run, Scene, published, tree};
use std::fmt::Write;

const STEP: f64 = 1e-3;
const SECONDS: f64 = 6.0;
/// Drift is measured from here on, s: the robot has settled.
const FROM: f64 = 2.0;
const KEPT_EVERY: usize = 10;

fn modes() -> [Mode; 5] {
    let without = Options { order: Order::AsMade, friction_sweeps: 0, smoothing: 0.0, ..published() };
    [
        mode("without", without),
        mode("without, random rows", Options { order: Order::Random { seed: 1 }, ..without }),
        mode("with", published()),
        mode("with, alpha 0.5", Options { inertia_reduction: 0.5, ..published() }),
        mode("tree", tree()),
    ]
}

/// One of the two pictures.
struct Figure {
    about: &'static str,
    axis: &'static str,
    scene: Scene,
    /// What drifts.
    place: fn(&Run<'_>) -> Result<Vec3, Error>,
}

pub fn run_a() -> Result<Reproduction> {
    run(&Figure {
        about: "Drift of a cylinder of 5.39 kg in the hand of the robot like Atlas, held by friction",
        axis: "distance of the cylinder in the hand from its start, m",
        scene: Scene::grasping()?,
        place: |run| run.in_hand(),
    })
}

pub fn run_b() -> Result<Reproduction> {
    run(&Figure {
        about: "Drift of the left foot of the robot like Atlas, which stands under balance control",
        axis: "horizontal distance of the left foot from its start, m",
        scene: Scene::standing()?,
        place: |run| Ok(run.centre("left_foot")?.with_z(0.0)),
    })
}

/// Places after each step, and the mean joint error, m.
struct Series {
    places: Vec<Vec3>,
    joints: f64,
}

fn measure(figure: &Figure, options: Options) -> Result<Series> {
    let mut run = figure.scene.start(Engine::Maximal(options))?;
    let steps = (SECONDS / STEP).round() as usize;
    let mut series = Series { places: Vec::with_capacity(steps), joints: 0.0 };
    for _ in 0..steps {
        series.joints += run.step()?.distance / steps as f64;
        series.places.push((figure.place)(&run)?);
    }
    Ok(series)
}

fn run(figure: &Figure) -> Result<Reproduction> {
    let mut curves = Curves::default();
    let mut text =
        format!("  {}; 50 sweeps, {} ms steps, drift from {FROM} s to {SECONDS} s\n", figure.about, 1e3 * STEP);
    _ = writeln!(text, "  {:<22} {:>14} {:>14} {:>22}", "", "drift, m", "m/s", "mean joint error, m");
    let mut rows = Vec::new();
    let first = (FROM / STEP).round() as usize - 1;
    for mode in modes() {
        let Series { places, joints } = measure(figure, mode.options)?;
        let drift = (places[places.len() - 1] - places[first]).length();
        let rate = drift / (SECONDS - FROM);
        _ = writeln!(text, "  {:<22} {drift:>14.3e} {rate:>14.3e} {joints:>22.3e}", mode.name);
        rows.push(serde_json::json!({
            "mode": mode.name, "drift_m": drift, "drift_m_s": rate, "joint_error_m": joints,
            "inertia_reduction": mode.options.inertia_reduction,
        }));
        curves.time = (1..=places.len() / KEPT_EVERY).map(|k| (k * KEPT_EVERY) as f64 * STEP).collect();
        let kept = places.iter().skip(KEPT_EVERY - 1).step_by(KEPT_EVERY);
        curves.push(&mode.name, kept.map(|p| (*p - places[0]).length()).collect());
    }
    text += "  published              drifts without; holds with row order and smoothing\n";
    let (arrays, panel) = curves.finish("drift", figure.axis, false);
    let panel = panel.beside("holds, with row order and smoothing", Mark::Level(0.0));
    let json = serde_json::json!({ "rows": rows, "iterations": 50, "timestep": STEP, "inertia_reduction": ALPHA });
    let title = format!("{} [Hsu, Peters 2014, Fig. 3]", figure.about);
    Ok(Reproduction { title, text, json, arrays, panels: vec![panel] })
}
