//! Fig. 2: a double pendulum whose lower link has thousands of times the inertia of the upper one,
//! pulled out of the plane of its hinges. Published, at a ratio above 6000, 50 iterations, 1 ms:
//! full revolutions out of the plane; within 0.001 rad with inertia ratio reduction.

use super::{Curves, Mode, Reproduction, Scene, mode};
use crate::plot::Mark;
use anyhow::Result;
use saltus::math::{Vec3, real};
use saltus::maximal::Options;
use std::fmt::Write;
use std::time::Instant;

/// Ratios of all curves, and further ones of exact joints.
const RATIOS: [f64; 2] = [3125.0, 6250.0];
const FURTHER: [f64; 2] = [9017.0, 1e6];
/// Published bound of the rotation with inertia ratio reduction, rad.
const PUBLISHED: f64 = 1e-3;
const SECONDS: f64 = 10.0;
const STEP: f64 = 1e-3;

fn modes() -> [Mode; 3] {
    [
        mode("plain", Options::plain()),
        mode("inertia reduction", Options { inertia_reduction: 0.5, ..Options::plain() }),
        mode("tree", Options::tree()),
    ]
}

/// Boxes of density 2700 with edges 1 : 1 : 10, the upper one 1 cm wide; moments go with the fifth
/// power of size.
fn pendulum(ratio: f64) -> String {
    let (a, b) = (0.01, 0.01 * ratio.powf(0.2));
    let link = |edge: f64| format!(r#"<geom size="{0} {0} {1}" pos="0 0 -{1}"/>"#, edge / 2.0, 5.0 * edge);
    format!(
        r#"<mujoco model="double pendulum"><compiler angle="radian"/><option timestep="{STEP}" gravity="1 0 -9.81"/>
        <default><geom density="2700" type="box" contype="0" conaffinity="0"/><joint axis="1 0 0"/></default><worldbody>
        <body pos="0 0 1" euler="{angle} 0 0"><joint name="upper"/>{}
        <body pos="0 0 -{}" euler="{angle} 0 0"><joint name="lower"/>{}</body></body></worldbody></mujoco>"#,
        link(a),
        10.0 * a,
        link(b),
        angle = real::PI / 4.0
    )
}

/// Largest angle between the hinge axis as a link sees it and as it should be.
fn out_of_plane(scene: &Scene) -> f64 {
    let bodies = scene.simulation.bodies();
    let angle = |quat: &saltus::math::Quat| {
        let axis = quat.rotate(Vec3::X);
        real::atan2(axis.cross(Vec3::X).length(), axis.dot(Vec3::X))
    };
    bodies.quat[1..].iter().map(angle).fold(0.0, f64::max)
}

pub fn run() -> Result<Reproduction> {
    let steps = (SECONDS / STEP) as usize;
    let mut curves = Curves { time: (1..=steps).map(|k| k as f64 * STEP).collect(), ..Curves::default() };
    let mut text =
        format!("  {SECONDS} s in steps of {} ms, 50 sweeps, ERP 0.2; 1 m/s² along the hinges\n", 1e3 * STEP);
    _ = writeln!(
        text,
        "  {:>7} {:<20} {:>18} {:>16} {:>14}",
        "ratio", "", "out of plane, rad", "joint error, m", "µs per step"
    );
    let mut rows = Vec::new();
    for ratio in RATIOS.into_iter().chain(FURTHER) {
        for mode in modes().into_iter().filter(|mode| RATIOS.contains(&ratio) || mode.name == "tree") {
            let mut scene = Scene::new(&pendulum(ratio), mode.options)?;
            let (mut angle, mut worst, mut apart) = (Vec::with_capacity(steps), 0.0f64, 0.0f64);
            let mut seconds = 0.0;
            for _ in 0..steps {
                let start = Instant::now();
                let report = scene.step()?;
                seconds += start.elapsed().as_secs_f64();
                let out = out_of_plane(&scene);
                worst = worst.max(out);
                apart = apart.max(report.joints.distance);
                angle.push(out.max(1e-17));
            }
            let time = 1e6 * seconds / steps as f64;
            _ = writeln!(text, "  {ratio:>7} {:<20} {worst:>18.3e} {apart:>16.3e} {time:>14.1}", mode.name);
            rows.push(serde_json::json!({
                "mode": mode.name, "ratio": ratio, "out_of_plane_rad": worst, "joint_error_m": apart, "microseconds_per_step": time,
            }));
            curves.push(&format!("{} {ratio}", mode.name), angle);
        }
    }
    text += "  published, ratio above 6000: full revolutions; within 0.001 rad with inertia ratio reduction\n";
    let (arrays, panel) = curves.finish("out_of_plane", "rotation out of the plane of the hinges, rad", true);
    let panel = panel
        .beside("full revolutions, plain, ratio above 6000", Mark::Level(core::f64::consts::TAU))
        .beside("within this with inertia reduction", Mark::Level(PUBLISHED));
    let json = serde_json::json!({ "rows": rows, "published_out_of_plane_rad": PUBLISHED, "iterations": 50, "timestep": STEP });
    let title = "Double pendulum with a high ratio of inertias [Hsu, Peters 2014, Fig. 2]".into();
    Ok(Reproduction { title, text, json, arrays, panels: vec![panel] })
}
