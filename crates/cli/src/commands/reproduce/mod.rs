//! `saltus reproduce`: figures and tables of the papers behind the engine, one file each.

mod hsu2014;
mod mujoco2013;
mod todorov2011;

use crate::files::{check_writable, write_file};
use crate::output::{self, say};
use crate::plot::{self, Panel};
use anyhow::{Context, Result, bail};
use saltus::store::table::{self, Array};
use std::path::PathBuf;

/// Reproduce a figure or table of a published paper as a picture and a CSV file.
///
/// Without a name, lists the available figures and tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  saltus reproduce                                  what there is
  saltus reproduce mujoco2013/sweeps                prints a table, writes out/reproduce/mujoco2013/sweeps.{svg,csv}
  saltus reproduce todorov2011/table1 --json")]
pub struct Args {
    /// Paper and figure or table, e.g. todorov2011/fig3.
    name: Option<String>,
    /// Output folder for pictures and tables.
    #[arg(long, default_value = "out/reproduce", value_name = "DIR")]
    out: PathBuf,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

/// One reproduction.
struct Item {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<Reproduction>,
}

/// The result of a reproduction.
pub struct Reproduction {
    /// Title of the picture.
    pub title: String,
    /// Comparison with the published results, as text.
    pub text: String,
    /// The same comparison as JSON.
    pub json: serde_json::Value,
    pub arrays: Vec<Array>,
    pub panels: Vec<Panel>,
}

const ITEMS: &[Item] = &[
    Item {
        name: "hsu2014/fig1a",
        about: "a box 1 cm deep in the floor, with and without position projection",
        run: hsu2014::fig1::run_a,
    },
    Item {
        name: "hsu2014/fig1b",
        about: "an inelastic impact with and without position projection",
        run: hsu2014::fig1::run_b,
    },
    Item {
        name: "hsu2014/fig2",
        about: "a double pendulum with a high ratio of inertias: error out of the plane of its hinges",
        run: hsu2014::fig2::run,
    },
    Item {
        name: "hsu2014/fig3a",
        about: "drift of a grasped cylinder with and without row order and smoothing",
        run: hsu2014::fig3::run_a,
    },
    Item {
        name: "hsu2014/fig3b",
        about: "drift of a standing foot with and without row order and smoothing",
        run: hsu2014::fig3::run_b,
    },
    Item { name: "hsu2014/fig4", about: "warm start of 0, 50 and 100 % in a grasp", run: hsu2014::fig4::run },
    Item {
        name: "hsu2014/fig5",
        about: "speed against joint error over the number of sweeps",
        run: hsu2014::fig5::run,
    },
    Item {
        name: "mujoco2013/equality",
        about: "soft equality constraints become hard at the rate 1/λ",
        run: mujoco2013::equality::run,
    },
    Item {
        name: "mujoco2013/integrators",
        about: "five integrators: error against time step, smooth and in contact",
        run: mujoco2013::integrators::run,
    },
    Item {
        name: "mujoco2013/sweeps",
        about: "Gauss–Seidel on the humanoid: error after each sweep",
        run: mujoco2013::sweeps::run,
    },
    Item {
        name: "todorov2011/table1",
        about: "evaluations per second of the inverse contact law, 2 to 20 contacts",
        run: todorov2011::table1::run,
    },
    Item {
        name: "todorov2011/fig1",
        about: "the barriers of velocities, logarithmic and elastic",
        run: todorov2011::fig1::run,
    },
    Item {
        name: "todorov2011/fig3",
        about: "a ball is dropped: its velocity and the impulse of the ground",
        run: todorov2011::fig3::run,
    },
    Item {
        name: "todorov2011/fig4",
        about: "iterations and time of the inverse against the number of contacts of a humanoid",
        run: todorov2011::fig4::run,
    },
    Item {
        name: "todorov2011/gait",
        about: "the gait of a humanoid as a limit cycle: Newton steps and continuation, with their times",
        run: todorov2011::gait::run,
    },
];

pub fn run(args: &Args) -> Result<()> {
    let Some(name) = &args.name else {
        list(args.json)?;
        return Ok(());
    };
    let Some(item) = ITEMS.iter().find(|item| item.name == name) else {
        let known: Vec<&str> = ITEMS.iter().map(|item| item.name).collect();
        bail!("unknown figure or table {name:?}; available: {}", known.join(", "));
    };
    let (picture, csv) = (args.out.join(format!("{name}.svg")), args.out.join(format!("{name}.csv")));
    check_writable(&picture).and_then(|()| check_writable(&csv))?;
    let result = (item.run)()?;
    let drawing = plot::draw(&result.arrays, &result.panels, &result.title, plot::Format::Svg)
        .context("cannot draw the picture")?;
    write_file(&picture, &drawing)?;
    write_file(&csv, &table::encode(&result.arrays, table::Format::Csv))?;
    if args.json {
        let mut json = result.json;
        json["picture"] = picture.to_string_lossy().into();
        json["csv"] = csv.to_string_lossy().into();
        output::json(&json)?;
    } else {
        say!("{}: {}\n{}", item.name, item.about, result.text.trim_end());
        say!("  picture {}\n  table   {}", picture.display(), csv.display());
    }
    Ok(())
}

fn list(json: bool) -> Result<()> {
    if json {
        let items: Vec<_> = ITEMS.iter().map(|i| serde_json::json!({ "name": i.name, "about": i.about })).collect();
        output::json(&items)?;
        return Ok(());
    }
    for item in ITEMS {
        say!("{:<26} {}", item.name, item.about);
    }
    Ok(())
}

/// A named vector of numbers.
fn column(name: &str, values: Vec<f64>) -> Array {
    Array { values, ..Array::vector(name) }
}

/// Exponent of the power law that fits y(x): the slope of the least-squares line through (log x,
/// log y).
fn power_law(x: &[f64], y: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = x.iter().zip(y).map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let (sxy, sxx) =
        points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + (x - mx) * (x - mx)));
    sxy / sxx
}
