//! A problem that is ready to be optimized, with everything that is needed to judge and to use its
//! solution.

use crate::geometry::GeometryReport;
use crate::problem::actuation::Actuation;
use crate::problem::continuation::Continuation;
use crate::problem::physics::Units;
use crate::problem::{Evaluation, Problem};
use crate::result::plan::Plan;
use crate::result::unfold::{self, Assessment, certificate, unactuated_rows};
use crate::solve::PoolError;
use crate::solve::minimize::Optimizer;
use crate::solve::optimize::period::{Next, PeriodSearch, is_free};
use crate::solve::optimize::{Course, Observer, OptimizeOptions, Progress, run};
use crate::solve::report::Status;
use saltus_math::real;
use saltus_sim::{Model, ModelSpec};

/// What a task and a model become. It holds the final model, its planning twin, and what is known
/// about both.
#[derive(Debug)]
pub struct PlanningProblem {
    /// Name of the task, and of the plan.
    pub name: String,
    /// The model that is planned for: the given one, with the changes that `notes` name, such as a
    /// floor that was added.
    pub spec: ModelSpec,
    /// `spec`, compiled: the model with its own shapes.
    pub own: Model,
    /// The optimization problem. Its model is the planning twin of `own`, with the planner's
    /// contact geometry, time step and contact law.
    pub problem: Problem,
    /// How the shapes of `own` were replaced in the planning twin.
    pub geometry: GeometryReport,
    /// What the actuators can do.
    pub actuation: Actuation,
    /// The path from soft to hard contact.
    pub continuation: Continuation,
    /// All nodes of the trajectory that optimization starts from · (steps + 2) × nq.
    pub guess: Vec<f64>,
    /// Units of forces and lengths.
    pub units: Units,
    /// Settings of the optimizer.
    pub options: OptimizeOptions,
    /// What the user should know about the problem.
    pub notes: Vec<String>,
}

/// The memory of a finished run, from which its plan is made.
#[derive(Debug)]
pub struct Solution(Optimizer);

impl PlanningProblem {
    /// Optimizes from the guess.
    pub fn optimize(&mut self, observer: &mut Observer<'_>) -> Result<Plan, PoolError> {
        let mut progress = Progress::new(self.guess.clone(), &self.options);
        self.resume(&mut progress, observer)
    }

    /// Goes on from where a run was.
    pub fn resume(&mut self, progress: &mut Progress, observer: &mut Observer<'_>) -> Result<Plan, PoolError> {
        let solution = self.solve(progress, observer)?;
        Ok(self.plan(progress, solution))
    }

    /// Optimizes from `progress` until that has a status, without making a plan of what was found:
    /// one run, or for cycles whose period is free one for each period that is tried.
    pub fn solve(&mut self, progress: &mut Progress, observer: &mut Observer<'_>) -> Result<Solution, PoolError> {
        self.search(progress, observer).map(Solution)
    }

    /// The plan of a trajectory that was found: evaluated anew, unfolded to a whole stride and
    /// judged.
    pub fn plan(&self, progress: &Progress, solution: Solution) -> Plan {
        let mut plan = unfold::plan(&self.assessment(), progress, solution.0);
        plan.name.clone_from(&self.name);
        plan.notes = [self.notes.clone(), plan.notes].concat();
        if is_free(&self.problem) {
            plan.notes.push(self.period_note(&progress.period));
        }
        plan
    }

    fn search(&mut self, progress: &mut Progress, observer: &mut Observer<'_>) -> Result<Optimizer, PoolError> {
        let units = unactuated_rows(&self.assessment());
        let Self { problem, continuation, options, own, .. } = self;
        let is_free = is_free(problem);
        loop {
            if is_free {
                progress.period.set(problem);
            }
            let certificate = certificate(own, problem, &units);
            let is_judged = problem.evaluation == Evaluation::Begin;
            let judge = |q: &[f64]| {
                let verdicts = if is_judged { certificate.judge(q) } else { Vec::new() };
                verdicts.iter().fold(0.0, |worst, v| f64::max(worst, v.residual))
            };
            let course = Course { continuation, judge: &judge };
            let of_trial = progress.period.options(options);
            let mut optimizer = run(problem, course, &of_trial, progress, observer)?;
            let is_done = !is_free || progress.status == Some(Status::Stopped);
            if is_done {
                return Ok(optimizer);
            }
            let next = PeriodSearch::go_on(problem, continuation, &mut optimizer, options, progress);
            if next == Next::Done {
                return Ok(optimizer);
            }
        }
    }

    /// What trajectories of the problem are evaluated with.
    fn assessment(&self) -> Assessment<'_> {
        Assessment {
            problem: &self.problem,
            own: &self.own,
            actuation: &self.actuation,
            units: self.units,
            feasibility: self.options.feasibility,
        }
    }

    /// What the search for the best period came to.
    fn period_note(&self, search: &PeriodSearch) -> String {
        let time = self.problem.h() * self.problem.steps as f64;
        let change = 100.0 * (real::exp(search.x) - 1.0);
        format!(
            "free period: the cycle that is optimized takes {time:.3} s, {change:+.1} % of what it began with, after {} trials",
            search.trials()
        )
    }
}
