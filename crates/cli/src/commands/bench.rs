//! `saltus bench`: how fast a model simulates, where the time goes, and how it scales with threads.

use super::coordinates::{Coordinates, Stepper};
use super::start::StartArgs;
use crate::output::{self, say};
use anyhow::{Result, anyhow, ensure};
use saltus::sim::{NoCallbacks, Stage};
use saltus::sim::{actuation, collide, constraint, dynamics, kinematics, law, sensor, tendon};
use saltus::sim::{update_smooth_acceleration, update_velocity};
use saltus::{Data, Model};
use std::time::Instant;

/// Measure the simulation speed of a model, the time per stage, and the scaling with the number of
/// threads.
///
/// The simulation starts from the keyframe (or the reference pose) and uses its controls. Each
/// thread simulates an independent copy.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  saltus bench robot.xml
  saltus bench robot.xml --coordinates maximal --maximal-mode published
  saltus bench robot.xml --keyframe stand --steps 20000 --threads 8 --json")]
pub struct Args {
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    coordinates: Coordinates,
    /// Number of steps per measurement.
    #[arg(long, default_value_t = 5000, value_name = "N")]
    steps: usize,
    /// Maximum number of threads. By default the number of processors.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print the measurements as JSON.
    #[arg(long)]
    json: bool,
}

type Run = fn(&Model, &mut Data);

/// The stages of a step in order, as `forward_from` runs them.
const STAGES: [(&str, Run); 9] = [
    ("kinematics", |m, d| {
        kinematics::update_kinematics(m, d);
        kinematics::update_com(m, d);
        kinematics::update_views(m, d);
    }),
    ("tendons and transmissions", |m, d| {
        tendon::update_tendons(m, d);
        actuation::update_transmission(m, d);
    }),
    ("inertia and its factors", |m, d| {
        dynamics::update_inertia(m, d);
        dynamics::update_factor(m, d);
    }),
    ("collision", collide::update_contacts),
    ("constraint rows", constraint::update_constraints),
    ("velocity and bias", |m, d| {
        update_velocity(m, d, &mut NoCallbacks);
        constraint::update_reference(m, d);
    }),
    ("actuation and smooth forces", |m, d| {
        actuation::update_actuation(m, d, &mut NoCallbacks);
        update_smooth_acceleration(m, d);
    }),
    ("solver", law::solve),
    ("sensors", |m, d| {
        for stage in [Stage::Position, Stage::Velocity, Stage::Acceleration] {
            sensor::update_sensors(m, d, stage, &mut NoCallbacks);
        }
    }),
];

/// The stages that are also part of a step in maximal coordinates.
const SHARED: [(&str, Run); 2] = [STAGES[1], STAGES[3]];

/// One measurement of the whole step.
struct Speed {
    steps_per_second: f64,
    contacts: f64,
    iterations: f64,
}

pub fn run(args: &Args) -> Result<()> {
    ensure!(args.steps > 0, "--steps must be at least 1");
    let available = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = args.threads.unwrap_or(available);
    ensure!((1..=4096).contains(&threads), "--threads must be between 1 and 4096, not {threads}");
    let (model, start, _) = args.start.load()?;
    let stepper = args.coordinates.stepper(&model)?;
    let subject = Subject { model: &model, start: &start, stepper: &stepper };
    let speed = whole_steps(&subject, args.steps)?;
    let profile = profile(&subject, args.steps.min(2000))?;
    let scaling = scaling(&subject, args.steps, threads)?;
    print(args, &model, &speed, &profile, &scaling)
}

/// The simulation to measure: model, initial state and stepper.
#[derive(Clone, Copy)]
struct Subject<'a> {
    model: &'a Model,
    start: &'a Data,
    stepper: &'a Stepper,
}

fn whole_steps(subject: &Subject<'_>, steps: usize) -> Result<Speed> {
    let (model, mut data, mut stepper) = (subject.model, subject.start.clone(), subject.stepper.clone());
    let (mut contacts, mut iterations) = (0, 0);
    let clock = Instant::now();
    for _ in 0..steps {
        stepper.step(model, &mut data).map_err(|e| anyhow!(e))?;
        contacts += data.contacts.len();
        iterations += data.constraints.report.iterations as usize;
    }
    let n = steps as f64;
    Ok(Speed {
        steps_per_second: n / clock.elapsed().as_secs_f64().max(1e-9),
        contacts: contacts as f64 / n,
        iterations: iterations as f64 / n,
    })
}

