//! `saltus compare`: one model under several contact laws, side by side.

use super::coordinates::{Coordinates, Stepper};
use super::start::StartArgs;
use crate::control::Control;
use crate::files::{check_writable, write_file};
use crate::output::{self, say};
use crate::plot::{self, Panel};
use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use saltus::sim::data::SolverStatus;
use saltus::sim::law::agreement::{self, Agreement};
use saltus::sim::options::Enable;
use saltus::sim::options::law::Law;
use saltus::store::table::{self, Array, Format};
use saltus::{Data, Model};
use std::path::PathBuf;
use std::time::Instant;

/// Simulate a model under several contact laws and compare them.
///
/// Each law starts from the same state with the same controls. The table shows how closely each law
/// approximates rigid contact with Coulomb friction: maximum penetration; Signorini residual
/// (violation of the complementarity of gap and normal force); the gap at which normal force acts;
/// violation of the friction cone; dissipation below the maximum dissipation; energy; and the
/// deviation of the motion from that of the first law. With --coordinates maximal, maximal
/// coordinates and their contact law are one more row.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  saltus compare robot.xml                                    compare all laws for 2 s from the reference pose
  saltus compare robot.xml --laws soft,impulse --time 5 --plot laws.svg
  saltus compare robot.xml --laws soft,lcp --coordinates maximal   add maximal coordinates as a row
  saltus compare robot.xml --keyframe stand --control random --set reach=0.02 --json")]
pub struct Args {
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    coordinates: Coordinates,
    /// Comma-separated laws: soft, invertible, impulse, lcp, compliant.
    #[arg(long, default_value = "soft,invertible,impulse,lcp,compliant", value_name = "LIST")]
    laws: String,
    /// Duration of the simulation in seconds.
    #[arg(long, default_value_t = 2.0, value_name = "S", allow_negative_numbers = true)]
    time: f64,
    /// Controls: `zero`, `random`, or a .csv or .npz file. By default the controls of the keyframe,
    /// or zero without one.
    #[arg(long, value_name = "FILE|zero|random")]
    control: Option<String>,
    /// Seed of the random controls.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Plot penetration, gap, force and energy over time to an .svg or .png file.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write the plotted data to a .csv or .npz file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print the comparison as JSON.
    #[arg(long)]
    json: bool,
}

/// The simulation under one law.
struct Run {
    name: &'static str,
    /// One entry per step.
    agreement: Vec<Agreement>,
    energy: Vec<f64>,
    q: Vec<f64>,
    iterations: u64,
    unconverged: usize,
    seconds: f64,
    diverged: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    ensure!(args.time.is_finite() && args.time > 0.0, "--time must be a number of seconds > 0, not {}", args.time);
    ensure!(
        args.start.law.is_none(),
        "--law selects a single law; use --laws to choose the laws to compare, e.g. --laws soft,impulse"
    );
    let laws = parse_laws(&args.laws)?;
    let plot_format = args.plot.as_deref().map(plot::Format::of).transpose()?;
    let record_format = args.record.as_deref().map(Format::of).transpose()?;
    let (mut model, data, warnings) = args.start.load()?;
    model.options.enable.set(Enable::ENERGY, true);
    let steps = (args.time / model.options.timestep).round();
    ensure!(steps >= 1.0, "--time {} is shorter than one step of {} s", args.time, model.options.timestep);
    ensure!(
        steps <= 1e7,
        "--time {} would take {steps:.0} steps of {} s, which is too many",
        args.time,
        model.options.timestep
    );
    let steps = steps as usize;
    args.record.iter().chain(&args.plot).try_for_each(|path| check_writable(path))?;
    let mut stepper = args.coordinates.stepper(&model)?;
    let rows = laws.len() + usize::from(args.coordinates.is_maximal());
    let bar = if args.json { ProgressBar::hidden() } else { ProgressBar::new((steps * rows) as u64) };
    bar.set_style(ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  {eta} left")?);
    let mut runs = Vec::new();
    for law in laws {
        model.options.laws.law = law;
        bar.set_message(law.name());
        let mut control = Control::parse(args.control.as_deref(), args.seed, &model)?;
        let one = One { model: &model, name: law.name(), stepper: &mut Stepper::Generalized };
        runs.push(simulate(one, data.clone(), &mut control, steps, &bar));
    }
    if args.coordinates.is_maximal() {
        bar.set_message("maximal");
        let mut control = Control::parse(args.control.as_deref(), args.seed, &model)?;
        let one = One { model: &model, name: "maximal", stepper: &mut stepper };
        runs.push(simulate(one, data.clone(), &mut control, steps, &bar));
    }
    bar.finish_and_clear();
    let arrays = series(&runs, steps, model.options.timestep);
    if let (Some(path), Some(format)) = (&args.record, record_format) {
        write_file(path, &table::encode(&arrays, format))?;
    }
    if let (Some(path), Some(format)) = (&args.plot, plot_format) {
        let picture = plot::draw(&arrays, &panels(&runs), &model.name, format).context("cannot draw the plot")?;
        write_file(path, &picture)?;
    }
    if args.json {
        print_json(args, &model, &runs, &warnings)?
    } else {
        print_table(args, &model, &runs, &warnings)
    }
    let failed = runs.iter().find_map(|r| Some((r.name, r.diverged.as_ref()?)));
    match failed {
        Some((name, message)) => bail!("{name}: {message}"),
        None => Ok(()),
    }
}

fn parse_laws(list: &str) -> Result<Vec<Law>> {
    let known = || Law::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let one = |name: &str| match Law::NAMES.iter().find(|(known, _)| *known == name.trim()) {
        Some((_, law)) => Ok(*law),
        None => bail!("--laws: unknown law {:?}; there are {}", name.trim(), known()),
    };
    list.split(',').map(one).collect()
}

/// The inputs of one row of the comparison.
struct One<'a> {
    model: &'a Model,
    name: &'static str,
    stepper: &'a mut Stepper,
}

