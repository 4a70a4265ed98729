//! Fig. 4: warm start of 0, 50 and 100 % while the robot like Atlas holds a cylinder. Published: 50
//! % has the least chatter and slip.
//!
//! Where a step leaves the share G of an error of the impulses, the next one starts with β of the
//! impulses and meets the velocities that the error has left: (1 + β) G of it remain. So β = 1 is
//! unstable from G = ½ on, β = ½ from ⅔, and below that more is better. G of 50 sweeps is that
//! large with the robot's own inertias (ratios of 9,017), not where they are reduced: both are
//! shown.

use super::{Curves, Reproduction, mode};
use crate::plot::Mark;
use anyhow::Result;
use saltus::math::Vec3;
use saltus::maximal::Options;
use saltus_atlas::{ALPHA, Engine, Scene, published, tree};
use std::fmt::Write;

const STEP: f64 = 1e-3;
const SECONDS: f64 = 6.0;
/// Chatter and slip are measured from here on, s.
const FROM: f64 = 2.0;
const KEPT_EVERY: usize = 5;

pub fn run() -> Result<Reproduction> {
    let with = |alpha: f64, beta: f64| {
        let name = format!("{:.0} %, alpha {alpha}", 100.0 * beta);
        mode(&name, Options { warm_start: beta, inertia_reduction: alpha, ..published() })
    };
    let shares = [0.0, 0.5, 1.0];
    let mut modes: Vec<_> = [0.0, ALPHA].into_iter().flat_map(|alpha| shares.map(|beta| with(alpha, beta))).collect();
    modes.push(mode("tree", tree()));
    let scene = Scene::grasping()?;
    let (first, steps) = ((FROM / STEP).round() as usize, (SECONDS / STEP).round() as usize);
    let mut curves = Curves {
        time: (1..=steps / KEPT_EVERY).map(|k| (k * KEPT_EVERY) as f64 * STEP).collect(),
        ..Curves::default()
    };
    let mut text = format!(
        "  a cylinder of 5.39 kg in the hand of the robot like Atlas, 50 sweeps, {} ms steps; from {FROM} s to {SECONDS} s\n",
        1e3 * STEP
    );
    _ = writeln!(text, "  {:<18} {:>12} {:>22} {:>22}", "", "slip, m", "chatter, m/s (rms)", "mean joint error, m");
    let mut rows = Vec::new();
    for mode in modes {
        let mut run = scene.start(Engine::Maximal(mode.options))?;
        let (mut places, mut joints): (Vec<Vec3>, f64) = (Vec::with_capacity(steps), 0.0);
        for _ in 0..steps {
            joints += run.step()?.distance / steps as f64;
            places.push(run.in_hand()?);
        }
        let slip = (places[steps - 1] - places[first]).length();
        let moved = places[first..].windows(2).map(|p| (p[1] - p[0]).length_squared()).sum::<f64>();
        let chatter = (moved / (steps - 1 - first) as f64).sqrt() / STEP;
        _ = writeln!(text, "  {:<18} {slip:>12.3e} {chatter:>22.3e} {joints:>22.3e}", mode.name);
        rows.push(serde_json::json!({
            "mode": mode.name, "warm_start": mode.options.warm_start, "inertia_reduction": mode.options.inertia_reduction,
            "iterations": mode.options.iterations, "slip_m": slip, "chatter_m_s": chatter, "joint_error_m": joints,
        }));
        // Along the axis of the cylinder, which is upright: x of the palm.
        let kept = places.iter().skip(KEPT_EVERY - 1).step_by(KEPT_EVERY);
        curves.push(&mode.name, kept.map(|p| p.x - places[0].x).collect());
    }
    text += "  published          50 % has less chatter than 0 % and 100 %; 100 % can fail to converge\n";
    let (arrays, panel) = curves.finish("slip", "height of the cylinder in the hand relative to its start, m", false);
    let panel = panel.beside("in words: 50 % has the least chatter and slip", Mark::Words);
    let json = serde_json::json!({ "rows": rows, "timestep": STEP });
    let title = "Warm start in a grasp [Hsu, Peters 2014, Fig. 4]".into();
    Ok(Reproduction { title, text, json, arrays, panels: vec![panel] })
}
