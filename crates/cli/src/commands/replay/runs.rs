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
/// Largest error that residuals and rounding explain.
const AMPLIFIED: f64 = 1e-3;
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

    /// The simulation under the plan's own law, without feedback over one stride.
    fn proof(&self) -> Option<&Run> {
        self.runs.iter().find(|run| run.law == "own" && run.feedback == Feedback::None && run.strides == 1)
    }

    /// Whether the simulation under the plan's own law, without feedback over one stride,
    /// reproduces the plan.
    pub fn reproduced(&self) -> bool {
        self.proof().is_some_and(|run| run.replay.survived && run.replay.largest_error() <= TOLERANCE)
    }

    /// How far the simulation is from reproducing the plan, and what that means.
    pub fn failure(&self) -> String {
        let Some(run) = self.proof() else { return "the plan was not simulated under its own law".to_owned() };
        let (error, plan) = (run.replay.largest_error(), &self.stored.plan);
        let found = if run.replay.survived {
            format!("the error grows to {error:.1e} rad or m")
        } else {
            format!("{}, with an error of {error:.1e} rad or m", run.reason())
        };
        let meaning = if run.replay.survived && error <= AMPLIFIED {
            format!(
                "the plan is a motion of its model, but an unstable one: its residual of {:.0e} and rounding errors \
                 grow from step to step; use feedback",
                plan.unactuated_residual
            )
        } else if plan.status.converged() {
            "an unstable motion that amplifies residuals and rounding errors this much cannot do without feedback"
                .into()
        } else {
            format!("the plan has not converged ({}), so it need not be a motion of its model", plan.status.word())
        };
        let when = if plan.motion.periodic { "within one stride" } else { "by its end" };
        format!(
            "the simulation does not reproduce the plan: under its own law without feedback {found} {when} \
             (limit: {TOLERANCE:.0e}); {meaning}"
        )
    }

    /// Where the gains of the plan may be used.
    pub fn limits_of_gains(&self) -> String {
        format!(
            "the gains are valid only under the plan's own law ({}), on its contact geometry and with its time step of \
             {:.2} ms; elsewhere they usually make the motion diverge, and --feedback body is the one to use",
            self.own_law(),
            1e3 * self.stored.plan.motion.h
        )
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
        let error = self.proof().map_or(f64::NAN, |run| run.replay.largest_error());
        say!(
            "{}: the simulation under its own law ({}) {verdict} the plan: error {error:.1e}, limit {TOLERANCE:.0e}",
            self.stored.plan.name,
            self.own_law()
        );
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
