//! The progress display of the planner: on a terminal one line that is updated in place, elsewhere
//! one line per continuation point.

use crate::output::note;
use indicatif::{ProgressBar, ProgressStyle};
use saltus::ModelSpec;
use saltus::opt::planning::PlanningProblem;
use saltus::opt::solve::optimize::Event;
use saltus::opt::solve::report::{Iteration, PathPoint};
use std::io::IsTerminal;
use std::time::Duration;

/// Bodies of a model from which on it takes seconds to set a problem up.
const LARGE: usize = 100;

#[derive(Debug)]
pub struct Watch {
    name: String,
    /// Present if stderr is a terminal.
    line: Option<ProgressBar>,
    last: Option<Iteration>,
    has_warned: bool,
}

impl Watch {
    pub fn new(name: &str) -> Self {
        let line = std::io::stderr().is_terminal().then(|| {
            let line = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                line.set_style(style);
            }
            line.enable_steady_tick(Duration::from_millis(100));
            line
        });
        Self { name: name.to_owned(), line, last: None, has_warned: false }
    }

    /// Says that the problem is being made, which takes long for large models.
    pub fn set_up(&self, spec: &ModelSpec) {
        let bodies = spec.bodies.len();
        self.stage(bodies > LARGE, &format!("compiling the model of {bodies} bodies, finding contacts and a pose"));
    }

    /// Says that the optimizer begins, whose first iterations also take long for large models.
    pub fn begin(&self, planning: &PlanningProblem) {
        let (model, steps) = (&planning.problem.model, planning.problem.steps);
        let (nv, unknowns) = (model.size.nv, model.size.nv * steps);
        let text = format!("optimizing {steps} steps of {nv} degrees of freedom, {unknowns} unknowns");
        self.stage(model.nbody() > LARGE, &text);
    }

    /// Shows what is being done; where there is no line to update, only if that takes long.
    fn stage(&self, is_long: bool, text: &str) {
        let text = format!("{}: {text}", self.name);
        match &self.line {
            Some(line) => line.set_message(text),
            None if is_long => note!("{text}"),
            None => {}
        }
    }

    pub fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Iteration(iteration) => {
                if let Some(line) = &self.line {
                    line.set_message(of_iteration(&self.name, iteration));
                }
                self.last = Some((*iteration).clone());
            }
            Event::Point(point) => match &self.line {
                Some(line) => line.println(of_point(&self.name, point, self.last.as_ref())),
                None => note!("{}", of_point(&self.name, point, self.last.as_ref())),
            },
            Event::Round(_) => {}
        }
    }

    /// Prints a warning; only the first one is shown.
    pub fn warn(&mut self, message: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            match &self.line {
                Some(line) => line.println(format!("warning: {message}")),
                None => note!("warning: {message}"),
            }
        }
    }

    pub fn finish(&self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

fn of_iteration(name: &str, i: &Iteration) -> String {
    let stage = if i.path < 1.0 { "hardening contact" } else { "converging" };
    format!(
        "{name}: iteration {}, {stage} (continuation {:.0} %), cost {:.5}, unactuated {:.1e}, {:.1} s",
        i.number,
        100.0 * i.path,
        i.cost,
        i.unactuated,
        i.seconds
    )
}

fn of_point(name: &str, p: &PathPoint, last: Option<&Iteration>) -> String {
    format!(
        "{name}: continuation {:3.0} %, iteration {:4}, cost {:.5}, unactuated {:.1e}, force at a distance {:.3}, {:.1} s",
        100.0 * p.path,
        last.map_or(0, |i| i.number),
        p.cost,
        last.map_or(0.0, |i| i.unactuated),
        p.force_at_distance,
        p.seconds
    )
}
