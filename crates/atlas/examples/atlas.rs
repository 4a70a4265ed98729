//! The robot like Atlas stands, holds a cylinder or walks, in maximal coordinates or under a law:
//! `cargo run --release -p saltus-atlas --example atlas -- stand|grasp|walk [tree|published|plain|LAW] [SECONDS]`.

use saltus::maximal::Options;
use saltus::sim::options::law::Law;
use saltus_atlas::{Engine, OBJECT, Scene, published};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().ok_or("stand, grasp or walk?")?;
    let mode = arguments.next().unwrap_or_else(|| "tree".to_owned());
    let seconds: f64 = arguments.next().map_or(Ok(10.0), |s| s.parse())?;
    let engine = match mode.as_str() {
        "tree" => Engine::Maximal(Options::tree()),
        "published" => Engine::Maximal(published()),
        "plain" => Engine::Maximal(Options::plain()),
        law => Engine::Law(Law::NAMES.iter().find(|(name, _)| *name == law).ok_or("no such engine")?.1),
    };
    let (scene, watched) = match what.as_str() {
        "stand" => (Scene::standing()?, "left_foot"),
        "grasp" => (Scene::grasping()?, OBJECT),
        "walk" => (Scene::walking(0.6)?, "pelvis"),
        other => return Err(format!("stand, grasp or walk, not {other}").into()),
    };
    let mut run = scene.start(engine)?;
    let (mut control, mut step, mut joints, mut told) = (0.0, 0.0, 0.0f64, 0.0);
    println!("{:>8} {:>42} {:>12} {:>12}", "time, s", format!("{watched}, m"), "pelvis, m", "joints, m");
    while run.data.state.time < seconds {
        let start = Instant::now();
        run.control();
        control += start.elapsed().as_secs_f64();
        let start = Instant::now();
        joints = joints.max(run.advance()?.distance);
        step += start.elapsed().as_secs_f64();
        if run.data.state.time >= told {
            let p = run.centre(watched)?;
            let z = run.centre("pelvis")?.z;
            println!("{:>8.2} {:>14.9}{:>14.9}{:>14.9} {z:>12.6} {joints:>12.2e}", run.data.state.time, p.x, p.y, p.z);
            told += (seconds / 20.0).max(0.1);
        }
    }
    let steps = seconds / run.model.options.timestep;
    println!("{:.1} µs per step, {:.1} µs for control", 1e6 * step / steps, 1e6 * control / steps);
    Ok(())
}