/// Simulates under one law; a divergence ends the run.
fn simulate(one: One<'_>, mut data: Data, control: &mut Control, steps: usize, bar: &ProgressBar) -> Run {
    let One { model, name, stepper } = one;
    let (agreement, energy) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    let (q, diverged) = (Vec::new(), None);
    let mut run = Run { name, agreement, energy, q, iterations: 0, unconverged: 0, seconds: 0.0, diverged };
    for k in 0..steps {
        control.apply(k, model, &mut data);
        let generalized = matches!(stepper, Stepper::Generalized);
        if generalized {
            // The step overwrites the results of the forward pass at its beginning, so they are
            // measured first.
            saltus::forward(model, &mut data);
            run.record(agreement::measure(model, &data), &data);
        }
        let start = Instant::now();
        if let Err(error) = stepper.step(model, &mut data) {
            run.diverged = Some(error);
            break;
        }
        run.seconds += start.elapsed().as_secs_f64();
        if let Some(agreement) = stepper.agreement(model, &data) {
            run.record(agreement, &data);
        }
        bar.inc(1);
    }
    run.q = data.state.q;
    run
}

impl Run {
    fn record(&mut self, agreement: Agreement, data: &Data) {
        self.agreement.push(agreement);
        self.energy.push(data.energy[0] + data.energy[1]);
        let report = &data.constraints.report;
        self.iterations += u64::from(report.iterations);
        let good = matches!(report.status, SolverStatus::Converged | SolverStatus::Unconstrained);
        self.unconverged += usize::from(!good);
    }
}

/// A quantity over time: name, title with its unit, value.
type Quantity = (&'static str, &'static str, fn(&Run, usize) -> f64);

const QUANTITIES: [Quantity; 5] = [
    ("penetration", "deepest penetration (mm)", |r, k| 1e3 * r.agreement[k].penetration),
    ("force_gap", "gap at which normal force acts (mm)", |r, k| 1e3 * r.agreement[k].force_gap),
    ("normal_force", "normal force of all contacts (N)", |r, k| r.agreement[k].normal_force),
    ("dissipation", "missing dissipation (W)", |r, k| r.agreement[k].dissipation),
    ("energy", "energy (J)", |r, k| r.energy[k]),
];

fn series(runs: &[Run], steps: usize, h: f64) -> Vec<Array> {
    let mut arrays = vec![Array { values: (0..steps).map(|k| k as f64 * h).collect(), ..Array::vector("time") }];
    for (name, _, value) in QUANTITIES {
        let mut values = Vec::with_capacity(steps * runs.len());
        for k in 0..steps {
            values.extend(runs.iter().map(|r| if k < r.energy.len() { value(r, k) } else { f64::NAN }));
        }
        arrays.push(Array { values, ..Array::matrix(name, runs.len()) });
    }
    arrays
}

