//! The choice between generalized and maximal coordinates, and the stepper for each.

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;
use saltus::maximal::{JointError, Options, Simulation};
use saltus::sim::law::agreement::Agreement;
use saltus::{Data, Model};

/// Choice of coordinates on the command line.
#[derive(clap::Args)]
pub struct Coordinates {
    /// Coordinates: `generalized` uses joint coordinates, `maximal` uses six coordinates per body
    /// with joints as constraints and has its own contact law.
    #[arg(long, value_enum, default_value = "generalized")]
    coordinates: Kind,
    /// Solver in maximal coordinates: `tree` (exact joints), `direct` (pivoting), `published`
    /// (Gauss–Seidel with the modifications of Hsu and Peters 2014) or `plain` (Gauss–Seidel
    /// without them).
    #[arg(long, value_enum, value_name = "MODE")]
    maximal_mode: Option<Mode>,
    /// Solver sweeps per step in maximal coordinates. Overrides the mode.
    #[arg(long, value_name = "N")]
    sweeps: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Generalized,
    Maximal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    Tree,
    Direct,
    Published,
    Plain,
}

/// Advances a simulation in the chosen coordinates.
#[derive(Clone, Debug)]
pub enum Stepper {
    Generalized,
    Maximal {
        simulation: Box<Simulation>,
        /// Largest joint error over all steps.
        joints: JointError,
    },
}

impl Coordinates {
    pub fn is_maximal(&self) -> bool {
        self.coordinates == Kind::Maximal
    }

    pub fn stepper(&self, model: &Model) -> Result<Stepper> {
        if self.coordinates == Kind::Generalized {
            if self.maximal_mode.is_some() || self.sweeps.is_some() {
                bail!("--maximal-mode and --sweeps require --coordinates maximal");
            }
            return Ok(Stepper::Generalized);
        }
        let mut options = match self.maximal_mode.unwrap_or(Mode::Tree) {
            Mode::Tree => Options::tree(),
            Mode::Direct => Options::direct(),
            Mode::Published => Options::default(),
            Mode::Plain => Options::plain(),
        };
        if let Some(n) = self.sweeps {
            ensure!(n > 0, "--sweeps must be at least 1");
            options.iterations = n;
        }
        let simulation = Box::new(Simulation::new(model, options)?);
        Ok(Stepper::Maximal { simulation, joints: JointError::default() })
    }
}

impl Stepper {
    /// Takes one step; the error is the reason why it failed.
    pub fn step(&mut self, model: &Model, data: &mut Data) -> Result<(), String> {
        match self {
            Stepper::Generalized => saltus::step(model, data).map_err(|e| e.to_string()),
            Stepper::Maximal { simulation, joints } => {
                let report = simulation.step(model, data).map_err(|e| e.to_string())?;
                joints.distance = joints.distance.max(report.joints.distance);
                joints.angle = joints.angle.max(report.joints.angle);
                Ok(())
            }
        }
    }

    /// How closely the contacts of the last step approximate rigid contact; `None` in generalized
    /// coordinates.
    pub fn agreement(&self, model: &Model, data: &Data) -> Option<Agreement> {
        match self {
            Stepper::Generalized => None,
            Stepper::Maximal { simulation, .. } => Some(simulation.agreement(model, data)),
        }
    }

    /// Largest joint error over all steps; `None` in generalized coordinates.
    pub fn joint_error(&self) -> Option<JointError> {
        match self {
            Stepper::Generalized => None,
            Stepper::Maximal { joints, .. } => Some(*joints),
        }
    }
}
