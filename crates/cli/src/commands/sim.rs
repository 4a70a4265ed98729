//! `saltus sim`: simulates a model, and reports, records and plots what happens.

use super::coordinates::{Coordinates, Stepper};
use super::start::StartArgs;
use crate::control::Control;
use crate::files::{check_writable, write_file};
use crate::interrupt;
use crate::output::{self, say};
use crate::plot;
use crate::record::Record;
use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use saltus::maximal::JointError;
use saltus::sim::data::SolverStatus;
use saltus::sim::options::{Enable, Integrator};
use saltus::store::table::{self, Format};
use saltus::{Data, Model};
use std::path::PathBuf;
use std::time::Instant;

/// Simulate a model and print a summary. Exits with 1 if the simulation diverges.
///
/// Ctrl-C ends the simulation early; the recording so far is written and the summary is printed.
///
/// Controls come from the keyframe, a file or a random generator. The simulation can be recorded to
/// .csv or .npz and plotted to .svg or .png. A recording can be used as a control file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  saltus sim robot.xml                                        simulate 5 s from the reference pose
  saltus sim robot.xml --keyframe stand --time 2 --control random --seed 7
  saltus sim robot.xml --control ctrl.csv --record out.npz    one row per step, or at the times in a column `time`
  saltus sim robot.xml --plot out.svg --quantities q[0:3],energy,contacts,joint:knee,sensor:gyro
  saltus sim robot.xml --integrator implicitfast --cone elliptic --timestep 0.005 --json
  saltus sim robot.xml --coordinates maximal --maximal-mode published --sweeps 50")]
pub struct Args {
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    coordinates: Coordinates,
    /// Duration of the simulation in seconds.
    #[arg(long, default_value_t = 5.0, value_name = "S", allow_negative_numbers = true)]
    time: f64,
    /// Controls: `zero`, `random`, or a .csv or .npz file. By default the controls of the keyframe,
    /// or zero without one.
    #[arg(long, value_name = "FILE|zero|random")]
    control: Option<String>,
    /// Seed of the random controls.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Record time, q, v, act, ctrl, sensors, energy, contacts and solver iterations to a .csv or
    /// .npz file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Record and plot only every N-th step.
    #[arg(long, default_value_t = 1, value_name = "N")]
    every: usize,
    /// Write a plot to an .svg or .png file.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Comma-separated quantities to plot: q, v, act, ctrl, sensor, energy, contacts, force,
    /// iterations, each optionally with an index `[i]` or a range `[i:j]`; joint:NAME, sensor:NAME.
    #[arg(long, default_value = "q,energy,contacts", value_name = "LIST")]
    quantities: String,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Statistics that are collected during the simulation.
#[derive(Default)]
struct Summary {
    steps: usize,
    seconds: f64,
    contacts_max: usize,
    contacts_sum: usize,
    iterations_max: u32,
    iterations_sum: u64,
    /// Steps whose solver did not converge.
    unconverged: usize,
    energy: [f64; 2],
    diverged: Option<String>,
    /// Whether Ctrl-C ended the simulation early.
    interrupted: bool,
}

pub fn run(args: &Args) -> Result<()> {
    ensure!(args.time.is_finite() && args.time >= 0.0, "--time must be a number of seconds ≥ 0, not {}", args.time);
    ensure!(args.every > 0, "--every must be at least 1");
    // Errors in the arguments are reported before the simulation starts.
    let record_format = args.record.as_deref().map(Format::of).transpose()?;
    let plot_format = args.plot.as_deref().map(plot::Format::of).transpose()?;
    let (mut model, mut data, warnings) = args.start.load()?;
    let panels = plot::parse(&args.quantities, &model)?;
    model.options.enable.set(Enable::ENERGY, true);
    let mut control = Control::parse(args.control.as_deref(), args.seed, &model)?;
    let mut stepper = args.coordinates.stepper(&model)?;
    let steps = args.time / model.options.timestep;
    ensure!(
        steps <= 1e12,
        "--time {} would take {steps:.0} steps of {} s, which is too many",
        args.time,
        model.options.timestep
    );
    let steps = steps.round() as usize;
    args.record.iter().chain(&args.plot).try_for_each(|path| check_writable(path))?;
    let keep = record_format.is_some() || plot_format.is_some();
    let mut record = Record::new(&model, if keep { steps / args.every + 2 } else { 0 })?;

    let every = if keep { Some(args.every) } else { None };
    let run = Run { model: &model, control: &mut control, record: &mut record, stepper: &mut stepper };
    let summary = simulate(run, &mut data, steps, every, args.json)?;
    let arrays = record.finish();
    if let (Some(path), Some(format)) = (&args.record, record_format) {
        write_file(path, &table::encode(&arrays, format))?;
    }
    if let (Some(path), Some(format)) = (&args.plot, plot_format) {
        let picture = plot::draw(&arrays, &panels, &model.name, format).context("cannot draw the plot")?;
        write_file(path, &picture)?;
    }
    report(args, &model, &data, &summary, stepper.joint_error(), &warnings)?;
    match summary.diverged {
        Some(message) => bail!("{message}"),
        None => Ok(()),
    }
}

/// The parts of a simulation.
struct Run<'a> {
    model: &'a Model,
    control: &'a mut Control,
    record: &'a mut Record,
    stepper: &'a mut Stepper,
}

