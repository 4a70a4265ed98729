//! What follows from a round: whether its point of the path is solved, worth another round, or
//! left.

use super::options::Method;
use super::progress::Progress;
use super::round::{Round, kind};
use super::{Run, advance};
use crate::problem::Role;
use crate::solve::minimize::Outcome;
use crate::solve::multiplier::{largest_of, largest_violation};

/// How much more than at the end equalities may be violated before they are restored.
const RESTORABLE: f64 = 4.0;

/// What is done after a round.
pub(super) enum Decision {
    /// Another round at the same point, with better multipliers and perhaps a larger penalty.
    AnotherRound {
        /// Whether the constraints hold well enough.
        feasible: bool,
    },
    /// No further round at this point.
    Leave(Verdict),
}

/// The verdict on a point of the path after its last round.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    /// Whether the point is the end of the path.
    pub is_end: bool,
    /// Whether a solution at the end of the path is known, and this is a harder point beyond it.
    pub is_beyond: bool,
    /// Whether the problem is solved at this point.
    pub is_solved: bool,
    /// Whether the point counts as reached.
    pub is_reached: bool,
    /// Whether the iterations are used up.
    pub is_exhausted: bool,
}

impl Run<'_> {
    /// Judges the point of the path after a round. At the end of the path constraints are restored
    /// if that is near.
    pub(super) fn judge(&mut self, round: &Round, progress: &mut Progress) -> Decision {
        let (options, violation) = (self.options, round.violation);
        let is_end = progress.s >= progress.end;
        // The last iterations of all restore equalities. They may need fewer than there are.
        let is_restored = options.method == Method::Sqp && round.minimized.outcome == Outcome::Restored;
        let is_exhausted = is_restored || progress.iterations >= options.iterations;
        let feasible = if is_end { self.is_restorable() } else { violation <= options.path_goal };
        let cost: f64 = self.optimizer.knots.iter().flat_map(|knot| &knot.cost).sum();
        let is_invalid = round.is_invalid();
        let is_settled = !is_invalid
            && (round.minimized.outcome == Outcome::Converged || round.minimized.decrease <= options.settled * cost);
        let mut is_solved = feasible && !is_invalid && (is_settled || !is_end);
        // A run that ends for lack of iterations is not infeasible if restoration makes the
        // constraints hold.
        let is_last = is_exhausted && options.method == Method::Rounds;
        if feasible && is_end && (is_settled || is_last) {
            is_solved = self.restore(progress) <= options.feasibility && is_settled;
        }
        // If the continuation step was too long, the final rounds can waste thousands of
        // iterations; back off instead.
        let is_lost = progress.round >= options.rounds[1]
            && violation > options.path_limit
            && progress.reached.as_ref().is_some_and(|r| progress.s - r.s > advance::SHORTEST);
        let has_rounds = progress.round < options.rounds[kind(progress.s, progress.end)];
        if !is_solved && !is_exhausted && !is_lost && has_rounds {
            return Decision::AnotherRound { feasible };
        }
        // Beyond the end of the path only solutions count.
        let is_beyond = is_end && progress.reached.as_ref().is_some_and(|r| r.s >= 1.0);
        // The beginning of the path counts as reached in any case, since there is no way back from
        // it.
        let holds = violation <= options.path_limit || progress.s <= 0.0;
        let is_reached = if is_beyond { is_solved } else { holds && !is_invalid };
        Decision::Leave(Verdict { is_end, is_beyond, is_solved, is_reached, is_exhausted })
    }

    /// Whether inequalities hold and equalities hold well enough to be restored.
    fn is_restorable(&self) -> bool {
        let largest = |role| largest_of(&self.problem.terms, &self.optimizer.knots, role);
        largest(Role::Equality) <= RESTORABLE * self.options.feasibility
            && largest(Role::Inequality) <= self.options.feasibility
    }

    /// Moves the trajectory to the nearest point at which the constraints hold; their largest
    /// violation there.
    fn restore(&mut self, progress: &mut Progress) -> f64 {
        let goal = crate::solve::minimize::RestoreOptions {
            penalty: self.options.penalty_limit,
            equalities: self.options.restoration,
            inequalities: self.options.feasibility,
        };
        self.optimizer.restore(self.problem, &mut progress.q, &goal);
        self.optimizer.update(self.problem, &progress.multipliers(), &progress.q, false);
        largest_violation(&self.problem.terms, &self.optimizer.knots)
    }
}
