//! In which coordinates a simulation runs, and who takes its steps.

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;
use saltus::maximal::{JointError, Options, Simulation};
use saltus::sim::law::agreement::Agreement;
use saltus::{Data, Model};

/// Choice of coordinates on the command line.
#[derive(clap::Args)]
pub struct Coordinates {
    /// Coordinates: those of joints, or six for each body with joints as constraints. The contact law is then that of maximal coordinates.
    #[arg(long, value_enum, default_value = "generalized")]
    coordinates: Kind,
    /// Solver in maximal coordinates: exact joints, pivoting, or Gauss–Seidel with or without the modifications of 2014.
    #[arg(long, value_enum, value_name = "MODE")]
    maximal_mode: Option<Mode>,
    /// Sweeps per step in maximal coordinates, instead of the mode's.
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

/// Takes steps.
#[derive(Clone, Debug)]
pub enum Stepper {
    Generalized,
    Maximal {
        simulation: Box<Simulation>,
        /// The worst of all steps.
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
                bail!("--maximal-mode and --sweeps need --coordinates maximal");
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
    /// One step; why not, if it cannot be taken.
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

    /// What the contacts of the step that was just taken say about rigid contact, in maximal coordinates.
    pub fn agreement(&self, model: &Model, data: &Data) -> Option<Agreement> {
        match self {
            Stepper::Generalized => None,
            Stepper::Maximal { simulation, .. } => Some(simulation.agreement(model, data)),
        }
    }

    /// How far joints were apart at worst, in maximal coordinates.
    pub fn joint_error(&self) -> Option<JointError> {
        match self {
            Stepper::Generalized => None,
            Stepper::Maximal { joints, .. } => Some(*joints),
        }
    }
}
