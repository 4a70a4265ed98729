//! Hsu and Peters 2014: Open Dynamics Engine for the DARPA Virtual Robotics Challenge, in maximal
//! coordinates.

pub mod fig1;
pub mod fig2;
pub mod fig3;
pub mod fig4;
pub mod fig5;

use super::{Reproduction, column};
use crate::plot::Panel;
use anyhow::{Context, Result};
use saltus::maximal::{Options, Report, Simulation};
use saltus::store::table::Array;
use saltus::{Data, Model};

/// A curve: its name and the engine's options.
struct Mode {
    name: String,
    options: Options,
}

fn mode(name: &str, options: Options) -> Mode {
    Mode { name: name.to_owned(), options }
}

/// A simulation and its model.
struct Scene {
    model: Model,
    data: Data,
    simulation: Simulation,
}

impl Scene {
    fn new(xml: &str, options: Options) -> Result<Self> {
        let spec = saltus::io::mjcf::read_str(xml, &Default::default()).context("a built-in model")?;
        let model = saltus::compile(&spec).context("a built-in model")?;
        let simulation = Simulation::new(&model, options)?;
        Ok(Self { data: Data::new(&model), model, simulation })
    }

    fn step(&mut self) -> Result<Report> {
        Ok(self.simulation.step(&self.model, &mut self.data)?)
    }
}

/// Values of several curves over the same times.
#[derive(Default)]
struct Curves {
    time: Vec<f64>,
    names: Vec<String>,
    /// One vector per curve.
    values: Vec<Vec<f64>>,
}

impl Curves {
    fn push(&mut self, name: &str, values: Vec<f64>) {
        self.names.push(name.to_owned());
        self.values.push(values);
    }

    /// The curves as one array, a row for each time, and the panel that shows it.
    fn finish(self, name: &'static str, title: &str, log: bool) -> (Vec<Array>, Panel) {
        let n = self.values.len();
        let rows = self.time.len();
        let value = |k: usize| self.values[k % n].get(k / n).copied().unwrap_or(f64::NAN);
        let array = Array { values: (0..rows * n).map(value).collect(), ..Array::matrix(name, n) };
        let lines = self.names.into_iter().enumerate().collect();
        let panel = Panel { log, ..Panel::over_time(title.to_owned(), name, lines) };
        (vec![column("time", self.time), array], panel)
    }
}
