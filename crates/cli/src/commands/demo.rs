//! `saltus demo`: the built-in humanoid jumps a somersault and lands.
//!
//! Everything is simulated by `saltus::step`: flight, touch-down, the fall, the rest. What nature
//! must obey is measured: in the air the centre of mass follows a parabola and angular momentum
//! about it is constant, whatever the servos do; at rest the floor carries the weight.

use crate::draw::{self, Sample, Strobe};
use crate::files::{check_writable, write_file};
use crate::output::{self, say};
use crate::plot;
use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use saltus::shipped::HUMANOID;
use saltus::sim::constraint::contact_force;
use saltus::sim::data::Contact;
use saltus::sim::dynamics::update_momentum;
use saltus::sim::options::{Enable, Integrator};
use saltus::{Data, Model};
use std::path::PathBuf;

/// Take-off: forward and upward velocity of the body, m/s, and angular velocity, rad/s.
const TAKE_OFF: (f64, f64, f64) = (1.4, 5.2, 2.4);
/// Times at which the body tucks and opens again, s.
const TUCK: (f64, f64) = (0.12, 0.40);
/// Duration of the simulation, s.
const DURATION: f64 = 4.0;
/// Time until which poses are drawn, s.
const DRAWN: f64 = 2.4;
/// Interval between drawn poses, s.
const STROBE: f64 = 0.12;

/// Simulate a somersault of the built-in humanoid, with scripted controls and without planning.
#[derive(clap::Args)]
pub struct Args {
    /// Picture of the jump to write: an .svg or .png file.
    #[arg(long, default_value = "out/somersault.svg")]
    output: PathBuf,
    /// Time step in seconds.
    #[arg(long, default_value_t = 0.0005)]
    step: f64,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    ensure!(args.step > 0.0 && args.step <= 0.01, "--step must be in (0, 0.01] s, not {}", args.step);
    let mut model = humanoid()?;
    model.options.timestep = args.step;
    // Fourth order: the laws of flight hold to many digits.
    model.options.integrator = Integrator::Rk4;
    model.options.enable.set(Enable::ENERGY, true);
    let format = plot::Format::of(&args.output)?;
    check_writable(&args.output)?;
    let (samples, strobes) = jump(&model, !args.json)?;
    write_file(&args.output, &format.encode(&draw::jump(&strobes, &samples))?)?;
    report(args, &model, &samples)
}

fn humanoid() -> Result<Model> {
    let spec = saltus::io::mjcf::read_str(HUMANOID, &Default::default()).context("the built-in humanoid")?;
    saltus::compile(&spec).context("the built-in humanoid")
}

/// Simulates the jump and the landing. Returns a sample per step and the poses to draw.
fn jump(model: &Model, show_progress: bool) -> Result<(Vec<Sample>, Vec<Strobe>)> {
    let key = |name: &str| model.key(name).with_context(|| format!("the built-in humanoid has no keyframe {name}"));
    let (reach, tuck, squat) = (key("reach")?, key("tuck")?, key("squat")?);
    let mut data = Data::new(model);
    data.reset_to_key(model, reach);
    let nu = model.size.nu;
    let ctrl = |k: saltus::sim::ids::KeyId| &model.keys.ctrl[k.idx() * nu..(k.idx() + 1) * nu];
    let (vx, vz, spin) = TAKE_OFF;
    (data.state.v[0], data.state.v[2], data.state.v[4]) = (vx, vz, spin);

    let steps = (DURATION / model.options.timestep).round() as usize;
    let bar = if show_progress { ProgressBar::new(steps as u64) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template("{bar:40} {msg}")?);
    let (mut samples, mut strobes) = (Vec::with_capacity(steps + 1), Vec::new());
    let mut turn = 0.0;
    for k in 0..=steps {
        let time = data.state.time;
        let pose = if time < TUCK.0 {
            reach
        } else if time < TUCK.1 {
            tuck
        } else {
            squat
        };
        data.input.ctrl.copy_from_slice(ctrl(pose));
        saltus::forward(model, &mut data);
        samples.push(measure(model, &mut data, turn));
        if time >= strobes.len() as f64 * STROBE - 1e-9 && time < DRAWN + 1e-3 {
            strobes.push(Strobe::new(model, &data));
        }
        if k == steps {
            break;
        }
        turn += model.options.timestep * data.velocity.V[1].ang.y;
        saltus::step(model, &mut data)?;
        bar.set_position(k as u64);
        bar.set_message(format!("{:.2} s", data.state.time));
    }
    bar.finish_and_clear();
    Ok((samples, strobes))
}

