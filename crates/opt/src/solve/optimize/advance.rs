//! The way along the path: to the next point, back to the last one that was reached, or to the end
//! of the run.

use super::judge::Verdict;
use super::progress::{Event, Observer, Progress, Reached};
use super::{Run, record};
use crate::problem::{Entry, Role};
use crate::solve::multiplier::violation;
use crate::solve::report::Status;

/// Share of the weight that the residual without a contact law may be at the end of the path.
const BAD: f64 = 0.02;
/// By how much a path becomes longer at a time at most.
const LONGER: f64 = 0.2;
/// Growth of the steps on the path.
const GROWTH: f64 = 1.3;
/// Share of a step that is tried next if its end could not be reached.
const SHORTER: f64 = 0.4;
/// Steps on the path that are shorter than this are not tried.
pub(super) const SHORTEST: f64 = 2e-3;
/// The same beyond the end of the path.
const SHORTEST_BEYOND: f64 = 0.02;

impl Run<'_> {
    /// Leaves the present point of the path.
    pub(super) fn advance(&mut self, verdict: &Verdict, progress: &mut Progress, observer: &mut Observer<'_>) {
        if verdict.is_reached {
            let hardness = self.course.continuation.at(progress.s);
            let point = record::path_point(self.problem, &self.optimizer, progress, &hardness);
            if !observer(Event::Point(&point)) {
                progress.status = Some(Status::Stopped);
            }
            progress.path.push(point);
        }
        if let Some(status) = self.end_of_path(verdict, progress) {
            progress.status = Some(status);
            return;
        }
        progress.round = 0;
        progress.violation = 0.0;
        if verdict.is_reached {
            self.step_on(verdict, progress);
        } else {
            step_back(progress);
        }
        if verdict.is_exhausted || progress.step < SHORTEST {
            progress.status = Some(self.give_up(progress));
        }
    }

    /// What the end of the path means: the status of the run, or a new end of the path.
    fn end_of_path(&mut self, verdict: &Verdict, progress: &mut Progress) -> Option<Status> {
        let farthest = 1.0 + self.course.continuation.beyond;
        let may_go_on = verdict.is_end && verdict.is_solved && !verdict.is_exhausted && progress.end < farthest;
        if may_go_on && (self.course.judge)(&progress.q) > BAD {
            // A solution, but not of a problem whose contact is hard enough.
            progress.step = (GROWTH * progress.step).min(LONGER);
            progress.end = (progress.end + progress.step).min(farthest);
            return None;
        }
        if verdict.is_beyond && !verdict.is_solved {
            let solved = progress.reached.as_ref().map_or(1.0, |r| r.s);
            progress.end = solved + SHORTER * (progress.s - solved);
            let is_hopeless = verdict.is_exhausted || progress.end - solved < SHORTEST_BEYOND;
            return is_hopeless.then(|| {
                self.return_to_reached(progress);
                Status::Converged
            });
        }
        let is_over = verdict.is_end && (verdict.is_reached || verdict.is_exhausted);
        is_over.then(|| match (verdict.is_solved, self.worst_constraint(self.options.feasibility)) {
            (true, _) => Status::Converged,
            (_, Some(infeasible)) => infeasible,
            (_, None) => Status::Limit,
        })
    }

    /// To the next point of the path.
    fn step_on(&self, verdict: &Verdict, progress: &mut Progress) {
        progress.reached = Some(Reached {
            s: progress.s,
            q: progress.q.clone(),
            lambda: progress.lambda.clone(),
            penalty: progress.penalty,
        });
        if verdict.is_end {
            // The last steps to a solution may have been short ones.
            progress.damping = 1.0;
        } else {
            progress.step = (GROWTH * progress.step).min(self.options.path_step);
        }
        progress.s = (progress.s + progress.step).min(progress.end);
    }

    /// Ends the run at the last point that was reached.
    fn give_up(&mut self, progress: &mut Progress) -> Status {
        self.return_to_reached(progress);
        let reached = progress.s;
        match self.worst_constraint(self.options.path_limit) {
            Some(infeasible) => infeasible,
            None if reached >= 1.0 => Status::Converged,
            None => Status::Short { reached },
        }
    }

    /// Returns to the last point that was reached, and evaluates it.
    fn return_to_reached(&mut self, progress: &mut Progress) {
        progress.s = progress.reached.as_ref().map_or(0.0, |r| r.s);
        if let Some(reached) = &progress.reached {
            progress.q.clone_from(&reached.q);
            progress.lambda.clone_from(&reached.lambda);
        }
        self.course.continuation.at(progress.s).set(&mut self.problem.model);
        self.optimizer.update(self.problem, &progress.multipliers(), &progress.q, false);
    }

    /// The constraint that is violated most, if that is by more than is allowed.
    fn worst_constraint(&self, allowed: f64) -> Option<Status> {
        let terms = &self.problem.terms;
        let of = |k: usize| violation(terms, &self.optimizer.knots, k) / terms[k].slack;
        let constraints = (0..terms.len()).filter(|&k| terms[k].role != Role::Cost);
        let k = constraints.max_by(|a, b| of(*a).total_cmp(&of(*b)))?;
        // NaN counts as violated.
        let holds = of(k) <= allowed;
        let Entry { id, slack, .. } = &terms[k];
        let (violation, allowed) = (of(k) * slack, allowed * slack);
        (!holds).then(|| Status::Infeasible { constraint: id.clone(), violation, allowed })
    }
}

/// To a point between the last one that was reached and the present one.
fn step_back(progress: &mut Progress) {
    let Some(reached) = &progress.reached else { return };
    progress.step = SHORTER * (progress.s - reached.s);
    progress.q.clone_from(&reached.q);
    progress.lambda.clone_from(&reached.lambda);
    progress.penalty = reached.penalty;
    progress.damping = 1.0;
    progress.s = (reached.s + progress.step).min(progress.end);
}
