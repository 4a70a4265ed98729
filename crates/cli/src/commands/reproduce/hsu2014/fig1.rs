//! Fig. 1: a box that starts a centimetre deep in the floor (a), and one that falls on it (b), with
//! and without position projection, ERP = 1. Published: with projection the box comes to rest
//! without gaining energy; without, it is thrown up.

use super::{Curves, Mode, Reproduction, Scene, mode};
use crate::plot::Mark;
use anyhow::Result;
use saltus::maximal::Options;
use std::fmt::Write;

/// Half the edge of the box, m; its mass is 1 kg.
const HALF: f64 = 0.1;
const STEP: f64 = 1e-3;
const GRAVITY: f64 = 9.81;

/// One of the two pictures.
struct Figure {
    title: &'static str,
    /// Height of the box's underside at the start, m.
    start: f64,
    seconds: f64,
}

pub fn run_a() -> Result<Reproduction> {
    run(&Figure { title: "A box 1 cm deep in the floor", start: -0.01, seconds: 3.0 })
}

pub fn run_b() -> Result<Reproduction> {
    run(&Figure { title: "An inelastic impact: a box falls 20 cm", start: 0.2, seconds: 2.0 })
}

fn modes() -> [Mode; 3] {
    [
        mode("without projection", Options { erp: 1.0, ..Options::plain() }),
        mode("split impulse", Options { erp: 1.0, split_impulse: true, ..Options::plain() }),
        mode("tree", Options { erp: 1.0, ..Options::tree() }),
    ]
}

fn run(figure: &Figure) -> Result<Reproduction> {
    let xml = format!(
        r#"<mujoco model="box"><option timestep="{STEP}" gravity="0 0 -{GRAVITY}"/><worldbody><geom type="plane" size="5 5 1"/>
        <body pos="0 0 {}"><freejoint/><geom type="box" size="{HALF} {HALF} {HALF}" mass="1"/></body></worldbody></mujoco>"#,
        HALF + figure.start
    );
    let steps = (figure.seconds / STEP) as usize;
    let (mut heights, mut velocities) = (Curves::default(), Curves::default());
    let mut text = format!("  {} kg, ERP = 1, {} ms steps; after the first contact:\n", 1, 1e3 * STEP);
    _ = writeln!(
        text,
        "  {:<20} {:>16} {:>14} {:>18} {:>12}",
        "", "fastest up, m/s", "rebound, m", "kinetic added, J", "rest, mm"
    );
    let mut rows = Vec::new();
    for mode in modes() {
        let mut scene = Scene::new(&xml, mode.options)?;
        let (mut height, mut velocity) = (Vec::new(), Vec::new());
        let (mut fastest, mut rebound, mut touched) = (0.0f64, 0.0f64, false);
        for _ in 0..steps {
            scene.step()?;
            touched |= !scene.data.contacts.is_empty();
            height.push(scene.data.state.q[2] - HALF);
            velocity.push(scene.data.state.v[2]);
            if touched {
                fastest = fastest.max(scene.data.state.v[2]);
                rebound = rebound.max(scene.data.state.q[2] - HALF);
            }
        }
        let (rest, added) = (height[steps - 1], 0.5 * fastest * fastest);
        _ = writeln!(text, "  {:<20} {fastest:>16.3e} {rebound:>14.3e} {added:>18.3e} {:>12.4}", mode.name, 1e3 * rest);
        rows.push(serde_json::json!({
            "mode": mode.name, "fastest_up_m_s": fastest, "rebound_m": rebound, "kinetic_energy_added_j": added, "rest_m": rest,
        }));
        heights.push(&mode.name, height);
        velocities.push(&mode.name, velocity);
    }
    heights.time = (1..=steps).map(|k| k as f64 * STEP).collect();
    velocities.time.clone_from(&heights.time);
    text += "  published            thrown up without projection; with it at rest, no energy gained\n";
    let (mut arrays, first) = heights.finish("height", "height of the underside, m", false);
    let (more, second) = velocities.finish("velocity", "vertical velocity, m/s", false);
    arrays.extend(more.into_iter().skip(1));
    let first = first.beside("rests at 0 with projection", Mark::Level(0.0));
    let second = second.beside("no speed upwards with projection", Mark::Level(0.0));
    let json = serde_json::json!({ "rows": rows, "erp": 1.0, "timestep": STEP });
    let title = format!("{} [Hsu, Peters 2014, Fig. 1]", figure.title);
    Ok(Reproduction { title, text, json, arrays, panels: vec![first, second] })
}
