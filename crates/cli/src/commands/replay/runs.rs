//! Replays of one plan and what they showed.

use crate::output::say;
use anyhow::Result;
use saltus::Model;
use saltus::opt::problem::actuation::Actuation;
use saltus::opt::problem::physics::Units;
use saltus::opt::replay::{Feedback, Replay, ReplayOptions, replay};
use saltus::sim::options::law::{Law, LawOptions};
use saltus::store::StoredPlan;
use serde_json::{Value, json};
use std::path::Path;

/// Largest error, in the tangent space of the coordinates, at which a replay counts as reproducing
/// the plan.
const TOLERANCE: f64 = 1e-6;
/// Longest time step under another law, s.
pub const TIMESTEP: f64 = 0.002;
/// Strides with feedback after planning.
const STRIDES: usize = 10;

/// One simulation.
#[derive(Debug)]
pub struct Run {
    /// `own`, or the name of a law.
    pub law: String,
    pub feedback: Feedback,
    timestep: f64,
    strides: usize,
    pub replay: Replay,
}

impl Run {
    /// Why the simulation ended early.
    fn reason(&self) -> String {
        let Replay { survived, end, seconds, .. } = &self.replay;
        // What the engine says about divergence is long.
        if *survived || end.len() < 40 {
            end.clone()
        } else {
            format!("it diverged after {seconds:.2} s (--json says how)")
        }
    }
}

/// All simulations of a plan.
#[derive(Debug)]
pub struct Replays<'a> {
    stored: &'a StoredPlan,
    folder: &'a Path,
    actuation: Actuation,
    pub runs: Vec<Run>,
}

impl<'a> Replays<'a> {
    pub fn new(stored: &'a StoredPlan, folder: &'a Path) -> Result<Self> {
        let actuation = Actuation::new(&stored.own)?;
        Ok(Self { stored, folder, actuation, runs: Vec::new() })
    }

    /// The replays after planning: one stride without feedback, ten with feedback, and ten under
    /// the soft law.
    pub fn own(stored: &'a StoredPlan, folder: &'a Path) -> Result<Self> {
        let mut replays = Self::new(stored, folder)?;
        replays.add_own(Feedback::None, 1);
        replays.add_own(Feedback::Gains, STRIDES);
        replays.add("soft", Law::Soft, TIMESTEP, Feedback::Body, STRIDES);
        Ok(replays)
    }

    /// Simulates under the plan's own law, with the planning geometry and the time step of the
    /// plan.
    pub fn add_own(&mut self, feedback: Feedback, strides: usize) {
        let laws = self.stored.planning.options.laws;
        let run = self.simulate("own", &self.stored.planning, laws, f64::INFINITY, feedback, strides);
        self.runs.push(run);
    }

    /// Simulates under another law, with the model's parameters of that law and its original
    /// geometry.
    pub fn add(&mut self, name: &str, law: Law, timestep: f64, feedback: Feedback, strides: usize) {
        let model = &self.stored.own;
        let laws = LawOptions { law, ..model.options.laws };
        let run = self.simulate(name, model, laws, timestep, feedback, strides);
        self.runs.push(run);
    }

    fn simulate(
        &self,
        law: &str,
        model: &Model,
        laws: LawOptions,
        timestep: f64,
        feedback: Feedback,
        strides: usize,
    ) -> Run {
        let plan = &self.stored.plan;
        let (motion, units) = (&plan.motion, Units { weight: plan.weight, length: plan.length });
        let strides = if motion.periodic { strides } else { 1 };
        let options = ReplayOptions { timestep, feedback, strides, ..ReplayOptions::default() };
        let replay = replay(model, &laws, &self.actuation, motion, units, &options);
        // As replays divide the steps of the plan.
        let timestep = motion.h / (motion.h / timestep - 1e-9).ceil().max(1.0);
        Run { law: law.to_owned(), feedback, timestep, strides, replay }
    }

    /// Whether the simulation under the plan's own law, without feedback over one stride,
    /// reproduces the plan.
    pub fn reproduced(&self) -> bool {
        let is_proof = |run: &&Run| run.law == "own" && run.feedback == Feedback::None && run.strides == 1;
        self.runs
            .iter()
            .find(is_proof)
            .is_some_and(|run| run.replay.survived && run.replay.largest_error() <= TOLERANCE)
    }

    /// The results under a law as a line of text; `None` if there are none.
    pub fn line(&self, law: &str) -> Option<String> {
        let mut own = self.runs.iter().filter(|run| run.law == law).peekable();
        own.peek()?;
        let of = |run: &Run| {
            let feedback = if run.feedback == Feedback::None { "open loop" } else { "with feedback" };
            let (done, asked) = (run.replay.strides, run.strides);
            let strides = if self.stored.plan.motion.periodic {
                format!(" {done:.1} of {asked} strides,")
            } else {
                String::new()
            };
            let end = if run.replay.survived { String::new() } else { format!(" ({})", run.reason()) };
            format!("{feedback}{strides} error {:.1e}{end}", run.replay.largest_error())
        };
        let law = if law == "own" { "its own law".to_owned() } else { format!("the {law} law") };
        Some(format!("under {law} {}", own.map(of).collect::<Vec<_>>().join("; ")))
    }

    pub fn print(&self) {
        let verdict = if self.reproduced() { "reproduces" } else { "does not reproduce" };
        say!("{}: the simulation under its own law ({}) {verdict} the plan", self.stored.plan.name, self.own_law());
        say!("  law         time step  feedback  strides      largest error  end");
        for run in &self.runs {
            say!(
                "  {:10} {:7.2} ms  {:8}  {:>5.1} of {:<3}  {:>12.1e}  {}",
                run.law,
                1e3 * run.timestep,
                run.feedback.word(),
                run.replay.strides,
                run.strides,
                run.replay.largest_error(),
                run.reason()
            );
        }
    }

    fn own_law(&self) -> &'static str {
        self.stored.planning.options.laws.law.name()
    }

    pub fn json(&self) -> Value {
        let of = |run: &Run| {
            json!({
                "law": run.law,
                "shapes": if run.law == "own" { "planning" } else { "own" },
                "timestep": run.timestep,
                "feedback": run.feedback.word(),
                "strides": run.replay.strides,
                "strides_asked": run.strides,
                "seconds": run.replay.seconds,
                "largest_error": run.replay.largest_error(),
                "survived": run.replay.survived,
                "end": run.replay.end,
            })
        };
        json!({
            "name": self.stored.plan.name,
            "folder": self.folder,
            "own_law": self.own_law(),
            "tolerance": TOLERANCE,
            "reproduced": self.reproduced(),
            "runs": self.runs.iter().map(of).collect::<Vec<_>>(),
        })
    }
}
