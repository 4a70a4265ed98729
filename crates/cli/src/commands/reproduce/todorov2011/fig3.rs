//! Fig. 3 of \[Todorov2011\]: a ball is dropped, 1 ms steps.
//!
//! The paper says neither the ball's mass and height nor the parameters of this figure. With those
//! of its other simulations, κ is an energy and R an inverse mass, and the impulse on a resting
//! body of mass m, m g h = √(3κ/R(w)), decides at which distance w it can rest.
//!
//! An impulse that depends on the distance alone returns all energy, as a spring does. It depends
//! on the velocity v where (1/m + R) κ is small beside v²; only there the ball loses energy. With R
//! linear in the distance (24), R is large in almost all of the margin: balls of any mass and
//! height bounce, or penetrate. With R exponential in the distance, which the paper names as better
//! (after (24)), a heavy ball behaves as published: it slows down gradually and stops without
//! penetration. Both are shown for the same ball.

use super::super::{Reproduction, column};
use super::columns;
use crate::plot::{Mark, Panel};
use anyhow::{Context, Result, ensure};
use saltus::sim::options::law::{Law, Profile, Scaling};
use saltus::{Data, Model};

const MASS: f64 = 300.0;
const RADIUS: f64 = 0.1;
const HEIGHT: f64 = 0.3;
const TIME: f64 = 1.0;

fn model(profile: Profile) -> Result<Model> {
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
    (own.scaling, own.profile) = (Scaling::Raw, profile);
    (own.kappa, own.slope, own.r_min, own.r_max) = (0.1, 10.0, 0.01, 100.0);
    Ok(model)
}

/// What happens to the ball.
struct Drop {
    time: Vec<f64>,
    velocity: Vec<f64>,
    /// Impulse of the ground in each step, N s.
    impulse: Vec<f64>,
    gap: Vec<f64>,
}

impl Drop {
    fn new(profile: Profile) -> Result<Self> {
        let model = model(profile)?;
        let h = model.options.timestep;
        let mut data = Data::new(&model);
        let mut drop = Self { time: Vec::new(), velocity: Vec::new(), impulse: Vec::new(), gap: Vec::new() };
        for _ in 0..(TIME / h).round() as usize {
            saltus::step(&model, &mut data)?;
            drop.time.push(data.state.time);
            drop.velocity.push(data.state.v[2]);
            drop.impulse.push(data.constraints.force.first().copied().unwrap_or(0.0) * h);
            drop.gap.push(data.state.q[2] - RADIUS);
        }
        Ok(drop)
    }

    fn measure(&self) -> Result<Measured> {
        let fastest = -self.velocity.iter().copied().fold(0.0, f64::min);
        let peak = self.impulse.iter().copied().fold(0.0, f64::max);
        let first = self.impulse.iter().position(|f| *f > 0.0).context("the ball did not reach the margin")?;
        let moving = |share: f64| self.velocity.iter().rposition(|v| v.abs() > share * fastest).unwrap_or(0);
        Ok(Measured {
            fastest,
            bounce: self.velocity.iter().copied().fold(0.0, f64::max) / fastest,
            felt: self.gap[first],
            stopping: self.time[moving(0.05)] - self.time[first],
            peak,
            steps: self.impulse.iter().filter(|f| **f > 0.5 * peak).count(),
            least: self.gap.iter().copied().fold(f64::INFINITY, f64::min),
            rest: self.gap[self.gap.len() - 1],
            last: self.velocity[self.velocity.len() - 1].abs() / fastest,
        })
    }
}

/// The figures of a drop.
struct Measured {
    /// Largest speed downwards, m/s.
    fastest: f64,
    /// Largest speed upwards relative to it.
    bounce: f64,
    /// Distance at which the ground is first felt, m.
    felt: f64,
    /// Time from there until the speed stays below 5 % of the largest, s.
    stopping: f64,
    /// Largest impulse of a step, N s.
    peak: f64,
    /// Steps with more than half of it.
    steps: usize,
    /// Least distance from the ground, m.
    least: f64,
    /// Distance at the end, m.
    rest: f64,
    /// Speed at the end relative to the largest.
    last: f64,
}

impl Measured {
    fn text(&self, name: &str) -> String {
        format!(
            "  {name:<14} {:>12.2} {:>10.0} {:>12.0} {:>12.1} {:>18} {:>12.2} {:>10.2}\n",
            self.fastest,
            1e3 * self.felt,
            1e3 * self.stopping,
            100.0 * self.bounce,
            self.steps,
            1e3 * self.least,
            1e3 * self.rest,
        )
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "fastest": self.fastest, "bounce": self.bounce, "felt_at": self.felt, "stopping_time": self.stopping,
            "peak_impulse": self.peak, "steps_above_half_peak": self.steps, "least_gap": self.least,
            "rest_gap": self.rest, "last_velocity_share": self.last,
        })
    }
}

pub fn run() -> Result<Reproduction> {
    let [exponential, linear] = [Drop::new(Profile::Exponential)?, Drop::new(Profile::Linear)?];
    let [stops, bounces] = [exponential.measure()?, linear.measure()?];
    ensure!(stops.least > 0.0, "the ball penetrates by {} m", -stops.least);
    ensure!(stops.last < 1e-2, "the ball does not stop");
    ensure!(stops.bounce < 0.03, "the ball bounces: it goes up with {} of its speed", stops.bounce);
    ensure!(stops.steps >= 5, "the impulse is not spread over time: {} steps above half its peak", stops.steps);
    let mut text = format!(
        "A ball of {MASS} kg falls {HEIGHT} m; κ = 0.1, q = 10, R from 0.01 to 100 over 0.1 m, 1 ms steps.
  {:<14} {:>12} {:>10} {:>12} {:>12} {:>18} {:>12} {:>10}\n",
        "R(w)", "falls, m/s", "felt, mm", "stops in, ms", "goes up, %", "steps over half", "least, mm", "rests, mm"
    );
    text += &stops.text("exponential");
    text += &bounces.text("linear (24)");
    text += "  published      slows down gradually to a complete stop, impulse distributed over time, no penetration\n";
    let json = serde_json::json!({
        "mass": MASS, "height": HEIGHT, "exponential": stops.json(), "linear": bounces.json(),
    });
    let panel = |title: &str, array| {
        let lines = vec![(0, "R exponential".to_owned()), (1, "R linear (24)".to_owned())];
        Panel::over_time(title.to_owned(), array, lines)
    };
    let panels = vec![
        panel("vertical velocity, m/s", "velocity").beside("a complete stop", Mark::Level(0.0)),
        panel("impulse of the ground in a step, N s", "impulse").beside("in words: distributed over time", Mark::Words),
        panel("distance from the ground, m", "gap").beside("no penetration", Mark::Level(0.0)),
    ];
    let arrays = vec![
        column("time", exponential.time),
        columns("velocity", &[&exponential.velocity, &linear.velocity]),
        columns("impulse", &[&exponential.impulse, &linear.impulse]),
        columns("gap", &[&exponential.gap, &linear.gap]),
    ];
    let title = format!("Drop of a ball of {MASS} kg [Todorov 2011, Fig. 3]");
    Ok(Reproduction { title, text, json, arrays, panels })
}
