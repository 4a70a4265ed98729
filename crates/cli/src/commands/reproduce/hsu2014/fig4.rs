//! Fig. 4: warm start of 0, 50 and 100 % in the grasp. Published: 50 % has the least chatter and slip.
//!
//! Where a step leaves the share G of an error of the impulses, the next one starts with β of the impulses and meets the velocities that
//! the error has left: (1 + β) G of it remain. So β = 1 is unstable from G = ½ on, β = ½ from ⅔, and below that more is better.

use super::robot::{self, SETTLED, STEP};
use super::{Curves, Reproduction, mode};
use anyhow::Result;
use saltus::maximal::Options;
use std::fmt::Write;

const SECONDS: f64 = 5.0;
const KEPT_EVERY: usize = 5;

pub fn run() -> Result<Reproduction> {
    let with = |sweeps: u32, beta: f64| {
        let name = format!("{sweeps} sweeps, {:.0} %", 100.0 * beta);
        mode(&name, Options { warm_start: beta, iterations: sweeps, ..Options::default() })
    };
    let mut modes: Vec<_> = [50, 10].into_iter().flat_map(|n| [0.0, 0.5, 1.0].map(|beta| with(n, beta))).collect();
    modes.push(mode("tree", Options::tree()));
    let mut curves = Curves::default();
    let mut text = format!("  a cylinder of 5.39 kg in four fingers, {SECONDS} s in steps of {} ms\n", 1e3 * STEP);
    _ = writeln!(text, "  {:<18} {:>12} {:>22} {:>16}", "", "slip, m", "chatter, m/s (rms)", "joint error, m");
    let mut rows = Vec::new();
    for mode in modes {
        let mut scene = robot::grasp(mode.options)?;
        let (mut slip, mut joints, mut chatter, mut held) = (Vec::new(), 0.0f64, 0.0, 0usize);
        let mut last: Option<f64> = None;
        for _ in 0..(SECONDS / STEP) as usize {
            joints = joints.max(robot::step_grasp(&mut scene)?.joints.distance);
            let now = robot::slip(&scene);
            if let (Some(last), true) = (last, scene.data.state.time > SETTLED) {
                chatter += ((now - last) / STEP).powi(2);
                held += 1;
            }
            last = Some(now);
            slip.push(now);
        }
        let total = slip[slip.len() - 1].abs();
        let chatter = (chatter / held.max(1) as f64).sqrt();
        _ = writeln!(text, "  {:<18} {total:>12.3e} {chatter:>22.3e} {joints:>16.3e}", mode.name);
        rows.push(serde_json::json!({
            "mode": mode.name, "warm_start": mode.options.warm_start, "iterations": mode.options.iterations,
            "slip_m": total, "chatter_m_s": chatter, "joint_error_m": joints,
        }));
        curves.time = (1..=slip.len() / KEPT_EVERY).map(|k| (k * KEPT_EVERY) as f64 * STEP).collect();
        curves.push(&mode.name, slip.iter().skip(KEPT_EVERY - 1).step_by(KEPT_EVERY).copied().collect());
    }
    text += "  published          50 % has less chatter than 0 % and 100 %; 100 % can fail to converge\n";
    let (arrays, panel) = curves.finish("slip", "height of the cylinder relative to the arm, m", false);
    let json = serde_json::json!({ "rows": rows, "timestep": STEP });
    let title = "Warm start in a grasp [Hsu, Peters 2014, Fig. 4]".into();
    Ok(Reproduction { title, text, json, arrays, panels: vec![panel] })
}
