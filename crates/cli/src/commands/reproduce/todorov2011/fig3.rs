//! Fig. 3 of \[Todorov2011\]: a ball is dropped, 1 ms steps, the published parameters.
//!
//! The paper does not say the ball's mass and height. κ is an energy and R an inverse mass; a body
//! can rest inside the margin only if R(w) = 3κ/(m g h)² for a w there, which with the published
//! numbers needs between 5.6 and 560 kg. And the impulses at a distance, about √(3κ/R(w)) per step,
//! can take up no more than 11 J before the ball touches the ground. So: 10 kg dropped from 0.11 m,
//! just above the margin.

use super::super::{Reproduction, column};
use crate::plot::Panel;
use anyhow::{Context, Result, ensure};
use saltus::sim::options::law::{Law, Profile, Scaling};
use saltus::{Data, Model};

const MASS: f64 = 10.0;
const RADIUS: f64 = 0.1;
const HEIGHT: f64 = 0.11;
const TIME: f64 = 6.0;

fn model() -> Result<Model> {
    let xml = format!(
        "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='5 5 1'/>
        <body pos='0 0 {}'><freejoint/><geom size='{RADIUS}' mass='{MASS}'/></body></worldbody></mujoco>",
        RADIUS + HEIGHT
    );
    let spec = saltus::io::mjcf::read_str(&xml, &Default::default()).context("the ball")?;
    let mut model = saltus::compile(&spec).context("the ball")?;
    let laws = &mut model.options.laws;
    (laws.law, laws.reach) = (Law::Invertible, 0.1);
    let own = &mut laws.invertible;
    (own.scaling, own.profile) = (Scaling::Raw, Profile::Linear);
    (own.kappa, own.slope, own.r_min, own.r_max) = (0.1, 10.0, 0.01, 100.0);
    Ok(model)
}

pub fn run() -> Result<Reproduction> {
    let model = model()?;
    let h = model.options.timestep;
    let mut data = Data::new(&model);
    let (mut time, mut velocity, mut impulse, mut gap) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..(TIME / h) as usize {
        saltus::step(&model, &mut data)?;
        time.push(data.state.time);
        velocity.push(data.state.v[2]);
        impulse.push(data.constraints.force.first().copied().unwrap_or(0.0) * h);
        gap.push(data.state.q[2] - RADIUS);
    }
    let least = gap.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = velocity.iter().copied().fold(0.0, f64::min);
    let peak = impulse.iter().copied().fold(0.0, f64::max);
    let (rest, last) = (gap[gap.len() - 1], velocity[velocity.len() - 1]);
    let first = impulse.iter().position(|f| *f > 0.0).context("the ball did not reach the margin")?;
    let stop = velocity.iter().rposition(|v| v.abs() > -0.05 * fastest).unwrap_or(0);
    let above = impulse.iter().filter(|f| **f > 0.5 * peak).count();
    ensure!(least > 0.0, "the ball penetrates by {} m", -least);
    ensure!(last.abs() < 1e-2 * fastest.abs(), "the ball does not stop: {last} m/s");
    ensure!(stop > first + 10 && above >= 5, "the impulse is not spread over time: {above} steps above half its peak");
    let spread = (stop - first) as f64 * h;
    let text = format!(
        "A ball of {MASS} kg falls on the ground; κ = 0.1, q = 10, R from 0.01 to 100 over 0.1 m, 1 ms steps.
  falls            with up to {:.2} m/s, feels the ground from {:.0} mm above it
  stopping         takes {:.0} ms to 5 % of that; {above} steps carry more than half of the largest impulse, {peak:.2} N s
  penetration      none: never closer than {:.2} mm; rests {:.2} mm above the ground
  published        the impulse is distributed over time, the ball comes to a complete stop, no penetration\n",
        -fastest,
        1e3 * gap[first],
        1e3 * spread,
        1e3 * least,
        1e3 * rest,
    );
    let json = serde_json::json!({
        "mass": MASS, "least_gap": least, "rest_gap": rest, "fastest": fastest, "last_velocity": last,
        "peak_impulse": peak, "stopping_time": spread, "steps_above_half_peak": above,
    });
    let panel = |title: &str, array| Panel::over_time(title.to_owned(), array, vec![(0, String::new())]);
    let panels = vec![
        panel("vertical velocity, m/s", "velocity"),
        panel("impulse of the ground in a step, N s", "impulse"),
        panel("distance from the ground, m", "gap"),
    ];
    let arrays =
        vec![column("time", time), column("velocity", velocity), column("impulse", impulse), column("gap", gap)];
    let title = format!("Drop of a ball of {MASS} kg [Todorov 2011, Fig. 3]");
    Ok(Reproduction { title, text, json, arrays, panels })
}