/// Microseconds per step of each stage; the last entry is the remaining time of a step.
fn profile(subject: &Subject<'_>, steps: usize) -> Result<Vec<(&'static str, f64)>> {
    let (model, mut data, mut stepper) = (subject.model, subject.start.clone(), subject.stepper.clone());
    let mut copy = data.clone();
    // Maximal coordinates share transmissions and collisions with the others; rows, solver and the
    // rest are their own.
    let stages = match stepper {
        Stepper::Generalized => &STAGES[..],
        Stepper::Maximal { .. } => &SHARED[..],
    };
    let mut seconds = vec![0.0; stages.len()];
    let mut whole = 0.0;
    for _ in 0..steps {
        copy.state.clone_from(&data.state);
        copy.input.clone_from(&data.input);
        for ((_, run), sum) in stages.iter().zip(&mut seconds) {
            let clock = Instant::now();
            run(model, &mut copy);
            *sum += clock.elapsed().as_secs_f64();
        }
        let clock = Instant::now();
        stepper.step(model, &mut data).map_err(|e| anyhow!(e))?;
        whole += clock.elapsed().as_secs_f64();
    }
    let scale = 1e6 / steps as f64;
    let mut profile: Vec<_> = stages.iter().zip(&seconds).map(|((name, _), s)| (*name, s * scale)).collect();
    let rest = whole - seconds.iter().sum::<f64>();
    let rest_name = match stepper {
        Stepper::Generalized => "integration and the rest",
        Stepper::Maximal { .. } => "rows, solver and the rest",
    };
    profile.push((rest_name, rest.max(0.0) * scale));
    Ok(profile)
}

/// Steps per second of all threads together, for 1, 2, 4, … threads.
fn scaling(subject: &Subject<'_>, steps: usize, most: usize) -> Result<Vec<(usize, f64)>> {
    let mut counts: Vec<usize> = (0..).map(|k| 1 << k).take_while(|&n| n < most).collect();
    counts.push(most);
    let measure = |&count: &usize| {
        let clock = Instant::now();
        std::thread::scope(|scope| {
            let work = || -> Result<()> {
                let (mut data, mut stepper) = (subject.start.clone(), subject.stepper.clone());
                (0..steps).try_for_each(|_| stepper.step(subject.model, &mut data)).map_err(|e| anyhow!(e))
            };
            let handles: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
            handles.into_iter().try_for_each(|h| h.join().map_err(|_| anyhow!("a thread failed"))?)
        })?;
        Ok((count, (steps * count) as f64 / clock.elapsed().as_secs_f64().max(1e-9)))
    };
    counts.iter().map(measure).collect()
}

fn print(args: &Args, model: &Model, speed: &Speed, profile: &[(&str, f64)], scaling: &[(usize, f64)]) -> Result<()> {
    let factor = speed.steps_per_second * model.options.timestep;
    if args.json {
        let report = serde_json::json!({
            "model": model.name, "nv": model.size.nv, "timestep": model.options.timestep, "steps": args.steps,
            "steps_per_second": speed.steps_per_second, "real_time_factor": factor,
            "contacts_mean": speed.contacts, "iterations_mean": speed.iterations,
            "profile_us": profile.iter().map(|(name, us)| ((*name).to_owned(), serde_json::json!(us)))
                .collect::<serde_json::Map<_, _>>(),
            "threads": scaling.iter().map(|(n, rate)| serde_json::json!({ "threads": n, "steps_per_second": rate }))
                .collect::<Vec<_>>(),
        });
        output::json(&report)?;
        return Ok(());
    }
    say!("{}: nv {}, time step {} s", model.name, model.size.nv, model.options.timestep);
    say!("  one thread  {:.0} steps per second, {factor:.1} × real time", speed.steps_per_second);
    say!("  on average  {:.1} contacts, {:.1} solver iterations", speed.contacts, speed.iterations);
    let total: f64 = profile.iter().map(|p| p.1).sum();
    say!("  one step    {total:.2} µs");
    for (name, us) in profile {
        say!("    {name:28} {us:9.2} µs  {:5.1} %", 100.0 * us / total.max(1e-9));
    }
    say!("  threads");
    for (count, rate) in scaling {
        let gain = rate / scaling[0].1;
        say!("    {count:4}  {rate:12.0} steps per second  {gain:5.2} × one thread");
    }
    Ok(())
}
