//! The main job until planning lands: the built-in humanoid jumps a somersault.
//!
//! The flight is simulated by smooth dynamics with fourth-order Runge–Kutta steps; contact is not simulated, so it
//! begins at take-off and ends at touch-down. What a flight must obey is measured: the centre of mass follows a
//! parabola and angular momentum about it is constant, whatever the servos do; tucking speeds up the turn.

use super::write_file;
use crate::draw::{Strobe, flight_svg};
use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use saltus::math::Vec3;
use saltus::sim::dynamics::{update_kinetic_energy, update_momentum, update_potential_energy};
use saltus::sim::kinematics::coordinates;
use saltus::sim::options::Disable;
use saltus::{Data, Model, forward_smooth};
use std::path::PathBuf;

const HUMANOID: &str = include_str!("../../../../models/humanoid.xml");
/// Take-off: velocity of the body, m/s, and turning speed, rad/s.
const TAKE_OFF: (f64, f64, f64) = (1.4, 5.2, 2.4);
/// When the body tucks, and when it opens again, s.
const TUCK: (f64, f64) = (0.12, 0.80);

#[derive(clap::Args)]
pub struct Args {
    /// Where to draw the flight.
    #[arg(long, default_value = "out/somersault.svg")]
    output: PathBuf,
    /// Time step, s.
    #[arg(long, default_value_t = 0.0005)]
    step: f64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is measured along the flight.
pub struct Sample {
    pub time: f64,
    pub com: Vec3,
    pub com_velocity: Vec3,
    pub angular_momentum: Vec3,
    pub energy: f64,
    /// Turn about the y axis so far, rad.
    pub turn: f64,
}

pub fn run(args: &Args) -> Result<()> {
    ensure!(args.step > 0.0 && args.step <= 0.01, "--step must be in (0, 0.01] s, not {}", args.step);
    let mut model = humanoid()?;
    model.options.disable.set(Disable::CONSTRAINT, true);
    let (samples, strobes) = fly(&model, args.step, !args.json)?;
    write_file(&args.output, flight_svg(&strobes, &samples).as_bytes())?;

    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    let drift = |f: &dyn Fn(&Sample) -> f64| samples.iter().map(f).fold(0.0, f64::max);
    let momentum = first.angular_momentum.length();
    let momentum_drift = drift(&|s| (s.angular_momentum - first.angular_momentum).length() / momentum);
    let parabola =
        |s: &Sample| first.com + first.com_velocity * s.time + model.options.gravity * (0.5 * s.time * s.time);
    let parabola_error = drift(&|s| (s.com - parabola(s)).length());
    let height = drift(&|s| s.com.z) - first.com.z;
    let fastest = samples.windows(2).map(|w| (w[1].turn - w[0].turn) / (w[1].time - w[0].time)).fold(0.0, f64::max);
    if args.json {
        let report = serde_json::json!({
            "flight_time": last.time, "turn": last.turn, "height": height, "distance": last.com.x - first.com.x,
            "fastest_turn": fastest, "momentum_drift": momentum_drift, "parabola_error": parabola_error,
            "servo_work": last.energy - first.energy, "steps": (last.time / args.step).round() as u64,
            "picture": args.output,
        });
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    println!("A humanoid of {:.0} kg and {} degrees of freedom jumps.", model.bodies.subtree_mass[1], model.size.nv);
    println!(
        "  in the air           {:.3} s, {:.2} m up and {:.2} m forward",
        last.time,
        height,
        last.com.x - first.com.x
    );
    println!(
        "  somersault           {:.0} degrees, fastest {fastest:.1} rad/s (at take-off {:.1})",
        last.turn.to_degrees(),
        TAKE_OFF.2
    );
    println!("  work of the servos   {:+.0} J", last.energy - first.energy);
    println!(
        "  laws of flight       angular momentum constant to {momentum_drift:.1e}, centre of mass on its parabola to {parabola_error:.1e} m"
    );
    println!("  picture              {}", args.output.display());
    println!("Contact is not simulated yet: the flight starts at take-off and ends at touch-down.");
    Ok(())
}

fn humanoid() -> Result<Model> {
    let spec = saltus::io::mjcf::read_str(HUMANOID, &Default::default()).context("the built-in humanoid")?;
    saltus::compile(&spec).context("the built-in humanoid")
}

/// Flies until a sole comes down to the floor. Samples every step, a strobe picture every so often.
fn fly(model: &Model, h: f64, show_progress: bool) -> Result<(Vec<Sample>, Vec<Strobe>)> {
    let key = |name: &str| model.key(name).with_context(|| format!("the built-in humanoid has no keyframe {name}"));
    let (reach, tuck, stand) = (key("reach")?, key("tuck")?, key("stand")?);
    let mut data = Data::new(model);
    data.reset_to_key(model, reach);
    let ctrl = |k: saltus::sim::ids::KeyId| &model.keys.ctrl[k.idx() * model.size.nu..(k.idx() + 1) * model.size.nu];
    let (vx, vz, spin) = TAKE_OFF;
    (data.state.v[0], data.state.v[2], data.state.v[4]) = (vx, vz, spin);

    let bar = if show_progress { ProgressBar::new(1200) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template("{bar:40} {msg}")?);
    let (mut samples, mut strobes) = (Vec::new(), Vec::new());
    let (mut turn, limit) = (0.0, 3.0);
    loop {
        let time = data.state.time;
        let pose = if time < TUCK.0 {
            reach
        } else if time < TUCK.1 {
            tuck
        } else {
            stand
        };
        data.input.ctrl.copy_from_slice(ctrl(pose));
        forward_smooth(model, &mut data);
        samples.push(measure(model, &mut data, turn));
        if time >= strobes.len() as f64 * 0.11 {
            strobes.push(Strobe::new(model, &data));
        }
        let lowest = data.position.p_WS.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        ensure!(lowest.is_finite() && time < limit, "the flight did not end by {limit} s");
        if time > 0.3 && lowest <= 0.0 {
            strobes.push(Strobe::new(model, &data));
            break;
        }
        turn += h * data.velocity.V[1].ang.y;
        runge_kutta_step(model, &mut data, h);
        bar.set_position((data.state.time * 1000.0) as u64);
        bar.set_message(format!("{:.2} s", data.state.time));
    }
    bar.finish_and_clear();
    Ok((samples, strobes))
}

fn measure(model: &Model, data: &mut Data, turn: f64) -> Sample {
    update_momentum(model, data);
    update_potential_energy(model, data);
    update_kinetic_energy(model, data);
    Sample {
        time: data.state.time,
        com: data.position.com[1],
        com_velocity: data.velocity.com_velocity[1],
        angular_momentum: data.velocity.angular_momentum[1],
        energy: data.energy[0] + data.energy[1],
        turn,
    }
}

/// One classical Runge–Kutta step, fourth order also for the orientation of the free joint (first six dofs): the stage
/// velocities are pulled back to the tangent space at the start, ω + ½ u × ω + ¹⁄₁₂ u × (u × ω) [MuntheKaas1999].
fn runge_kutta_step(model: &Model, data: &mut Data, h: f64) {
    let (q0, v0) = (data.state.q.clone(), data.state.v.clone());
    let nv = model.size.nv;
    let (mut k_sum, mut a_sum, mut k) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]);
    for (stage, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
        let u = Vec3::from_slice(&k[3..6]) * (stage * h);
        if stage > 0.0 {
            let a = data.acceleration.a.clone();
            data.state.q.copy_from_slice(&q0);
            coordinates::integrate(model, &mut data.state.q, &k, stage * h);
            for i in 0..nv {
                data.state.v[i] = v0[i] + stage * h * a[i];
            }
            forward_smooth(model, data);
        }
        k.copy_from_slice(&data.state.v);
        let omega = Vec3::from_slice(&k[3..6]);
        (omega + u.cross(omega) / 2.0 + u.cross(u.cross(omega)) / 12.0).write_to_slice(&mut k[3..6]);
        for i in 0..nv {
            k_sum[i] += weight / 6.0 * k[i];
            a_sum[i] += weight / 6.0 * data.acceleration.a[i];
        }
    }
    data.state.q.copy_from_slice(&q0);
    coordinates::integrate(model, &mut data.state.q, &k_sum, h);
    for i in 0..nv {
        data.state.v[i] = v0[i] + h * a_sum[i];
    }
    data.state.time += h;
}