fn panels(runs: &[Run]) -> Vec<Panel> {
    let lines = || runs.iter().enumerate().map(|(k, r)| (k, r.name.to_owned())).collect();
    QUANTITIES.iter().map(|(name, title, _)| Panel::over_time((*title).into(), name, lines())).collect()
}

/// Largest or mean over the steps of a run.
fn most(run: &Run, value: impl Fn(&Agreement) -> f64) -> f64 {
    run.agreement.iter().map(value).fold(0.0, f64::max)
}
fn mean(run: &Run, value: impl Fn(&Agreement) -> f64) -> f64 {
    run.agreement.iter().map(value).sum::<f64>() / run.agreement.len().max(1) as f64
}

/// Root mean square of the difference of coordinates at the end.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / a.len().max(1) as f64).sqrt()
}

fn print_json(args: &Args, model: &Model, runs: &[Run], warnings: &[String]) -> Result<()> {
    let rows: Vec<_> = runs
        .iter()
        .map(|r| {
            serde_json::json!({
                "law": r.name, "steps": r.energy.len(),
                "penetration_max": most(r, |a| a.penetration), "signorini_max": most(r, |a| a.signorini),
                "force_gap_mean": mean(r, |a| a.force_gap), "cone_max": most(r, |a| a.cone),
                "missing_dissipation_mean": mean(r, |a| a.dissipation),
                "contacts_mean": mean(r, |a| a.contacts as f64), "normal_force_mean": mean(r, |a| a.normal_force),
                "energy_start": r.energy.first(), "energy_end": r.energy.last(),
                "q_rms_from_first": apart(&r.q, &runs[0].q),
                "iterations_mean": r.iterations as f64 / r.energy.len().max(1) as f64, "unconverged_steps": r.unconverged,
                "microseconds_per_step": 1e6 * r.seconds / r.energy.len().max(1) as f64, "diverged": r.diverged,
            })
        })
        .collect();
    let report = serde_json::json!({
        "model": model.name, "time": args.time, "timestep": model.options.timestep, "laws": rows,
        "plot": args.plot, "record": args.record, "warnings": warnings,
    });
    output::json(&report)?;
    Ok(())
}

fn print_table(args: &Args, model: &Model, runs: &[Run], warnings: &[String]) {
    say!("{}: {} s in steps of {} s", model.name, args.time, model.options.timestep);
    say!(
        "  {:<11} {:>11} {:>10} {:>8} {:>9} {:>11} {:>11} {:>10} {:>6} {:>8}",
        "",
        "penetration",
        "Signorini",
        "at gap",
        "cone",
        "missing",
        "energy",
        "q from",
        "iter.",
        "µs per"
    );
    say!(
        "  {:<11} {:>11} {:>10} {:>8} {:>9} {:>11} {:>11} {:>10} {:>6} {:>8}",
        "law",
        "max, mm",
        "max, mm",
        "mean, mm",
        "excess",
        "dissip., W",
        "end, J",
        &runs[0].name[..4.min(runs[0].name.len())],
        "mean",
        "step"
    );
    for r in runs {
        say!(
            "  {:<11} {:>11.4} {:>10.4} {:>8.4} {:>9.1e} {:>11.2e} {:>11.4} {:>10.2e} {:>6.1} {:>8.1}",
            r.name,
            1e3 * most(r, |a| a.penetration),
            1e3 * most(r, |a| a.signorini),
            1e3 * mean(r, |a| a.force_gap),
            most(r, |a| a.cone),
            mean(r, |a| a.dissipation),
            r.energy.last().copied().unwrap_or(f64::NAN),
            apart(&r.q, &runs[0].q),
            r.iterations as f64 / r.energy.len().max(1) as f64,
            1e6 * r.seconds / r.energy.len().max(1) as f64,
        );
    }
    for r in runs.iter().filter(|r| r.unconverged > 0) {
        say!("  warning     {}: the solver did not converge in {} steps", r.name, r.unconverged);
    }
    for (what, path) in [("recording", &args.record), ("plot", &args.plot)] {
        if let Some(path) = path {
            say!("  {what:<11} {}", path.display());
        }
    }
    for warning in warnings {
        say!("  warning     {warning}");
    }
}