/// Whether a contact involves the world rather than two parts of the body.
fn is_outside(model: &Model, contact: &Contact) -> bool {
    [contact.geom1, contact.geom2].iter().any(|g| model.geoms.body[g.idx()].idx() == 0)
}

fn measure(model: &Model, data: &mut Data, turn: f64) -> Sample {
    update_momentum(model, data);
    let floor = || data.contacts.iter().filter(|c| is_outside(model, c));
    // The floor is geom 1: the force on geom 2, the body, is along the normal.
    let upward = |c: &Contact| {
        let f = contact_force(data, c);
        f[0] * c.frame.r0.z + f[1] * c.frame.r1.z + f[2] * c.frame.r2.z
    };
    Sample {
        time: data.state.time,
        com: data.position.com[1],
        com_velocity: data.velocity.com_velocity[1],
        angular_momentum: data.velocity.angular_momentum[1],
        energy: data.energy[0] + data.energy[1],
        turn,
        floor_force: floor().map(upward).sum(),
        depth: floor().map(|c| -c.dist).fold(0.0, f64::max),
        touches: floor().next().is_some(),
    }
}

fn report(args: &Args, model: &Model, samples: &[Sample]) -> Result<()> {
    let largest = |samples: &[Sample], f: &dyn Fn(&Sample) -> f64| samples.iter().map(f).fold(0.0, f64::max);
    let take_off = samples.iter().position(|s| !s.touches).context("the humanoid did not leave the floor")?;
    let flight = samples[take_off..].iter().position(|s| s.touches).context("the humanoid did not land")?;
    let (air, ground) = samples[take_off..].split_at(flight);
    let (first, last) = (&air[0], &air[air.len() - 1]);
    let flight_time = last.time - first.time;
    let momentum = first.angular_momentum.length();
    let momentum_drift = largest(air, &|s| (s.angular_momentum - first.angular_momentum).length() / momentum);
    let parabola = |s: &Sample| {
        let t = s.time - first.time;
        first.com + first.com_velocity * t + model.options.gravity * (0.5 * t * t)
    };
    let parabola_error = largest(air, &|s| (s.com - parabola(s)).length());
    let height = largest(air, &|s| s.com.z) - first.com.z;
    let fastest = air.windows(2).map(|w| (w[1].turn - w[0].turn) / (w[1].time - w[0].time)).fold(0.0, f64::max);
    let mass = model.bodies.subtree_mass[1];
    let weight = mass * model.options.gravity.length();
    let peak = largest(ground, &|s| s.floor_force);
    let depth = largest(ground, &|s| s.depth);
    // The mean of the last second: at rest but for a little swing on the servos.
    let rest = &ground[ground.partition_point(|s| s.time < DURATION - 1.0).min(ground.len() - 1)..];
    let carried = rest.iter().map(|s| s.floor_force).sum::<f64>() / rest.len() as f64;
    let lost = last.energy - rest[rest.len() - 1].energy;
    if args.json {
        let report = serde_json::json!({
            "flight_time": flight_time, "turn": last.turn, "height": height, "distance": last.com.x - first.com.x,
            "fastest_turn": fastest, "momentum_drift": momentum_drift, "parabola_error": parabola_error,
            "servo_work": last.energy - first.energy, "peak_force": peak, "deepest": depth, "weight": weight,
            "rest_force": carried, "energy_lost": lost, "steps": samples.len() - 1, "picture": args.output,
        });
        output::json(&report)?;
        return Ok(());
    }
    say!("A humanoid of {mass:.0} kg and {} degrees of freedom jumps a somersault.", model.size.nv);
    say!(
        "  in the air           {flight_time:.3} s, {height:.2} m up and {:.2} m forward, {:.0} degrees round",
        last.com.x - first.com.x,
        last.turn.to_degrees()
    );
    say!("  turning speed        {fastest:.1} rad/s at most (at take-off {:.1}), by tucking", TAKE_OFF.2);
    say!(
        "  laws of flight       angular momentum constant to {momentum_drift:.1e}, centre of mass on its parabola to {parabola_error:.1e} m"
    );
    say!(
        "  landing              up to {:.1} times its weight, {:.1} mm deep; {lost:.0} J lost by the end",
        peak / weight,
        1000.0 * depth
    );
    say!("  at the end           the floor carries {carried:.1} N, the weight is {weight:.1} N");
    say!("  picture              {}", args.output.display());
    Ok(())
}
