//! The state of a run, and the events that an observer receives.

use super::options::OptimizeOptions;
use super::period::PeriodSearch;
use crate::solve::knot::Multipliers;
use crate::solve::report::{Iteration, PathPoint, Status, TimeByPart};
use serde::{Deserialize, Serialize};

/// The state of a run: everything that the rest of it depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Nodes of the trajectory · (steps + 2) × nq.
    pub q: Vec<f64>,
    /// Multipliers, by step, term and row.
    pub lambda: Vec<Vec<Vec<f64>>>,
    /// Weight of the penalty of constraints.
    pub penalty: f64,
    /// Largest violation after the last round at this point; 0 before the first round.
    pub violation: f64,
    /// The last point of the path that was reached, its trajectory and multipliers.
    pub reached: Option<Reached>,
    /// Position on the continuation path, 0 to 1 or more.
    pub s: f64,
    /// End of the path: 1, or more if it was extended.
    pub end: f64,
    /// Length of the next step along the path.
    pub step: f64,
    /// Number of rounds at this point.
    pub round: usize,
    /// Damping of the step.
    pub damping: f64,
    /// Iterations so far.
    pub iterations: usize,
    /// Time that it took, s.
    pub seconds: f64,
    /// That time by parts of the work.
    pub times: TimeByPart,
    /// All iterations.
    pub history: Vec<Iteration>,
    /// Points of the path that were reached.
    pub path: Vec<PathPoint>,
    /// How it ended; `None` while it goes on.
    pub status: Option<Status>,
    /// The search for the best period, if that is free.
    pub period: PeriodSearch,
}

/// A point of the path that was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Position on the continuation path, 0 to 1 or more.
    pub s: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Multipliers, by step, term and row.
    pub lambda: Vec<Vec<Vec<f64>>>,
    /// Weight of the penalty of constraints.
    pub penalty: f64,
}

/// An event of a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// An iteration was done.
    Iteration(&'a Iteration),
    /// A point of the path was reached.
    Point(&'a PathPoint),
    /// A round has ended. This is the state that a checkpoint holds.
    Round(&'a Progress),
}

/// Called with each event; returning `false` stops the run after the present iteration.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> bool + 'a;

impl Progress {
    /// The beginning of a run, from a guess of all nodes.
    pub fn new(guess: Vec<f64>, options: &OptimizeOptions) -> Self {
        Self {
            q: guess,
            lambda: Vec::new(),
            penalty: options.penalty,
            violation: 0.0,
            reached: None,
            s: 0.0,
            end: 1.0,
            step: options.path_step,
            round: 0,
            damping: 10.0,
            iterations: 0,
            seconds: 0.0,
            times: TimeByPart::default(),
            history: Vec::new(),
            path: Vec::new(),
            status: None,
            period: PeriodSearch::default(),
        }
    }

    /// Multipliers and penalty at this point.
    pub(crate) fn multipliers(&self) -> Multipliers {
        Multipliers { lambda: self.lambda.clone(), penalty: self.penalty, restore: None }
    }
}
