//! `saltus reproduce`: results of papers, ours beside the published ones. One file per result.

mod todorov_ball;
mod todorov_barriers;
mod todorov_dense;
mod todorov_scaling;
mod todorov_speed;

use super::write_file;
use crate::plot::Format;
use crate::plot::chart::{self, Chart};
use crate::table::{self, Array};
use anyhow::{Result, bail};
use std::path::PathBuf;

/// Repeat results of papers: prints ours beside the published, writes a picture and a table.
///
/// Without a name: lists what can be repeated.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  saltus reproduce                            what there is
  saltus reproduce todorov2011/table1 --json  numbers for scripts
  saltus reproduce todorov2011/fig3 --out out --png")]
pub struct Args {
    /// Which result.
    name: Option<String>,
    /// Folder for the picture and the table.
    #[arg(long, default_value = "out", value_name = "DIR")]
    out: PathBuf,
    /// Draw a .png instead of an .svg picture.
    #[arg(long)]
    png: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A result that can be repeated.
struct Entry {
    name: &'static str,
    about: &'static str,
    run: fn(&Args) -> Result<Outcome>,
}

/// What a repetition gives.
struct Outcome {
    title: String,
    charts: Vec<Chart>,
    /// Columns of the table, all of one length.
    table: Vec<Array>,
    json: serde_json::Value,
    /// What is printed without `--json`.
    text: String,
}

const ENTRIES: &[Entry] = &[
    Entry {
        name: "todorov2011/table1",
        about: "evaluations per second of the inverse contact law, 2 to 20 contacts",
        run: todorov_speed::run,
    },
    Entry { name: "todorov2011/fig1", about: "the barriers d_V and its elastic form", run: todorov_barriers::run },
    Entry {
        name: "todorov2011/fig3",
        about: "a ball is dropped: its velocity and the impulse of the ground",
        run: todorov_ball::run,
    },
    Entry {
        name: "todorov2011/fig4",
        about: "iterations and time of the inverse against the number of contacts of a humanoid",
        run: todorov_scaling::run,
    },
];

pub fn run(args: &Args) -> Result<()> {
    let Some(name) = &args.name else {
        if args.json {
            let list: Vec<_> =
                ENTRIES.iter().map(|e| serde_json::json!({ "name": e.name, "about": e.about })).collect();
            println!("{}", serde_json::to_string_pretty(&list)?);
        } else {
            for entry in ENTRIES {
                println!("  {:24} {}", entry.name, entry.about);
            }
        }
        return Ok(());
    };
    let Some(entry) = ENTRIES.iter().find(|e| e.name == name) else {
        let known: Vec<&str> = ENTRIES.iter().map(|e| e.name).collect();
        bail!("unknown result {name:?}; there are {}", known.join(", "));
    };
    let outcome = (entry.run)(args)?;
    let stem = entry.name.replace('/', "-");
    let (format, ending) = if args.png { (Format::Png, "png") } else { (Format::Svg, "svg") };
    let picture = args.out.join(format!("{stem}.{ending}"));
    let numbers = args.out.join(format!("{stem}.csv"));
    write_file(&picture, &chart::draw(&outcome.charts, &outcome.title, format)?)?;
    write_file(&numbers, &table::encode(&outcome.table, table::Format::Csv))?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&outcome.json)?);
    } else {
        println!("{}", outcome.text.trim_end());
        println!("  picture {}, table {}", picture.display(), numbers.display());
    }
    Ok(())
}

/// A column of a table.
fn column(name: &str, values: impl IntoIterator<Item = f64>) -> Array {
    let mut array = Array::vector(name);
    array.values.extend(values);
    array
}

/// Exponent b of y = a xᵇ by least squares on logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mx, my) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (sxy, sxx) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + (x - mx) * (x - mx)));
    sxy / sxx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let points: Vec<(f64, f64)> = (1..9).map(|k| (k as f64, 3.0 * (k as f64).powf(2.5))).collect();
        assert!((exponent(&points) - 2.5).abs() < 1e-12);
    }
}