/// Takes `steps` steps and records every `every`-th of them.
fn simulate(run: Run<'_>, data: &mut Data, steps: usize, every: Option<usize>, quiet: bool) -> Result<Summary> {
    let Run { model, control, record, stepper } = run;
    let mut summary = Summary::default();
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(steps as u64) };
    bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  {eta} left")?);
    let generalized = matches!(stepper, Stepper::Generalized);
    let several_stages = generalized && model.options.integrator == Integrator::Rk4;
    interrupt::listen();
    let start = Instant::now();
    for k in 0..steps {
        if interrupt::is_asked() {
            summary.interrupted = true;
            break;
        }
        control.apply(k, model, data);
        let recorded = every.is_some_and(|every| k % every == 0);
        if recorded {
            record.push_state(data);
        }
        if recorded && several_stages {
            // A step leaves the results of its last Runge–Kutta stage, so the results at its
            // beginning are computed here.
            saltus::forward(model, data);
            record.push_results(data);
        }
        if let Err(error) = stepper.step(model, data) {
            summary.diverged = Some(error);
            break;
        }
        if recorded && !several_stages {
            record.push_results(data);
        }
        if k == 0 {
            summary.energy[0] = data.energy[0] + data.energy[1];
        }
        count(&mut summary, data);
        if k % 256 == 0 {
            bar.set_position(k as u64);
            bar.set_message(format!("{:.2} s, {} contacts", data.state.time, data.contacts.len()));
        }
    }
    summary.seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    if summary.diverged.is_none() {
        // No step starts from the final state, so a forward pass computes its results.
        saltus::forward(model, data);
        summary.energy[1] = data.energy[0] + data.energy[1];
        if summary.steps == 0 {
            summary.energy[0] = summary.energy[1];
        }
        // In maximal coordinates the forward pass would apply another contact law, so the recording
        // ends with the last step.
        if every.is_some() && generalized {
            record.push_state(data);
            record.push_results(data);
        }
    }
    Ok(summary)
}

fn count(summary: &mut Summary, data: &Data) {
    let solver = &data.constraints.report;
    summary.steps += 1;
    summary.contacts_max = summary.contacts_max.max(data.contacts.len());
    summary.contacts_sum += data.contacts.len();
    summary.iterations_max = summary.iterations_max.max(solver.iterations);
    summary.iterations_sum += u64::from(solver.iterations);
    let good = matches!(solver.status, SolverStatus::Converged | SolverStatus::Unconstrained);
    summary.unconverged += usize::from(!good);
}

fn report(
    args: &Args,
    model: &Model,
    data: &Data,
    s: &Summary,
    joints: Option<JointError>,
    warnings: &[String],
) -> Result<()> {
    let simulated = s.steps as f64 * model.options.timestep;
    let per_step = |sum: f64| if s.steps > 0 { sum / s.steps as f64 } else { 0.0 };
    let factor = if s.seconds > 0.0 { simulated / s.seconds } else { 0.0 };
    let contacts_mean = per_step(s.contacts_sum as f64);
    let iterations_mean = per_step(s.iterations_sum as f64);
    if args.json {
        let report = serde_json::json!({
            "model": model.name, "time": data.state.time, "steps": s.steps, "timestep": model.options.timestep,
            "wall_seconds": s.seconds, "real_time_factor": factor,
            "contacts": { "max": s.contacts_max, "mean": contacts_mean },
            "iterations": { "max": s.iterations_max, "mean": iterations_mean },
            "unconverged_steps": s.unconverged,
            "joint_error": joints.map(|j| serde_json::json!({ "distance": j.distance, "angle": j.angle })),
            "energy": { "start": s.energy[0], "end": s.diverged.is_none().then_some(s.energy[1]) },
            "diverged": s.diverged, "interrupted": s.interrupted, "record": args.record, "plot": args.plot, "warnings": warnings,
        });
        output::json(&report)?;
        return Ok(());
    }
    say!("{}: {} steps to {:.3} s", model.name, s.steps, data.state.time);
    say!(
        "  speed       {factor:.1} × real time ({:.0} steps per second)",
        if s.seconds > 0.0 { s.steps as f64 / s.seconds } else { 0.0 }
    );
    say!("  contacts    {} at most, {contacts_mean:.1} on average", s.contacts_max);
    say!("  solver      {} iterations at most, {iterations_mean:.1} on average", s.iterations_max);
    if s.diverged.is_none() {
        say!("  energy      {:.6} J at the start, {:.6} J at the end", s.energy[0], s.energy[1]);
    }
    if let Some(joints) = joints {
        say!("  joints      errors up to {:.2e} m and {:.2e} rad", joints.distance, joints.angle);
    }
    if let Some(path) = &args.record {
        say!("  recording   {}", path.display());
    }
    if let Some(path) = &args.plot {
        say!("  plot        {}", path.display());
    }
    if s.interrupted {
        say!("  stopped     by Ctrl-C before the end of the {} s", args.time);
    }
    if s.unconverged > 0 {
        say!("  warning     the solver did not converge in {} steps", s.unconverged);
    }
    for warning in warnings {
        say!("  warning     {warning}");
    }
    Ok(())
}
